//! Lists the occupied cells and counts them by color and number of particles. Shader: `shaders/stages/list_cells.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "list_cells",
    "stages/list_cells.comp",
    Part::NeighborSearch,
    Launch::Over(Count::Cells, 64),
    &[
        (CELL_START, Read),
        (STATUS, Read),
        (OCCUPIED_CELL, Write),
        (COLOR_COUNT, ReadWrite),
        (SIZE_CLASS, ReadWrite),
    ],
)
.twin("stages/solve_inelastic.rs");
