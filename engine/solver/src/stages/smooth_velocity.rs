//! Velocity smoothing (eq. 20). Shaders: `shaders/stages/velocity_gradient.comp`, `shaders/stages/smooth_velocity.comp`.

use super::prelude::*;
use tuff_scene::Smoothing;

/// Velocity gradients, for a smoothing of the velocities that they do not explain.
pub const GRADIENT: Facts = Facts::new(
    "velocity_gradient",
    "stages/velocity_gradient.comp",
    Part::Xsph,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (VELOCITY, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (VELOCITY_GRADIENT_X, Write),
        (VELOCITY_GRADIENT_Y, Write),
        (VELOCITY_GRADIENT_Z, Write),
    ],
)
.twin("stages/smooth_velocity.rs");

const SMOOTH_ACCESSES: [(AttributeId, Access); SURFACES.len() + 15] = join(&[
    &SURFACES,
    &[
        (POSITION, Read),
        (VELOCITY, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (VELOCITY_GRADIENT_X, Read),
        (VELOCITY_GRADIENT_Y, Read),
        (VELOCITY_GRADIENT_Z, Read),
        (STRAIN_DIAGONAL, Read),
        (STRAIN_SHEAR, Read),
        (TOUCHING, Read),
        (IDENTITY, Read),
        (AWAKE, Read),
        (NEWTON_RESIDUAL, Read),
        (VELOCITY_CHANGE, Write),
        (STATUS, ReadWrite),
    ],
]);

/// The smoothing.
pub const SMOOTH: Facts = Facts::new(
    "smooth_velocity",
    "stages/smooth_velocity.comp",
    Part::Xsph,
    Launch::Sized(ARGUMENTS_SOLVE),
    &SMOOTH_ACCESSES,
)
.compiled(variant)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/smooth_velocity.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    let noise = matches!(v.settings.smoothing, Smoothing::Noise(_));
    v.with(&[(0, noise.into()), (1, v.settings.newton().into())])
}
