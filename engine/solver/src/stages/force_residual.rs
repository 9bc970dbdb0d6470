//! Adds up internal forces at the present velocities, one color. Shader: `shaders/stages/force_residual.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "force_residual",
    "stages/force_residual.comp",
    Part::SolveOther,
    Launch::Colors(ARGUMENTS_RESIDUAL),
    &[
        (COLOR_COUNT, Read),
        (COLORED_CELL, Read),
        (CELL_START, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (VELOCITY, Read),
        (STRAIN_DIAGONAL, Read),
        (STRAIN_SHEAR, Read),
        (MEMORY, Read),
        (STATE, Read),
        (HISTORY, Read),
        (IDENTITY, Read),
        (GRADIENT_SUM, Read),
        (MEMORY_RESPONSE, Read),
        (MEMORY_WEIGHT, Read),
        (MULTIPLIER, Read),
        (FORCE, ReadWrite),
    ],
)
.compiled(variant)
.twin("stages/residual.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.rows(1)
}
