//! Contact with analytic colliders. Shader: `shaders/stages/solve_colliders.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); CONTACTS.len() + 2] =
    join(&[&CONTACTS, &[(VELOCITY, ReadWrite), (CONTACT, ReadWrite)]]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_colliders",
    "stages/solve_colliders.comp",
    Part::SolveOther,
    Launch::Iterated,
    &ACCESSES,
)
.of_few(&[MEMORY])
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_colliders.rs");
