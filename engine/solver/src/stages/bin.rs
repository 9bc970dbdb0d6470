//! Counts the particles of each cell. Shader: `shaders/stages/bin.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "bin",
    "stages/bin.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_PARTICLES),
    &[(COMMITTED_POSITION, Read), (PARTICLE_CELL, Write), (CELL_COUNT, ReadWrite)],
)
.twin("stages/bin.rs");
