//! Adds gathered velocity changes. Shader: `shaders/stages/apply_changes.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveInelastic,
    StageDeclaration {
        name: "apply_changes",
        shader: "stages/apply_changes.comp",
        accesses: &[(VELOCITY, ReadWrite), (VELOCITY_CHANGE, ReadWrite)],
        indirect: Some(ARGUMENTS),
    },
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_inelastic.rs");
