//! Adds up internal forces at the present velocities, one color. Shader: `shaders/stages/force_residual.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); COLORED_PAIRS.len() + 1 + MATTER.len() + 5] = join(&[
    &COLORED_PAIRS,
    &[(VELOCITY, Read)],
    &MATTER,
    &[
        (GRADIENT_SUM, Read),
        (MEMORY_RESPONSE, Read),
        (MEMORY_WEIGHT, Read),
        (MULTIPLIER, Read),
        (FORCE, ReadWrite),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "force_residual",
    "stages/force_residual.comp",
    Part::SolveOther,
    Launch::Colors(ARGUMENTS_RESIDUAL),
    &ACCESSES,
)
.compiled(variant)
.twin("stages/residual.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.rows(1)
}
