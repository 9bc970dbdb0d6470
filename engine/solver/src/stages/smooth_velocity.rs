//! Velocity smoothing (eq. 20). Shaders: `shaders/stages/velocity_gradient.comp`, `shaders/stages/smooth_velocity.comp`.

use super::prelude::*;
use tuff_scene::Smoothing;

/// What the gradients explain, for a smoothing of the rest.
pub const GRADIENT: Facts = Facts::new(
    Part::Xsph,
    StageDeclaration {
        name: "velocity_gradient",
        shader: "stages/velocity_gradient.comp",
        accesses: &[
            (VELOCITY, Read),
            (NEIGHBOR_RANGE, Read),
            (PAIR, Read),
            (VELOCITY_GRADIENT_X, Write),
            (VELOCITY_GRADIENT_Y, Write),
            (VELOCITY_GRADIENT_Z, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.twin("stages/smooth_velocity.rs");

/// The smoothing.
pub const SMOOTH: Facts = Facts::new(
    Part::Xsph,
    StageDeclaration {
        name: "smooth_velocity",
        shader: "stages/smooth_velocity.comp",
        accesses: &[
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
            (COLLIDER, Read),
            (PROFILE_POINT, Read),
            (VELOCITY_CHANGE, Write),
            (STATUS, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.compiled(variant)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/smooth_velocity.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, matches!(v.settings.smoothing, Smoothing::Noise(_)).into())])
}
