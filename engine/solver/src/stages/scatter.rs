//! Groups the particles by cell. Shader: `shaders/stages/scatter.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "scatter",
        shader: "stages/scatter.comp",
        accesses: &[
            (PARTICLE_CELL, Read),
            (CELL_START, Read),
            (COMMITTED_IDENTITY, Read),
            (CELL_MEMBER, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/sort.rs");
