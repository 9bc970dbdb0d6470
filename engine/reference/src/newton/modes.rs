//! Rigid modes of stiff bodies: the translations and rotations in which the preconditioner lets a body follow the sum of its forces.
//!
//! Blocks alone move each particle against neighbors that stand still. In soft matter the error is small, but an impulse on a stiff body
//! would take as many moves as its blocks are heavier than its particles, and the tolerance ends the solve long before.

use glam::{DMat3, DVec3};
use tuff_problem::thresholds::LEAST_GYRATION;

use super::contact::Blocked;
use crate::context::Context;
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::tensor::outer;

/// Bodies with rigid modes.
pub struct Modes(Vec<Body>);

/// A body at the start of the substep.
struct Body {
    index: u32,
    mass: f64,
    center: DVec3,
    inverse_inertia: DMat3,
}

/// Velocity and angular velocity of every body with rigid modes.
pub struct Motions<'a>(Vec<(&'a Body, DVec3, DVec3)>);

impl Modes {
    /// Returns the rigid modes of the bodies that are stiff to others.
    pub fn new<S: Scalar>(context: &Context, state: &State<S>) -> Self {
        let modes = std::iter::zip(context.contrast.modes(), 0..).filter(|(mode, _)| mode.is_some());
        Self(modes.map(|(_, index)| Body::new(context, state, index)).collect())
    }

    /// Returns the motions that the impulses `force` [N s] give to the bodies; none to a body with particles that a contact or a pin blocks.
    pub fn motions<S: Scalar>(
        &self,
        state: &State<S>,
        blocked: &[Blocked],
        force: impl Fn(usize) -> DVec3 + Send + Sync,
    ) -> Motions<'_> {
        Motions(self.0.iter().map(|body| body.motion(state, blocked, &force)).collect())
    }
}

impl Motions<'_> {
    /// Returns the velocity change of a particle of `body` at a position [m/s].
    pub fn at(&self, body: u32, position: DVec3) -> DVec3 {
        let own = self.0.iter().find(|(own, ..)| own.index == body);
        own.map_or(DVec3::ZERO, |(own, velocity, turning)| *velocity + turning.cross(position - own.center))
    }
}

impl Body {
    fn new<S: Scalar>(context: &Context, state: &State<S>, index: u32) -> Self {
        let count = state.particle_count();
        let mass = |p: usize| if state.body[p] == index { state.mass[p] } else { 0.0 };
        let [x, y, z, sum] = parallel::sums(count, |p| {
            let (m, at) = (mass(p), state.position[p]);
            [m * at.x, m * at.y, m * at.z, m]
        });
        let center = DVec3::new(x, y, z) / sum;
        let squares = parallel::sums(count, |p| {
            let (m, arm) = (mass(p), state.position[p] - center);
            (m * (arm.length_squared() * DMat3::IDENTITY - outer(arm, arm))).to_cols_array()
        });
        let least = LEAST_GYRATION * context.radius().powi(2) * sum;
        let inertia = DMat3::from_cols_array(&squares) + least * DMat3::IDENTITY;
        Self { index, mass: sum, center, inverse_inertia: inertia.inverse() }
    }

    fn motion<S: Scalar>(
        &self,
        state: &State<S>,
        blocked: &[Blocked],
        force: &(impl Fn(usize) -> DVec3 + Send + Sync),
    ) -> (&Self, DVec3, DVec3) {
        let [x, y, z, about_x, about_y, about_z, held] = parallel::sums(state.particle_count(), |p| {
            if state.body[p] != self.index {
                return [0.0; 7];
            }
            let push = force(p);
            let moment = (state.position[p] - self.center).cross(push);
            [push.x, push.y, push.z, moment.x, moment.y, moment.z, f64::from(u8::from(blocked[p].blocks()))]
        });
        if held > 0.0 || self.mass <= 0.0 {
            return (self, DVec3::ZERO, DVec3::ZERO);
        }
        let turning = self.inverse_inertia * DVec3::new(about_x, about_y, about_z);
        (self, DVec3::new(x, y, z) / self.mass, turning)
    }
}
