//! The Newton solve. Shaders: `shaders/stages/newton_*.comp`.

use super::prelude::*;

const FORCES_ACCESSES: [(AttributeId, Access); 10 + LINKS.len() + 2] = join(&[
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
        (FORCE, ReadWrite),
    ],
    &LINKS,
    &[(IDENTITY, Read), (POSITION_LOW, Read)],
]);

const BLOCKS_ACCESSES: [(AttributeId, Access); FORCES_ACCESSES.len() + 7] = join(&[
    &FORCES_ACCESSES,
    &[
        (GRADIENT_SUM, Read),
        (MEMORY_WEIGHT, Read),
        (IMPULSE_X, Read),
        (IMPULSE_Y, Read),
        (IMPULSE_Z, Read),
        (NEWTON_BLOCK_DIAGONAL, Write),
        (NEWTON_BLOCK_SHEAR, Write),
    ],
]);

/// Opens the solve or a pass of it.
pub const PLAN: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_plan",
        shader: "stages/newton_plan.comp",
        accesses: &[(NEWTON, ReadWrite), (STATUS, ReadWrite), (ARGUMENTS, ReadWrite)],
        indirect: None,
    },
)
.twin("newton/mod.rs");

/// Velocities to begin with.
pub const GUESS: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_guess",
        shader: "stages/newton_guess.comp",
        accesses: &[
            (POSITION, Read),
            (TOUCHING, Read),
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (IDENTITY, Read),
            (AWAKE, Read),
            (INTERNAL_ACCELERATION, Read),
            (VELOCITY_START, Read),
            (VELOCITY, ReadWrite),
            (CONTACT, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("newton/mod.rs");

/// What the next substep guesses from.
pub const KEEP: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_keep",
        shader: "stages/newton_keep.comp",
        accesses: &[
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
            (COMMITTED_INTERNAL_ACCELERATION, Write),
            (CORRECTION_IMPULSE, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("newton/mod.rs");

/// What particles do to their neighbors: forces, with their linearization, or a product.
pub const PASS: Facts = Facts::new(
    Part::SolveInelastic,
    StageDeclaration {
        name: "newton_pass",
        shader: "stages/newton_pass.comp",
        accesses: &[
            (NEIGHBOR_RANGE, Read),
            (PAIR, Read),
            (VELOCITY, Read),
            (STRAIN_DIAGONAL, Read),
            (STRAIN_SHEAR, Read),
            (MEMORY, Read),
            (STATE, Read),
            (HISTORY, Read),
            (IDENTITY, Read),
            (GRADIENT_SUM, Read),
            (MEMORY_RESPONSE, Read),
            (MEMORY_WEIGHT, Read),
            (NEWTON, Read),
            (IMPULSE_X, ReadWrite),
            (IMPULSE_Y, ReadWrite),
            (IMPULSE_Z, ReadWrite),
            (NEWTON_STRESS_DIAGONAL, ReadWrite),
            (NEWTON_STRESS_SHEAR, ReadWrite),
            (PAIR_FORCE, Write),
            (FORCE, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.compiled(pass_variant)
.twin("newton/tangent.rs");

/// Adds that up.
pub const FORCES: Facts = Facts::new(
    Part::SolveInelastic,
    StageDeclaration {
        name: "newton_forces",
        shader: "stages/newton_forces.comp",
        accesses: &FORCES_ACCESSES,
        indirect: Some(ARGUMENTS),
    },
)
.of_links(&[IDENTITY, POSITION_LOW])
.twin("newton/mod.rs");

/// Adds up the blocks of the preconditioner as well, after the first linearization.
pub const BLOCKS: Facts = Facts::new(
    Part::SolveInelastic,
    StageDeclaration { name: "newton_blocks", accesses: &BLOCKS_ACCESSES, ..FORCES.declaration },
)
.of_links(&[IDENTITY, POSITION_LOW])
.compiled(blocks_variant)
.twin("newton/tangent.rs");

/// Reactions of the colliders, and sums over tiles.
pub const SUM: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_sum",
        shader: "stages/newton_sum.comp",
        accesses: &[
            (STATUS, Read),
            (NEWTON, Read),
            (POSITION, Read),
            (VELOCITY, Read),
            (VELOCITY_START, Read),
            (TOUCHING, Read),
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (CONTACT, ReadWrite),
            (FORCE, ReadWrite),
            (NEWTON_BLOCKED, ReadWrite),
            (NEWTON_RESIDUAL, ReadWrite),
            (NEWTON_PRODUCT, ReadWrite),
            (NEWTON_OLDER, Read),
            (PARTIAL, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("newton/conjugate_gradients.rs");

/// Decides what follows a pass.
pub const JUDGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_judge",
        shader: "stages/newton_judge.comp",
        accesses: &[(PARTIAL, Read), (ARGUMENTS, Read), (NEWTON, ReadWrite), (STATUS, ReadWrite)],
        indirect: None,
    },
)
.direct(Threads::Group)
.twin("newton/mod.rs");

/// Carries it out.
pub const UPDATE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "newton_update",
        shader: "stages/newton_update.comp",
        accesses: &[
            (NEWTON, Read),
            (POSITION, Read),
            (TOUCHING, Read),
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (NEWTON_BLOCKED, Read),
            (VELOCITY_START, Read),
            (VELOCITY, ReadWrite),
            (CONTACT, ReadWrite),
            (FORCE, Read),
            (NEWTON_START, ReadWrite),
            (NEWTON_CHANGE, ReadWrite),
            (NEWTON_RESIDUAL, ReadWrite),
            (NEWTON_DIRECTION, ReadWrite),
            (NEWTON_PRODUCT, ReadWrite),
            (NEWTON_OLDER, ReadWrite),
            (NEWTON_BLOCK_DIAGONAL, ReadWrite),
            (NEWTON_BLOCK_SHEAR, ReadWrite),
            (NEWTON_CONTACT, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("newton/relaxation.rs");

fn pass_variant(v: &Variant<'_>) -> Specialization {
    v.rows(1)
}

fn blocks_variant(_: &Variant<'_>) -> Specialization {
    Specialization { defines: vec![("BLOCKS".to_owned(), "1".to_owned())], ..Default::default() }
}
