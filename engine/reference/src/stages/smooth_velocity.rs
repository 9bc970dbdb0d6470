//! XSPH velocity smoothing in impulse form (eq. 20); loose particles come to rest.

use glam::DMat3;
use tuff_scene::Smoothing;

use super::loose::is_held;
use crate::context::{Context, Step};
use crate::kernel;
use crate::state::{NO_PIN, State};
use crate::strain::gather;

/// Adds `(c / m_p) sum m_p m_b / (m_p + m_b) (V_p + V_b) W(|d|) (v_b - v_p)` to v_p over unpinned pairs, with the velocities
/// before smoothing. Pair impulses are opposite, so momentum is conserved. [`Smoothing::Noise`] first subtracts `(G_p + G_b) / 2
/// d` from the difference, G being the velocity gradients. Particles that [`is_held`] by friction stop.
pub fn smooth_velocity(context: &Context, step: Step, state: &mut State) {
    let c = context.xsph(step.dt);
    if c == 0.0 && context.grains() {
        return;
    }
    let before = state.velocity.clone();
    let noise = matches!(context.settings.smoothing, Smoothing::Noise(_)) && c > 0.0;
    let gradient = |p: usize| if noise { gather(state, &before, p).gradient } else { DMat3::ZERO };
    let gradients: Vec<DMat3> = (0..state.particle_count()).map(gradient).collect();
    for p in 0..state.particle_count() {
        if state.pin[p] != NO_PIN {
            continue;
        }
        if is_held(context, step, state, &before, p) {
            state.velocity[p] = glam::DVec3::ZERO;
            state.counters.loose_held += 1;
            continue;
        }
        let mut change = glam::DVec3::ZERO;
        for pair in state.neighbors(p) {
            let b = pair.index as usize;
            if state.pin[b] != NO_PIN || state.volume[b] * state.volume[p] == 0.0 {
                continue;
            }
            let apart = state.position[b] - state.position[p];
            let volumes =
                (state.volume[p] + state.volume[b]) * kernel::value(apart.length(), context.radius());
            let explained = 0.5 * (gradients[p] + gradients[b]) * apart;
            change += state.mass[b] / (state.mass[p] + state.mass[b])
                * volumes
                * (before[b] - before[p] - explained);
        }
        state.velocity[p] += c * change;
    }
}
