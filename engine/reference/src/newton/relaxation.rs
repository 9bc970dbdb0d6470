//! Relaxation of the force balance: every particle moves by its own imbalance over its diagonal block, all at once, accelerated
//! by the effect of the last two moves on the imbalance (Anderson 1965; type II of Fang and Saad 2009, depth 2).
//!
//! A few grains at kinks of their law hold nearly all of the imbalance that a Newton step of sand leaves. They need many cheap
//! evaluations of the law, and no linear solve.

use glam::{DMat3, DVec3};
use tuff_problem::newton::{COLLINEAR_SINE_SQUARED, LOADED_FRICTION};
use tuff_problem::thresholds::{DAMPING, DEFERRING_FROM, DEFERRING_TO, EASING_FROM, EASING_TO};

use super::Evaluation;
use super::contact::Blocked;
use super::modes::Modes;
use super::tangent::{Tangents, blocks, traces};
use crate::clock::{Loop, timed};
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::{Contacts, State};
use crate::tensor::trace;

/// Diagonal blocks of the matrix, inverted.
pub struct Preconditioner {
    /// Inverse blocks of the first linearization of a substep [1/kg].
    pub inverse: Vec<DMat3>,
    /// Traces of the blocks themselves [kg].
    pub traces: Vec<f64>,
    /// Fraction of an impulse on a particle that changes its velocity at once.
    pub ease: Vec<f64>,
    /// Means of the diagonals of the blocks [kg].
    pub resistance: Vec<f64>,
    /// Rigid modes of stiff bodies.
    pub modes: Modes,
}

impl Preconditioner {
    /// Creates the preconditioner from the given linearization.
    pub fn new<S: Scalar>(context: &Context, step: Step, state: &State<S>, tangents: &[Tangents]) -> Self {
        let blocks = blocks(context, step, state, tangents);
        let inverse = parallel::map(blocks.len(), |p| blocks[p].inverse());
        Self {
            ease: parallel::map(blocks.len(), |p| {
                eased(state.mass[p] * trace(inverse[p]) / 3.0, EASING_FROM, EASING_TO)
            }),
            inverse,
            traces: blocks.iter().map(|b| trace(*b)).collect(),
            modes: Modes::new(context, state),
            resistance: blocks.iter().map(|b| trace(*b) / 3.0).collect(),
        }
    }
}

impl Preconditioner {
    /// Returns what particles follow at once after the solve: of a push, among bodies of different stiffness, their mass over their block,
    /// elsewhere as of any impulse.
    pub fn followed<S: Scalar>(self, context: &Context, state: &State<S>) -> Followed {
        let share = |p: usize| state.mass[p] * trace(self.inverse[p]) / 3.0;
        let count = self.inverse.len();
        let contacts = parallel::map(count, |p| match context.classes.class(state.body[p]).is_linked() {
            true => 1.0, // the stiffness of links strains no matter
            false => eased(share(p), DEFERRING_FROM, DEFERRING_TO),
        });
        let pushes = if context.contrast.is_any() { parallel::map(count, share) } else { self.ease };
        Followed { pushes, contacts }
    }
}

/// Fractions of impulses on single particles that they follow within the substep, shapes [particle_count].
pub struct Followed {
    /// Of pushes of too-close pairs.
    pub pushes: Vec<f64>,
    /// Of impulses of colliders.
    pub contacts: Vec<f64>,
}

impl Followed {
    /// Returns fractions of 1.
    pub fn all(count: usize) -> Self {
        Self { pushes: vec![1.0; count], contacts: vec![1.0; count] }
    }
}

/// Returns the fraction of an impulse on a particle that changes its velocity at once, from its mass over its block: all of it as long as
/// the block is less than `from` masses, since the neighbors follow, and its share if it is more than `to`.
fn eased(share: f64, from: f64, to: f64) -> f64 {
    if share * from >= 1.0 {
        return 1.0; // as most matter, without the cost of a power
    }
    let stiff = (share * from).ln() / (from / to).ln();
    share.powf(stiff.clamp(0.0, 1.0))
}

/// Returns the move `own` of a particle, shortened along the direction s in which it slips: as it slips, the matter around it changes
/// the load on the contact, and friction follows. With D the block, n the normal and mu the friction, motion along s meets the resistance
/// `s . D s + mu n . D s` rather than `s . D s`. Where it would be less, the move stays as it is, and so it does where a contact may pull.
fn loaded(own: DVec3, blocked: &Blocked, contacts: &Contacts, inverse_block: &DMat3) -> DVec3 {
    let Some(normal) = blocked.only() else { return own };
    if contacts.pull[..contacts.count].iter().any(|&pull| pull != 0.0) {
        return own;
    }
    let change = contacts.total();
    let load = change.dot(normal);
    let held = change - load * normal;
    let size = held.length();
    if load <= 0.0 || size <= LOADED_FRICTION * load {
        return own;
    }
    let slip = -held / size;
    let response = inverse_block.inverse() * slip;
    let gain = size / load * normal.dot(response) / slip.dot(response);
    if gain > 0.0 { own - gain / (1.0 + gain) * own.dot(slip) * slip } else { own }
}

/// A move: change of the velocities [m/s] and of the imbalance [N s].
struct Move {
    velocity: Vec<DVec3>,
    imbalance: Vec<DVec3>,
}

/// The last moves, latest first.
#[derive(Default)]
pub struct Relaxation {
    moves: Vec<Move>,
    start: Option<(Vec<DVec3>, Vec<DVec3>)>,
}

impl Relaxation {
    /// Changes the velocities; blocks keep their shape from the preconditioner, and their size follows the tangents.
    pub fn move_once<S: Scalar>(
        &mut self,
        context: &Context,
        step: Step,
        state: &mut State<S>,
        here: &Evaluation,
        preconditioner: &Preconditioner,
    ) {
        let begun = state.clock.begin();
        if let Some((velocity, imbalance)) = self.start.take() {
            let change = |to: &[DVec3], from: &[DVec3]| parallel::map(to.len(), |p| to[p] - from[p]);
            let done = Move {
                velocity: change(&state.velocity, &velocity),
                imbalance: change(&here.imbalance, &imbalance),
            };
            self.moves.insert(0, done);
            self.moves.truncate(2);
        }
        self.start = Some((state.velocity.clone(), here.imbalance.clone()));
        let shares = self.shares(&here.imbalance);
        state.clock.end(Loop::Relax, begun);
        let traces = timed!(state, Traces, traces(context, step, state, &here.tangents));
        let begun = state.clock.begin();
        let done = |p: usize| {
            let (mut change, mut left) = (DVec3::ZERO, here.imbalance[p]);
            for (share, done) in std::iter::zip(shares, &self.moves) {
                change -= share * done.velocity[p];
                left -= share * done.imbalance[p];
            }
            (change, left)
        };
        let motions = preconditioner.modes.motions(state, &here.blocked, |p| done(p).1);
        let (contacts, bodies, positions) = (&state.contacts, &state.body, &state.position);
        parallel::each(&mut state.velocity, |p, velocity| {
            let (mut change, left) = done(p);
            let scale = DAMPING * preconditioner.traces[p] / traces[p];
            let inverse = &preconditioner.inverse[p];
            change -= loaded(scale * (*inverse * left), &here.blocked[p], &contacts[p], inverse);
            change -= motions.at(bodies[p], positions[p]);
            *velocity += here.blocked[p].free(change);
        });
        state.clock.end(Loop::Relax, begun);
    }

    /// Returns the shares of the last moves whose removal would leave the least imbalance if moves added up.
    fn shares(&self, imbalance: &[DVec3]) -> [f64; 2] {
        let count = imbalance.len();
        let (last, older) = match &self.moves[..] {
            [] => return [0.0; 2],
            [last] => (last, None),
            [last, older, ..] => (last, Some(older)),
        };
        let effect = |p: usize| (last.imbalance[p], older.map_or(DVec3::ZERO, |older| older.imbalance[p]));
        let [square, along, cross, older_square, older_along] = parallel::sums(count, |p| {
            let ((last, older), now) = (effect(p), imbalance[p]);
            [last.dot(last), last.dot(now), last.dot(older), older.dot(older), older.dot(now)]
        });
        if square <= 0.0 {
            return [0.0; 2];
        }
        let one = [along / square, 0.0];
        if older.is_none() {
            return one;
        }
        let determinant = square * older_square - cross * cross;
        if determinant <= COLLINEAR_SINE_SQUARED * square * older_square {
            return one;
        }
        [
            (along * older_square - older_along * cross) / determinant,
            (older_along * square - along * cross) / determinant,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_under_load_meets_the_change_of_friction() {
        // Linear matter with the block D, pressed on a floor and slipping along x.
        let block = DMat3::from_cols_array(&[2.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 3.0]);
        let inverse = block.inverse();
        let mut blocked = Blocked::default();
        blocked.add(DVec3::Z);
        let (load, friction) = (0.1, 10.0);
        let contact = |friction: f64, load: f64, pull: f64| {
            let mut contacts = Contacts { count: 1, ..Contacts::default() };
            contacts.change[0] = DVec3::new(-friction * load, 0.0, load);
            contacts.pull[0] = pull;
            contacts
        };
        // As the particle slips by dx, the load grows by dx / m and friction by mu dx / m: resistance 2 + 10, not 2.
        let own = DVec3::new(0.6, 0.2, 0.0);
        let found = loaded(own, &blocked, &contact(friction, load, 0.0), &inverse);
        assert!((found - DVec3::new(0.1, 0.2, 0.0)).length() < 1e-12, "{found}");
        for (contacts, why) in [
            (contact(1.0, load, 0.0), "low friction"),
            (contact(friction, -load, 0.0), "no load"),
            (contact(friction, load, 0.05), "adhesion"),
            (contact(friction, 0.0, 0.0), "neither load nor friction"),
        ] {
            assert_eq!(loaded(own, &blocked, &contacts, &inverse), own, "{why}");
        }
        let unloads = DMat3::from_cols_array(&[2.0, 0.0, -1.0, 0.0, 2.0, 0.0, -1.0, 0.0, 3.0]).inverse();
        assert_eq!(loaded(own, &blocked, &contact(friction, load, 0.0), &unloads), own, "less resistance");
        assert_eq!(loaded(own, &Blocked::all(), &contact(friction, load, 0.0), &inverse), own, "a corner");
    }
}
