//! Contacts in a Newton step: the reactions of the colliders to the forces, and the directions that they block.

use glam::DVec3;
use tuff_problem::CONTACT_SLOTS;
use tuff_problem::newton::{CORNER_ROUNDS, RESTING, RESTING_MAX, RESTING_MIN};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::{Contacts, State};

/// Directions in which a particle may not move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocked {
    count: usize,
    axis: [DVec3; 3],
}

impl Blocked {
    /// Blocks everything.
    pub(super) fn all() -> Self {
        Self { count: 3, axis: [DVec3::X, DVec3::Y, DVec3::Z] }
    }

    /// Blocks one more direction.
    pub(super) fn add(&mut self, axis: DVec3) {
        let rest = self.free(axis);
        if self.count < 3 && rest.length() > 1e-3 {
            self.axis[self.count] = rest.normalize();
            self.count += 1;
        }
    }

    /// Returns true if a direction is blocked.
    pub(super) fn blocks(&self) -> bool {
        self.count > 0
    }

    /// Returns the blocked direction, if there is just one.
    pub(super) fn only(&self) -> Option<DVec3> {
        (self.count == 1).then_some(self.axis[0])
    }

    /// Returns the part of v that is not blocked.
    pub fn free(&self, v: DVec3) -> DVec3 {
        self.axis[..self.count].iter().fold(v, |v, axis| v - v.dot(*axis) * *axis)
    }
}

/// Sets every contact's velocity change to the reaction, within its friction cone, that balances the internal forces [N s].
/// Returns the directions that the contacts block: all for sticking ones, the normal for sliding ones.
pub fn react<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    force: &[DVec3],
) -> Vec<Blocked> {
    let mut contacts = std::mem::take(&mut state.contacts);
    let mut blocked = vec![Blocked::default(); contacts.len()];
    parallel::each_of_two(&mut contacts, &mut blocked, |p, contacts, blocked| {
        *blocked = react_one(context, step, state, p, contacts, force[p]);
    });
    state.contacts = contacts;
    blocked
}

fn react_one<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    contacts: &mut Contacts,
    force: DVec3,
) -> Blocked {
    if state.inverse_mass[p] == 0.0 {
        return Blocked::all();
    }
    let needed = force / state.mass[p];
    let bearing: [Option<Bearing>; CONTACT_SLOTS] = std::array::from_fn(|slot| {
        if slot < contacts.count { Bearing::of(context, state, p, contacts, slot) } else { None }
    });
    let resting = resting(context, step);
    if !may_jam(&bearing) {
        return share(contacts, &bearing, needed, resting, false);
    }
    for (change, _) in std::iter::zip(&mut contacts.change, &bearing).filter(|(_, face)| face.is_some()) {
        *change = DVec3::ZERO;
    }
    (1..CORNER_ROUNDS).for_each(|_| _ = share(contacts, &bearing, needed, resting, true));
    share(contacts, &bearing, needed, resting, true)
}

/// Sets what each bearing face takes of the velocity change `needed`, one after the other; returns the directions that they block.
fn share(
    contacts: &mut Contacts,
    bearing: &[Option<Bearing>; CONTACT_SLOTS],
    needed: DVec3,
    resting: f64,
    jams: bool,
) -> Blocked {
    let mut blocked = Blocked::default();
    for (slot, face) in bearing.iter().enumerate() {
        let Some(face) = face else { continue };
        let others: DVec3 = (0..contacts.count).filter(|&s| s != slot).map(|s| contacts.change[s]).sum();
        let (reaction, hold) = face.reaction(needed - others, resting, jams);
        contacts.change[slot] = reaction;
        match hold {
            Hold::Nothing => {}
            Hold::Normal => blocked.add(face.normal),
            Hold::All => blocked = Blocked::all(),
        }
    }
    blocked
}

/// Returns true if friction on a face can press on another, in an acute wedge, so much that the load which this adds to the first is larger
/// than the load that caused it. What both bear in excess would grow from pass to pass, and throw the particle out of the wedge when one
/// lets go: there the shares are found in rounds that begin without any.
fn may_jam(bearing: &[Option<Bearing>; CONTACT_SLOTS]) -> bool {
    let presses = |one: &Bearing, other: &Bearing| {
        let across = one.normal.dot(other.normal).min(0.0);
        -across * (1.0 - across * across).max(0.0).sqrt() * one.friction > 1.0
    };
    let faces = || bearing.iter().flatten();
    faces().any(|one| one.friction > 1.0 && faces().any(|other| presses(one, other)))
}

/// Returns the slip below which a contact may stick [m/s].
fn resting(context: &Context, step: Step) -> f64 {
    let radius = context.radius() / step.dt;
    let fall = step.dt * context.gravity.length();
    (RESTING * fall).clamp(RESTING_MIN * radius, RESTING_MAX * radius)
}

/// How a face holds a particle.
enum Hold {
    /// Not at all.
    Nothing,
    /// Against approach.
    Normal,
    /// In all directions: the particle sticks.
    All,
}

/// A face on which a particle presses, or which pulls at it.
#[derive(Debug, Clone, Copy)]
struct Bearing {
    normal: DVec3,
    /// Velocity along the face, relative to it [m/s].
    slip: DVec3,
    /// Largest pull as a velocity change [m/s].
    pull: f64,
    /// Coulomb coefficient [dimensionless].
    friction: f64,
}

impl Bearing {
    /// Looks at a contact; nothing is borne beyond the push of a fluid's pressure where the particle does not touch the wall.
    fn of<S: Scalar>(
        context: &Context,
        state: &State<S>,
        p: usize,
        contacts: &Contacts,
        slot: usize,
    ) -> Option<Self> {
        let face = contacts.face[slot] as usize;
        let surface = state.placed[face].surface_ahead(
            &context.faces[face].surface,
            state.position[p],
            state.velocity[p],
            0.5 * context.radius(),
            state.near(p, slot),
        );
        let (normal, pull) = (surface.normal, contacts.pull[slot]);
        if pull <= 0.0 && contacts.change[slot].dot(normal) <= -pull {
            return None;
        }
        let slip = state.velocity[p] - surface.velocity;
        let slip = slip - slip.dot(normal) * normal;
        Some(Self { normal, slip, pull, friction: context.friction(state, p, face) })
    }

    /// Returns what the face takes of a velocity change `share`, and how it holds the particle, which may stick below a slip of `resting`
    /// [m/s]. Where faces may jam, friction is no more than stops the slip: more would press on the other face, and that again on this one.
    fn reaction(&self, share: DVec3, resting: f64, jams: bool) -> (DVec3, Hold) {
        let pressed = share.dot(self.normal).max(-self.pull);
        let tangential = share - share.dot(self.normal) * self.normal;
        let bound = self.friction * (pressed + self.pull);
        let (tangential, sticks) = if self.slip.length() < resting {
            (tangential.clamp_length_max(bound), tangential.length() <= bound)
        } else {
            let most = if jams { tangential.length() + self.slip.length() } else { f64::INFINITY };
            (-bound.min(most) * self.slip.normalize_or_zero(), false)
        };
        let hold = match (pressed > -self.pull, sticks) {
            (false, _) => Hold::Nothing,
            (true, false) => Hold::Normal,
            (true, true) => Hold::All,
        };
        (pressed * self.normal + tangential, hold)
    }
}
