//! Contact with analytic colliders. Shader: `shaders/stages/solve_colliders.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_colliders",
    "stages/solve_colliders.comp",
    Part::SolveOther,
    Launch::Iterated,
    &[
        (POSITION, Read),
        (MEMORY, Read),
        (TOUCHING, Read),
        (COLLIDER, Read),
        (PROFILE_POINT, Read),
        (MESH_NODE, Read),
        (MESH_TRIANGLE, Read),
        (MESH_DRIFT, Read),
        (MESH_NEAR, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
    ],
)
.of_few(&[MEMORY])
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_colliders.rs");
