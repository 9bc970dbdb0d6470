//! Sums the squares of the residuals per tile. Shader: `shaders/stages/sum_residual.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "sum_residual",
    "stages/sum_residual.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_TILES),
    &[
        (STATUS, Read),
        (VELOCITY, Read),
        (VELOCITY_START, Read),
        (ADDED_VELOCITY, Read),
        (IDENTITY, Read),
        (FORCE, Read),
        (TOUCHING, Read),
        (CONTACT, Read),
        (CORRECTION_IMPULSE, Read),
        (PARTIAL, Write),
    ],
)
.of_links(&[IDENTITY])
.of_few(&[ADDED_VELOCITY])
.twin("stages/residual.rs");
