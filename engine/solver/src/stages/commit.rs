//! New strain, material state, memory and position (eq. 22). Shader: `shaders/stages/commit.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "commit",
    shader: "stages/commit.comp",
    accesses: &[
        (POSITION, Read),
        (POSITION_LOW, Read),
        (VELOCITY, Read),
        (STRAIN_DIAGONAL, Read),
        (STRAIN_SHEAR, Read),
        (MEMORY, Read),
        (STATE, Read),
        (IDENTITY, Read),
        (TOUCHING, Read),
        (COLLIDER, Read),
        (PROFILE_POINT, Read),
        (HISTORY, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (MEMORY_WEIGHT, Read),
        (PACKING_LIMIT, Read),
        (COMMITTED_INTERNAL_ACCELERATION, ReadWrite),
        (COMMITTED_POSITION, Write),
        (COMMITTED_POSITION_LOW, Write),
        (COMMITTED_VELOCITY, Write),
        (COMMITTED_STRAIN_DIAGONAL, Write),
        (COMMITTED_STRAIN_SHEAR, Write),
        (COMMITTED_MEMORY, Write),
        (COMMITTED_STATE, Write),
        (COMMITTED_IDENTITY, Write),
        (COMMITTED_HISTORY, Write),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};
