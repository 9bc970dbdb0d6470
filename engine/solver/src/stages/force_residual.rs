//! Adds up internal forces at the present velocities, one color. Shader: `shaders/stages/force_residual.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); 3 + ROWS.len()] =
    join(&[&[(COLOR_COUNT, Read), (COLORED_CELL, Read), (CELL_START, Read)], &ROWS]);

const TOTAL_ACCESSES: [(AttributeId, Access); 5 + ROWS.len()] = join(&[&TOTAL_CELLS, &ROWS]);

const ROWS: [(AttributeId, Access); 3 + MATTER.len() + 5] = join(&[
    &[(NEIGHBOR_RANGE, Read), (PAIR, Read), (VELOCITY, Read)],
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

/// The same for total bodies.
pub const TOTAL: Facts = Facts::new(
    "force_residual_total",
    "stages/force_residual.comp",
    Part::SolveOther,
    Launch::TotalColors(TOTAL_GROUP),
    &TOTAL_ACCESSES,
)
.compiled(|v| v.total_rows())
.twin("stages/residual.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.rows(1)
}
