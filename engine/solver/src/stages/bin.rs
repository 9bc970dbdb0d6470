//! Counts the particles of each cell. Shader: `shaders/stages/bin.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "bin",
        shader: "stages/bin.comp",
        accesses: &[(COMMITTED_POSITION, Read), (PARTICLE_CELL, Write), (CELL_COUNT, ReadWrite)],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/bin.rs");
