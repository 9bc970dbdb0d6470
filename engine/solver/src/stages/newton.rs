//! The Newton solve. Shaders: `shaders/stages/newton_*.comp`.

use super::prelude::*;
use super::sheets::BY_PARTICLE;

const FORCES_ACCESSES: [(AttributeId, Access); 10 + LINKS.len() + BY_PARTICLE.len() + 3] = join(&[
    &[
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (REVERSE, Read),
        (PAIR_FORCE, Read),
        (POSITION, Read),
        (VELOCITY, Read),
        (NEWTON, Read),
        (NEWTON_START, Read),
        (NEWTON_STRESS_DIAGONAL, Read),
        (BALANCE, ReadWrite),
    ],
    &LINKS,
    &BY_PARTICLE,
    &[(MEETING, Read), (IDENTITY, Read), (POSITION_LOW, Read)],
]);

const BLOCKS_ACCESSES: [(AttributeId, Access); FORCES_ACCESSES.len() + 7] = join(&[
    &FORCES_ACCESSES,
    &[
        (GRADIENT_SUM, Read),
        (MEMORY_WEIGHT, Read),
        (TANGENT_X, Read),
        (TANGENT_Y, Read),
        (TANGENT_Z, Read),
        (NEWTON_BLOCK_DIAGONAL, Write),
        (NEWTON_BLOCK_SHEAR, Write),
    ],
]);

/// Opens the solve or one of its passes.
pub const PLAN: Facts = Facts::new(
    "newton_plan",
    "stages/newton_plan.comp",
    Part::SolveOther,
    Launch::One(1),
    &[(NEWTON, ReadWrite), (STATUS, ReadWrite), (ARGUMENTS, ReadWrite)],
)
.twin("newton/mod.rs");

const GUESS_ACCESSES: [(AttributeId, Access); CONTACTS.len() + 6] = join(&[
    &CONTACTS,
    &[
        (IDENTITY, Read),
        (AWAKE, Read),
        (INTERNAL_ACCELERATION, Read),
        (VELOCITY_START, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
    ],
]);

/// Sets the initial velocities.
pub const GUESS: Facts = Facts::new(
    "newton_guess",
    "stages/newton_guess.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_ITERATE),
    &GUESS_ACCESSES,
)
.of_few(&[MEMORY])
.looked_at(&[(VELOCITY, "velocity")])
.twin("newton/mod.rs");

/// Stores the internal acceleration and the springs on which a particle rests, for the guess of the next substep.
pub const KEEP: Facts = Facts::new(
    "newton_keep",
    "stages/newton_keep.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (NEWTON_STRESS_DIAGONAL, Read),
        (TOUCHING, Read),
        (CONTACT, Read),
        (IDENTITY, Read),
        (AWAKE, Read),
        (VELOCITY, Read),
        (VELOCITY_START, Read),
        (POSITION_LOW, Read),
        (MEETING, Read),
        (MEETING_NUMBERS, Read),
        (MEETING_SPOT, Read),
        (COLLIDER, Read),
        (MEETING_FIRST, Read),
        (MEETING_NEXT, Read),
        (COMMITTED_INTERNAL_ACCELERATION, Write),
        (DEFERRED, Write),
        (PRECONDITIONER_DIAGONAL, ReadWrite),
        (PRECONDITIONER_SHEAR, ReadWrite),
    ],
)
.twin("newton/mod.rs");

const PASS_ACCESSES: [(AttributeId, Access); 3 + MATTER.len() + 11] = join(&[
    &[(NEIGHBOR_RANGE, Read), (PAIR, Read), (VELOCITY, Read)],
    &MATTER,
    &[
        (GRADIENT_SUM, Read),
        (MEMORY_RESPONSE, Read),
        (MEMORY_WEIGHT, Read),
        (NEWTON, Read),
        (TANGENT_X, ReadWrite),
        (TANGENT_Y, ReadWrite),
        (TANGENT_Z, ReadWrite),
        (NEWTON_STRESS_DIAGONAL, ReadWrite),
        (NEWTON_STRESS_SHEAR, ReadWrite),
        (PAIR_FORCE, Write),
        (BALANCE, Write),
    ],
]);

/// Computes the impulses of particles on their neighbors: forces, with their linearization, or a product.
pub const PASS: Facts = Facts::new(
    "newton_pass",
    "stages/newton_pass.comp",
    Part::SolveInelastic,
    Launch::Sized(ARGUMENTS_ITERATE),
    &PASS_ACCESSES,
)
.compiled(pass_variant)
.twin("newton/tangent.rs");

/// Adds up the impulses on each particle.
pub const FORCES: Facts = Facts::new(
    "newton_forces",
    "stages/newton_forces.comp",
    Part::SolveInelastic,
    Launch::Sized(ARGUMENTS_ITERATE),
    &FORCES_ACCESSES,
)
.of_links(&[IDENTITY, POSITION_LOW])
.of_few(&[MEETING, MEETING_FIRST, MEETING_NEXT, MEETING_PUSH])
.twin("newton/mod.rs");

/// As [`FORCES`]; also adds up the blocks of the preconditioner after the first linearization.
pub const BLOCKS: Facts = Facts::new(
    "newton_blocks",
    "stages/newton_forces.comp",
    Part::SolveInelastic,
    Launch::Sized(ARGUMENTS_ITERATE),
    &BLOCKS_ACCESSES,
)
.of_links(&[IDENTITY, POSITION_LOW])
.of_few(&[MEETING, MEETING_FIRST, MEETING_NEXT, MEETING_PUSH])
.compiled(blocks_variant)
.twin("newton/tangent.rs");

const SUM_ACCESSES: [(AttributeId, Access); CONTACTS.len() + 13] = join(&[
    &CONTACTS,
    &[
        (IDENTITY, Read),
        (STATUS, Read),
        (NEWTON, Read),
        (VELOCITY, Read),
        (VELOCITY_START, Read),
        (ADDED_VELOCITY, Read),
        (CONTACT, ReadWrite),
        (BALANCE, ReadWrite),
        (NEWTON_BLOCKED, ReadWrite),
        (NEWTON_RESIDUAL, ReadWrite),
        (NEWTON_PRODUCT, ReadWrite),
        (NEWTON_OLDER, Read),
        (PARTIAL, Write),
    ],
]);

/// Sets the reactions of the colliders, and sums over tiles.
pub const SUM: Facts = Facts::new(
    "newton_sum",
    "stages/newton_sum.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_SUMS),
    &SUM_ACCESSES,
)
.of_links(&[IDENTITY])
.of_few(&[MEMORY, ADDED_VELOCITY])
.compiled(sum_variant)
.twin("newton/conjugate_gradients.rs");

/// Decides what follows a pass.
pub const JUDGE: Facts = Facts::new(
    "newton_judge",
    "stages/newton_judge.comp",
    Part::SolveOther,
    Launch::One(64),
    &[
        (PARTIAL, Read),
        (ARGUMENTS, Read),
        (RIGID, Read),
        (RIGID_LOAD, Read),
        (NEWTON, ReadWrite),
        (STATUS, ReadWrite),
    ],
)
.twin("newton/mod.rs");

const UPDATE_ACCESSES: [(AttributeId, Access); CONTACTS.len() + 19] = join(&[
    &CONTACTS,
    &[
        (NEWTON, Read),
        (NEWTON_BLOCKED, Read),
        (VELOCITY_START, Read),
        (ADDED_VELOCITY, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
        (BALANCE, Read),
        (NEWTON_START, ReadWrite),
        (NEWTON_CHANGE, ReadWrite),
        (NEWTON_RESIDUAL, ReadWrite),
        (NEWTON_DIRECTION, ReadWrite),
        (NEWTON_PRODUCT, ReadWrite),
        (NEWTON_OLDER, ReadWrite),
        (NEWTON_BLOCK_DIAGONAL, ReadWrite),
        (NEWTON_BLOCK_SHEAR, ReadWrite),
        (NEWTON_CONTACT, ReadWrite),
        (IDENTITY, Read),
        (BODY_MODE, Read),
        (RIGID_MODE, Read),
    ],
]);

/// Carries out the decision.
pub const UPDATE: Facts = Facts::new(
    "newton_update",
    "stages/newton_update.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_ITERATE),
    &UPDATE_ACCESSES,
)
.of_few(&[MEMORY, ADDED_VELOCITY, IDENTITY])
.twin("newton/relaxation.rs");

const HOLD_ACCESSES: [(AttributeId, Access); CONTACTS.len() + 5] = join(&[
    &CONTACTS,
    &[
        (NEWTON, Read),
        (PRECONDITIONER_DIAGONAL, Read),
        (VELOCITY, ReadWrite),
        (CONTACT, ReadWrite),
        (LAST_MOVE, ReadWrite),
    ],
]);

/// Lets contacts act on a move once more, after rigid bodies have responded to it.
pub const HOLD: Facts = Facts::new(
    "newton_hold",
    "stages/newton_hold.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_ITERATE),
    &HOLD_ACCESSES,
)
.of_few(&[MEMORY])
.twin("stages/solve_colliders.rs");

fn pass_variant(v: &Variant<'_>) -> Specialization {
    v.rows(1)
}

fn sum_variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.sharers())])
}

fn blocks_variant(_: &Variant<'_>) -> Specialization {
    Specialization { defines: vec![("BLOCKS".to_owned(), "1".to_owned())], ..Default::default() }
}
