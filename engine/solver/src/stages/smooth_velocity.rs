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
        (VELOCITY_CHANGE, Write),
    ],
    indirect: Some(ARGUMENTS),
};
