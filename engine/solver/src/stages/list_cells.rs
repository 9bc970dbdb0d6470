//! Lists the occupied cells and counts them by color and number of particles. Shader: `shaders/stages/list_cells.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "list_cells",
        shader: "stages/list_cells.comp",
        accesses: &[
            (CELL_START, Read),
            (STATUS, Read),
            (OCCUPIED_CELL, Write),
            (COLOR_COUNT, ReadWrite),
            (SIZE_CLASS, ReadWrite),
        ],
        indirect: None,
    },
)
.direct(Threads::Cells)
.twin("stages/solve_inelastic.rs");
