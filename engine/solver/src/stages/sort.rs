//! Moves the particles into the order (cell, id). Shader: `shaders/stages/sort.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "sort",
    shader: "stages/sort.comp",
    accesses: &[
        (PARTICLE_CELL, Read),
        (CELL_START, Read),
        (CELL_MEMBER, Read),
        (COMMITTED_POSITION, Read),
        (COMMITTED_POSITION_LOW, Read),
        (COMMITTED_VELOCITY, Read),
        (COMMITTED_STRAIN_DIAGONAL, Read),
        (COMMITTED_STRAIN_SHEAR, Read),
        (COMMITTED_MEMORY, Read),
        (COMMITTED_STATE, Read),
        (COMMITTED_IDENTITY, Read),
        (COMMITTED_HISTORY, Read),
        (COMMITTED_INTERNAL_ACCELERATION, Read),
        (POSITION, Write),
        (KERNEL_WEIGHT, Write),
        (METRIC_DIAGONAL, Write),
        (METRIC_SHEAR, Write),
        (POSITION_LOW, Write),
        (VELOCITY, Write),
        (STRAIN_DIAGONAL, Write),
        (STRAIN_SHEAR, Write),
        (MEMORY, Write),
        (STATE, Write),
        (IDENTITY, Write),
        (HISTORY, Write),
        (INTERNAL_ACCELERATION, Write),
    ],
    indirect: Some(ARGUMENTS),
};
