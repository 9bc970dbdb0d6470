//! Contact with analytic colliders. Shader: `shaders/stages/solve_colliders.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "solve_colliders",
        shader: "stages/solve_colliders.comp",
        accesses: &[
            (POSITION, Read),
            (TOUCHING, Read),
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (VELOCITY, ReadWrite),
            (CONTACT, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_colliders.rs");
