//! Contact with cloth: points against triangles and edges against edges (engine/solver/METHOD.md "Cloth").
//!
//! Which parts may meet is listed once per substep. Whether they do, and where, follows from the velocities that the state holds.

mod list;
mod obstacle;
mod push;

pub use list::{add_walls, list};
pub use obstacle::{on_obstacles, resistances};
pub use push::{Push, add_blocks, add_forces, add_product, displace, look, solve, touched};

use glam::DVec3;
use tuff_problem::links::NO_MEMBER;
use tuff_problem::{Approach, Meeting, SHEET_MEMBERS};

use self::obstacle::Spot;
use crate::context::Step;
use crate::scalar::Scalar;
use crate::state::State;

/// Parts that may meet in a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// What meets.
    pub meeting: Meeting,
    /// Place in the order in which contacts act one after the other ([`meeting_key`](tuff_problem::meeting_key)).
    pub key: [u32; 2],
    /// Indices of the members; [`NO_MEMBER`] for a place on a collider.
    pub members: [u32; SHEET_MEMBERS],
    /// The place on a collider that is the first member.
    pub spot: Option<Spot>,
    /// Distance that they keep at rest [m].
    pub gap: f64,
    /// Distance that this substep keeps [m]: the gap, or less if they were nearer at its start.
    pub least: f64,
    /// Stiffness in the force balance [N/m].
    pub stiffness: f64,
    /// Coulomb's coefficient [dimensionless].
    pub friction: f64,
    /// Load by which friction counts [N s].
    pub bears: f64,
    /// Largest part of the matrix of the force balance that it may have [kg].
    pub bound: f64,
    /// What rows have given to a member of weight 1 in the substep [N s].
    pub given: DVec3,
}

impl Candidate {
    /// Returns values of the members, `other` for a place on a collider.
    fn of<T: Copy>(&self, values: &[T], other: T) -> [T; SHEET_MEMBERS] {
        self.members.map(|p| if p == NO_MEMBER { other } else { values[p as usize] })
    }

    /// Returns where the members start [m].
    fn start<S: Scalar>(&self, state: &State<S>) -> [DVec3; SHEET_MEMBERS] {
        self.of(&state.position, self.spot.map_or(DVec3::ZERO, |spot| spot.start))
    }

    /// Returns the velocities of the members [m/s].
    fn velocity<S: Scalar>(&self, step: Step, state: &State<S>) -> [DVec3; SHEET_MEMBERS] {
        self.of(&state.velocity, self.spot.map_or(DVec3::ZERO, |spot| spot.velocity(step, state)))
    }

    /// Returns the inverse masses of the members [1/kg]: contacts do not move colliders, and rigid bodies respond to them afterwards.
    fn inverse_mass<S: Scalar>(&self, state: &State<S>) -> [f64; SHEET_MEMBERS] {
        self.of(&state.inverse_mass, 0.0)
    }

    /// Adds what a change of the relative motion makes of `values` of the members, by their weights and inverse masses [1/kg].
    fn spread(
        &self,
        weights: [f64; SHEET_MEMBERS],
        inverse_masses: [f64; SHEET_MEMBERS],
        change: DVec3,
        values: &mut [DVec3],
    ) {
        for ((&p, weight), inverse) in std::iter::zip(&self.members, weights).zip(inverse_masses) {
            if p != NO_MEMBER {
                values[p as usize] += inverse * weight * change;
            }
        }
    }

    /// Returns how the parts approach each other with the velocities that the state holds.
    fn approach<S: Scalar>(&self, step: Step, state: &State<S>) -> Option<Approach> {
        let (start, velocity) = (self.start(state), self.velocity(step, state));
        let end = std::array::from_fn(|i| start[i] + step.dt * velocity[i]);
        self.meeting.approach(&start, &end)
    }
}

/// Returns `sum w_i x_i` of members with these weights.
fn weighted(weights: &[f64; SHEET_MEMBERS], x: &[DVec3; SHEET_MEMBERS]) -> DVec3 {
    std::iter::zip(weights, x).map(|(weight, x)| *weight * *x).sum()
}
