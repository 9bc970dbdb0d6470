//! Where neighbors have a particle in their lists. Shader: `shaders/stages/reverse_pairs.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "reverse_pairs",
        shader: "stages/reverse_pairs.comp",
        accesses: &[(NEIGHBOR_RANGE, Read), (PAIR, Read), (REVERSE, Write)],
        indirect: Some(ARGUMENTS),
    },
);
