//! Contact of particles with colliders, with Coulomb friction.

use glam::DVec3;

use crate::context::{Context, Step};
use crate::parallel;
use crate::placed::Surface;
use crate::scalar::Scalar;
use crate::state::State;

/// Applies every particle's contacts once: an accumulated normal impulse that keeps the particle from coming closer than each
/// face allows at the end of the step, and friction within its Coulomb bound.
#[inline(never)]
pub fn solve_colliders<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    act(context, step, state, None, 1);
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
        let ease = ease.map(|ease| ease[p]);
        for slot in (0..rounds).flat_map(|_| 0..contacts.count) {
            let face = contacts.face[slot] as usize;
            let collider = &context.faces[face].surface;
            let surface = state.placed[face].surface_ahead(
                collider,
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
    });
    (state.velocity, state.contacts) = (velocity, contacts);
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
