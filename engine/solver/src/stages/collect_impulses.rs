//! Adds the substep's impulses to each collider's total. Shader: `shaders/stages/collect_impulses.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::UpdateState,
    StageDeclaration {
        name: "collect_impulses",
        shader: "stages/collect_impulses.comp",
        accesses: &[
            (STATUS, Read),
            (TOUCHING, Read),
            (CONTACT, Read),
            (VELOCITY, Read),
            (COLLIDER_IMPULSE, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/solve_colliders.rs");
