//! Closes a substep. Shader: `shaders/stages/finish.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::UpdateState,
    StageDeclaration {
        name: "finish",
        shader: "stages/finish.comp",
        accesses: &[(STATUS, ReadWrite)],
        indirect: None,
    },
);
