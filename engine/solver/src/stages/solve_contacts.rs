//! Position correction (eq. 21), one color. Shader: `shaders/stages/solve_contacts.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "solve_contacts",
    shader: "stages/solve_contacts.comp",
    accesses: &[
        (COLOR_COUNT, Read),
        (COLORED_CELL, Read),
        (CELL_START, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (VELOCITY, ReadWrite),
        (CORRECTION_IMPULSE, ReadWrite),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};
