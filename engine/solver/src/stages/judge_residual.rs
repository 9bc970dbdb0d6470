//! Norms of the residuals; ends the iteration below the tolerance. Shader: `shaders/stages/judge_residual.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "judge_residual",
        shader: "stages/judge_residual.comp",
        accesses: &[(PARTIAL, Read), (STATUS, ReadWrite), (ARGUMENTS, ReadWrite)],
        indirect: None,
    },
)
.direct(Threads::Group)
.twin("stages/residual.rs");
