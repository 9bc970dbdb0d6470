//! Computes the norms of the residuals; ends the iteration below the tolerance. Shader: `shaders/stages/judge_residual.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "judge_residual",
    "stages/judge_residual.comp",
    Part::SolveOther,
    Launch::One(64),
    &[(PARTIAL, Read), (STATUS, ReadWrite), (ARGUMENTS, ReadWrite)],
)
.twin("stages/residual.rs");
