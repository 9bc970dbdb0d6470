//! Lists the occupied cells, by color and together. Shader: `shaders/stages/list_cells.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "list_cells",
    shader: "stages/list_cells.comp",
    accesses: &[
        (CELL_START, Read),
        (STATUS, Read),
        (OCCUPIED_CELL, Write),
        (COLORED_CELL, Write),
        (COLOR_COUNT, ReadWrite),
    ],
    indirect: None,
};
