//! Velocity smoothing (eq. 20). Shader: `shaders/stages/smooth_velocity.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "smooth_velocity",
    shader: "stages/smooth_velocity.comp",
    accesses: &[
        (POSITION, Read),
        (VELOCITY, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (STRAIN_DIAGONAL, Read),
        (STRAIN_SHEAR, Read),
        (TOUCHING, Read),
        (COLLIDER, Read),
        (PROFILE_POINT, Read),
        (VELOCITY_CHANGE, Write),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};
