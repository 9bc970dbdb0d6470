//! Position correction by distance after a Newton solve, in rounds over all pairs at once (eq. 21). Shaders:
//! `shaders/stages/push_apart.comp`, `apply_pushes.comp`.

use super::prelude::*;

/// Sums the pushes of too-close pairs on their particles.
pub const PUSH: Facts = Facts::new(
    "push_apart",
    "stages/push_apart.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (VELOCITY, Read),
        (DEFERRED, Read),
        (VELOCITY_CHANGE, Write),
        (STATUS, ReadWrite),
    ],
)
.twin("stages/push_apart.rs");

const APPLY_ACCESSES: [(AttributeId, Access); CONTACTS.len() + 6] = join(&[
    &CONTACTS,
    &[
        (VELOCITY_CHANGE, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
        (DEFERRED, ReadWrite),
        (PRECONDITIONER_DIAGONAL, Read),
        (IDENTITY, Read),
    ],
]);

/// Ends a round: applies the velocity changes, then the colliders.
pub const APPLY: Facts = Facts::new(
    "apply_pushes",
    "stages/apply_pushes.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_SOLVE),
    &APPLY_ACCESSES,
)
.of_links(&[IDENTITY])
.of_few(&[MEMORY, PRECONDITIONER_DIAGONAL])
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/push_apart.rs");
