//! Finds the thin colliders near every particle. Shader: `shaders/stages/find_walls.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "find_walls",
    "stages/find_walls.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_PARTICLES),
    &[
        (POSITION, Read),
        (COLLIDER, Read),
        (PROFILE_POINT, Read),
        (MESH_NODE, Read),
        (MESH_TRIANGLE, Read),
        (MESH_DRIFT, Read),
        (WALL, Write),
        (WALLED, Write),
    ],
)
.twin("stages/find_walls.rs");
