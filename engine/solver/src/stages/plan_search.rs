//! Sizes the neighbor search and shares out the lists of the colors. Shader: `shaders/stages/plan_search.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "plan_search",
    shader: "stages/plan_search.comp",
    accesses: &[(COLOR_COUNT, ReadWrite), (SIZE_CLASS, ReadWrite), (ARGUMENTS, Write)],
    indirect: None,
};
