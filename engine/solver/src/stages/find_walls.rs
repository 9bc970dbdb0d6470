//! Finds the thin colliders near every particle. Shader: `shaders/stages/find_walls.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); SURFACES.len() + 8] = join(&[
    &SURFACES,
    &[
        (POSITION, Read),
        (POSITION_LOW, Read),
        (IDENTITY, Read),
        (LINKED_PLACE, Read),
        (SHEET_TRIANGLE, Read),
        (SHEET_BOX, Read),
        (WALL, Write),
        (WALLED, Write),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "find_walls",
    "stages/find_walls.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_PARTICLES),
    &ACCESSES,
)
.twin("stages/find_walls.rs");
