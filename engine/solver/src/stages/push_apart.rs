//! Position correction by distance after a Newton solve, in rounds over all pairs at once (eq. 21). Shaders:
//! `shaders/stages/push_apart.comp`, `apply_pushes.comp`.

use super::prelude::*;

/// What pairs that would come too near do to their particles.
pub const PUSH: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "push_apart",
        shader: "stages/push_apart.comp",
        accesses: &[
            (NEIGHBOR_RANGE, Read),
            (PAIR, Read),
            (POSITION, Read),
            (VELOCITY, Read),
            (CORRECTION_IMPULSE, Read),
            (VELOCITY_CHANGE, Write),
            (STATUS, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/push_apart.rs");

/// The end of a round: velocities, then colliders.
pub const APPLY: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "apply_pushes",
        shader: "stages/apply_pushes.comp",
        accesses: &[
            (POSITION, Read),
            (TOUCHING, Read),
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (VELOCITY_CHANGE, Read),
            (VELOCITY, ReadWrite),
            (CONTACT, ReadWrite),
            (CORRECTION_IMPULSE, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/push_apart.rs");
