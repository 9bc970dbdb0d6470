//! Sorts the occupied cells by color and number of particles. Shader: `shaders/stages/color_cells.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "color_cells",
    "stages/color_cells.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_CELLS),
    &[
        (OCCUPIED_CELL, Read),
        (CELL_START, Read),
        (COLOR_COUNT, Read),
        (SIZE_CLASS, ReadWrite),
        (COLORED_CELL, Write),
    ],
)
.compiled(variant)
.twin("stages/solve_inelastic.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group / v.mapping.lanes), (1, v.mapping.shares)])
}
