//! XSPH velocity smoothing in impulse form (eq. 20); loose particles come to rest.

use glam::{DMat3, DVec3};
use tuff_scene::Smoothing;

use super::loose::{is_held, is_needed};
use crate::context::{Context, Step};
use crate::pairs::{field, gather_field};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::{NO_PIN, State};

/// Adds `(c / m_p) sum m_p m_b / (m_p + m_b) (V_p + V_b) W(|d|) (v_b - v_p)` to v_p over unpinned pairs, with the velocities
/// before smoothing. Pair impulses are opposite, so momentum is conserved. [`Smoothing::Noise`] first subtracts `(G_p + G_b) / 2
/// d` from the difference, G being the velocity gradients. Particles that [`is_held`] by friction stop, unless one of them [`is_needed`].
#[inline(never)]
pub fn smooth_velocity<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let c = context.xsph(step.dt);
    if c == 0.0 && context.grains() {
        return;
    }
    let before = state.velocity.clone();
    let noise = matches!(context.settings.smoothing, Smoothing::Noise(_)) && c > 0.0;
    let count = state.particle_count();
    let gradients: Vec<DMat3> = if noise {
        let field = field::<S>(&before);
        parallel::map(count, |p| gather_field(state, &field, p).gradient)
    } else {
        vec![DMat3::ZERO; count]
    };
    let held = parallel::map(count, |p| {
        is_held(context, step, state, &before, p) && !is_needed(context, step, state, &before, p)
    });
    let smoothed = parallel::map(count, |p| match (state.pin[p], held[p]) {
        (NO_PIN, true) => DVec3::ZERO,
        (NO_PIN, false) => before[p] + c * exchange(context, state, &before, &gradients, p),
        _ => before[p],
    });
    state.counters.loose_held += held.iter().filter(|held| **held).count() as u64;
    state.velocity = smoothed;
}

/// Returns the sum of [`smooth_velocity`] without its coefficient [m/s].
fn exchange<S: Scalar>(
    context: &Context,
    state: &State<S>,
    before: &[DVec3],
    gradients: &[DMat3],
    p: usize,
) -> DVec3 {
    let kernel = context.kernel();
    let mut change = DVec3::ZERO;
    for &b in &state.neighbor[state.neighbor_range(p)] {
        let b = b as usize;
        // Neither with linked particles nor between a fluid and other matter.
        if state.pin[b] != NO_PIN || state.volume[b] * state.volume[p] <= 0.0 {
            continue;
        }
        let apart = state.position[b] - state.position[p];
        let volumes = (state.volume[p] + state.volume[b]).abs() * kernel.value(apart.length());
        let explained = 0.5 * (gradients[p] + gradients[b]) * apart;
        let share = state.mass[b] / (state.mass[p] + state.mass[b]);
        change += share * volumes * (before[b] - before[p] - explained);
    }
    change
}
