//! Adds the forces of surface tension to the predicted velocities. Shader: `shaders/stages/pull_surface.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); SURFACES.len() + AROUND.len() + 5] = join(&[
    &SURFACES,
    &AROUND,
    &[
        (TOUCHING, Read),
        (LACK, Read),
        (VELOCITY_START, Read),
        (VELOCITY, ReadWrite),
        (ADDED_VELOCITY, ReadWrite),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "pull_surface",
    "stages/pull_surface.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &ACCESSES,
)
.compiled(|v| Specialization { sources: v.pores().chain(v.tension()).collect(), ..v.with(&[]) })
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/pull_surface.rs");
