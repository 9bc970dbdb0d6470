//! Zeroes the force accumulators. Shader: `shaders/stages/clear_forces.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "clear_forces",
        shader: "stages/clear_forces.comp",
        accesses: &[(FORCE, Write)],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/residual.rs");
