//! Rigid spheres with point friction, one color. Shader: `shaders/stages/solve_grains.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "solve_grains",
    shader: "stages/solve_grains.comp",
    accesses: &[
        (COLOR_COUNT, Read),
        (COLORED_CELL, Read),
        (CELL_START, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (VELOCITY, ReadWrite),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};
