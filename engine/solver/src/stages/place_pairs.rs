//! Gives every particle its range of pair records. Shader: `shaders/stages/place_pairs.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "place_pairs",
    shader: "stages/place_pairs.comp",
    accesses: &[(NEIGHBOR_START, Read), (NEIGHBOR_RANGE, ReadWrite), (STATUS, ReadWrite)],
    indirect: Some(ARGUMENTS),
};
