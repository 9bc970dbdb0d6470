//! Contact of particles with colliders, with Coulomb friction.

use glam::DVec3;

use crate::context::{Context, Step};
use crate::parallel;
use crate::placed::Surface;
use crate::scalar::Scalar;
use crate::state::{Contacts, State};

/// Applies every particle's contacts once: an accumulated normal impulse that keeps the particle from coming closer than each
/// face allows at the end of the step, and friction within its Coulomb bound.
#[inline(never)]
pub fn solve_colliders<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    act(context, step, state, None, 1);
}

/// As [`solve_colliders`], where particles that follow but a fraction of an impulse at once are seen with the velocity changes that are to
/// take effect after the substep, `deferred` [m/s], to which the rest is added. Shapes [particle_count].
pub fn solve_colliders_eased<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    fraction: &[f64],
    deferred: &mut [DVec3],
) {
    let (mut velocity, mut contacts) =
        (std::mem::take(&mut state.velocity), std::mem::take(&mut state.contacts));
    let whole = |p: usize| fraction[p] < 1.0;
    let before =
        parallel::map(velocity.len(), |p| if whole(p) { velocity[p] + deferred[p] } else { velocity[p] });
    let mut after = before.clone();
    parallel::each_of_two(&mut after, &mut contacts, |p, after, contacts| {
        act_on(context, step, state, p, (after, contacts), None, 1);
    });
    parallel::each_of_two(&mut velocity, deferred, |p, velocity, deferred| {
        if !whole(p) {
            *velocity = after[p];
        } else if after[p] != before[p] {
            *deferred += (1.0 - fraction[p]) * (after[p] - before[p]);
            *velocity = after[p] - *deferred;
        }
    });
    (state.velocity, state.contacts) = (velocity, contacts);
}

/// As [`solve_colliders`], several times in a row.
pub fn solve_colliders_often<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, rounds: u32) {
    act(context, step, state, None, rounds);
}

/// As [`solve_colliders`], between evaluations of a Newton solve: friction is bounded by the load of the contact at the last
/// evaluation. Otherwise friction of an unloaded contact, into which the next move leads, would stop this move for good. `ease`:
/// fraction of an impulse that changes a particle's velocity at once; the matter around it takes the rest. Shape
/// [particle_count].
pub fn hold_contacts<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, ease: &[f64]) {
    act(context, step, state, Some(ease), 1);
}

fn act<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, ease: Option<&[f64]>, rounds: u32) {
    let (mut velocity, mut contacts) =
        (std::mem::take(&mut state.velocity), std::mem::take(&mut state.contacts));
    parallel::each_of_two(&mut velocity, &mut contacts, |p, velocity, contacts| {
        act_on(context, step, state, p, (velocity, contacts), ease.map(|ease| ease[p]), rounds);
    });
    (state.velocity, state.contacts) = (velocity, contacts);
}

/// Lets the faces that p touches act on its velocity, one after the other.
fn act_on<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    (velocity, contacts): (&mut DVec3, &mut Contacts),
    ease: Option<f64>,
    rounds: u32,
) {
    for slot in (0..rounds).flat_map(|_| 0..contacts.count) {
        let face = contacts.face[slot] as usize;
        let surface = state.placed[face].surface_ahead(
            &context.faces[face].surface,
            state.position[p],
            *velocity,
            0.5 * context.radius(),
            state.near(p, slot),
        );
        let old = contacts.change[slot];
        let friction = context.friction(state, p, face);
        let law = Law { friction, gap: contacts.gap[slot], pull: contacts.pull[slot] };
        let new = law.change(old, *velocity, surface, step.dt, ease);
        *velocity += ease.unwrap_or(1.0) * (new - old);
        contacts.change[slot] = new;
    }
}

/// What a contact obeys.
struct Law {
    /// Coulomb coefficient [dimensionless].
    friction: f64,
    /// Distance that the face keeps [m].
    gap: f64,
    /// Largest pull as a velocity change [m/s].
    pull: f64,
}

impl Law {
    /// Returns the total velocity change j of a contact: `j_n = max(-pull, j.n - (phi - gap) / dt)`, `j_t = j - (j.n) n - (v - v_c)_t`
    /// shortened to `mu (j_n + pull)`. With an `ease`, the increments are divided by it, and j_t is bounded by the old j_n if that is
    /// less.
    fn change(&self, old: DVec3, velocity: DVec3, surface: Surface, dt: f64, ease: Option<f64>) -> DVec3 {
        let n = surface.normal;
        let all = ease.unwrap_or(1.0);
        let normal = (old.dot(n) - (surface.distance - self.gap) / (dt * all)).max(-self.pull);
        let slip = velocity - surface.velocity;
        let tangential = (old - old.dot(n) * n) - (slip - slip.dot(n) * n) / all;
        let bearing = if ease.is_some() { normal.min(old.dot(n)) } else { normal };
        let bound = self.friction * (bearing + self.pull).max(0.0);
        normal * n + tangential.clamp_length_max(bound)
    }
}
