//! Predicts velocities, finds contact candidates, and resets multipliers. Shader: `shaders/stages/predict_velocity.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); SURFACES.len() + 17] = join(&[
    &SURFACES,
    &[
        (POSITION, Read),
        (IDENTITY, Read),
        (MEMORY, Read),
        (MESH_NEAR, ReadWrite),
        (PIN, Read),
        (VELOCITY_START, Write),
        (VELOCITY_CHANGE, Write),
        (IMPULSE_X, Write),
        (IMPULSE_Y, Write),
        (IMPULSE_Z, Write),
        (MULTIPLIER, Write),
        (CORRECTION_IMPULSE, Write),
        (TOUCHING, Write),
        (CONTACT, Write),
        (VELOCITY, ReadWrite),
        (AWAKE, ReadWrite),
        (STATUS, ReadWrite),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "predict_velocity",
    "stages/predict_velocity.comp",
    Part::CollisionDetection,
    Launch::Sized(ARGUMENTS_SOLVE),
    &ACCESSES,
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/predict_velocity.rs");
