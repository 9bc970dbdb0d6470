//! Contact with analytic colliders. Shader: `shaders/stages/solve_colliders.comp`.

use super::commit::defers;
use super::prelude::*;

const ACCESSES: [(AttributeId, Access); CONTACTS.len() + 5] = join(&[
    &CONTACTS,
    &[
        (IDENTITY, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
        (DEFERRED, ReadWrite),
        (PRECONDITIONER_DIAGONAL, Read),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_colliders",
    "stages/solve_colliders.comp",
    Part::SolveOther,
    Launch::Iterated,
    &ACCESSES,
)
.compiled(|v| Specialization { constants: vec![(9, defers(v.settings).into())], ..Specialization::default() })
.idle(|settings| if defers(settings) { &[] } else { &[DEFERRED, PRECONDITIONER_DIAGONAL] })
.of_links(&[IDENTITY])
.of_few(&[MEMORY])
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_colliders.rs");
