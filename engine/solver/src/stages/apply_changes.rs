//! Adds the gathered velocity changes. Shader: `shaders/stages/apply_changes.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "apply_changes",
    "stages/apply_changes.comp",
    Part::SolveInelastic,
    Launch::Iterated,
    &[(VELOCITY, ReadWrite), (VELOCITY_CHANGE, ReadWrite)],
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_inelastic.rs");
