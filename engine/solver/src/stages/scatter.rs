//! Groups the particles by cell. Shader: `shaders/stages/scatter.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "scatter",
    "stages/scatter.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_PARTICLES),
    &[(PARTICLE_CELL, Read), (CELL_START, Read), (COMMITTED_IDENTITY, Read), (CELL_MEMBER, Write)],
)
.twin("stages/sort.rs");
