//! Sizes the neighbor search. Shader: `shaders/stages/plan_search.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "plan_search",
    shader: "stages/plan_search.comp",
    accesses: &[(COLOR_COUNT, Read), (ARGUMENTS, Write)],
    indirect: None,
};
