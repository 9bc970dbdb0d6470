//! Opens a substep: sizes the dispatches over particles, or empties them after a failure. Shader: `shaders/stages/begin.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "begin",
    "stages/begin.comp",
    Part::NeighborSearch,
    Launch::One(1),
    &[(STATUS, ReadWrite), (ARGUMENTS, Write), (COLOR_COUNT, Write), (SIZE_CLASS, Write)],
);
