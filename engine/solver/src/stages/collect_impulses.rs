//! Adds the substep's impulses to each collider's total. Shader: `shaders/stages/collect_impulses.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "collect_impulses",
    "stages/collect_impulses.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_TILES),
    &[(STATUS, Read), (TOUCHING, Read), (CONTACT, Read), (VELOCITY, Read), (COLLIDER_IMPULSE, ReadWrite)],
)
.twin("stages/solve_colliders.rs");
