//! Squares of the residuals by tiles. Shader: `shaders/stages/sum_residual.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "sum_residual",
        shader: "stages/sum_residual.comp",
        accesses: &[
            (STATUS, Read),
            (VELOCITY, Read),
            (VELOCITY_START, Read),
            (IDENTITY, Read),
            (FORCE, Read),
            (TOUCHING, Read),
            (CONTACT, Read),
            (CORRECTION_IMPULSE, Read),
            (PARTIAL, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.of_links(&[IDENTITY])
.twin("stages/residual.rs");
