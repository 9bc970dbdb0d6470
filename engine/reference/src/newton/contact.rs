//! Contacts in a Newton step: the reactions of the colliders to the forces, and the directions that they block.

use glam::DVec3;
use tuff_problem::newton::{RESTING, RESTING_MAX, RESTING_MIN};

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
    let radius = context.radius() / step.dt;
    let fall = step.dt * context.gravity.length();
    let resting = (RESTING * fall).clamp(RESTING_MIN * radius, RESTING_MAX * radius);
    let needed = force / state.mass[p];
    let mut blocked = Blocked::default();
    for slot in 0..contacts.count {
        let old = contacts.change[slot];
        let face = contacts.face[slot] as usize;
        let collider = &context.faces[face].surface;
        let seen = 0.5 * context.radius();
        let surface = state.placed[face].surface_ahead(
            collider,
            state.position[p],
            state.velocity[p],
            seen,
            state.near(p, slot),
        );
        let n = surface.normal;
        let pull = contacts.pull[slot];
        // Nothing is borne beyond the push of a fluid's pressure where the particle does not touch the wall.
        if pull <= 0.0 && old.dot(n) <= -pull {
            continue;
        }
        let others: DVec3 = (0..contacts.count).filter(|&s| s != slot).map(|s| contacts.change[s]).sum();
        let share = needed - others;
        let normal = share.dot(n).max(-pull);
        let tangential = share - share.dot(n) * n;
        let slip = state.velocity[p] - surface.velocity;
        let slip = slip - slip.dot(n) * n;
        let bound = context.friction(state, p, face) * (normal + pull);
        let (tangential, sticks) = if slip.length() < resting {
            (tangential.clamp_length_max(bound), tangential.length() <= bound)
        } else {
            (-bound * slip.normalize_or_zero(), false)
        };
        contacts.change[slot] = normal * n + tangential;
        if normal > -pull && sticks {
            blocked = Blocked::all();
        } else if normal > -pull {
            blocked.add(n);
        }
    }
    blocked
}
