//! Counts an iteration. Shader: `shaders/stages/count_iteration.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "count_iteration",
    "stages/count_iteration.comp",
    Part::SolveOther,
    Launch::One(1),
    &[(ARGUMENTS, Read), (STATUS, ReadWrite)],
);
