//! Finds each particle in the lists of its neighbors. Shader: `shaders/stages/reverse_pairs.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "reverse_pairs",
    "stages/reverse_pairs.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[(NEIGHBOR_RANGE, Read), (PAIR, Read), (REVERSE, Write)],
)
.twin("stages/reverse_pairs.rs");
