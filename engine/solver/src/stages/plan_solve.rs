//! Sizes the stages that follow the search. Shader: `shaders/stages/plan_solve.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "plan_solve",
    shader: "stages/plan_solve.comp",
    accesses: &[(COLOR_COUNT, Read), (STATUS, ReadWrite), (ARGUMENTS, Write)],
    indirect: None,
};
