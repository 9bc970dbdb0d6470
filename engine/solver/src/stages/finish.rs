//! Closes a substep. Shader: `shaders/stages/finish.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts =
    Facts::new("finish", "stages/finish.comp", Part::UpdateState, Launch::One(1), &[(STATUS, ReadWrite)]);
