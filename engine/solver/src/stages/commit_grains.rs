//! New positions of grains. Shader: `shaders/stages/commit_grains.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "commit_grains",
    shader: "stages/commit_grains.comp",
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
        (NEIGHBOR_RANGE, Read),
        (COLLIDER, Read),
        (PROFILE_POINT, Read),
        (COMMITTED_POSITION, Write),
        (COMMITTED_POSITION_LOW, Write),
        (COMMITTED_VELOCITY, Write),
        (COMMITTED_STRAIN_DIAGONAL, Write),
        (COMMITTED_STRAIN_SHEAR, Write),
        (COMMITTED_MEMORY, Write),
        (COMMITTED_STATE, Write),
        (COMMITTED_IDENTITY, Write),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};
