//! Counts an iteration. Shader: `shaders/stages/count_iteration.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "count_iteration",
        shader: "stages/count_iteration.comp",
        accesses: &[(ARGUMENTS, Read), (STATUS, ReadWrite)],
        indirect: None,
    },
);
