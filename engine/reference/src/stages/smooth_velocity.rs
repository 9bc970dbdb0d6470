//! XSPH velocity smoothing in impulse form (eq. 20); loose particles come to rest.

use super::loose::is_held;
use crate::context::{Context, Step};
use crate::kernel;
use crate::state::{NO_PIN, State};

/// `v_p += (c / m_p) sum m_p m_b / (m_p + m_b) (V_p + V_b) W(|d|) (v_b - v_p)` over unpinned pairs, from
/// the velocities before smoothing. Pair impulses are opposite, so momentum is kept. What [`is_held`] by friction stops.
pub fn smooth_velocity(context: &Context, step: Step, state: &mut State) {
    let c = context.xsph(step.dt);
    if c == 0.0 && context.grains() {
        return;
    }
    let before = state.velocity.clone();
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
            if state.pin[b] != NO_PIN {
                continue;
            }
            let distance = (state.position[b] - state.position[p]).length();
            let volumes = (state.volume[p] + state.volume[b]) * kernel::value(distance, context.radius());
            change += state.mass[b] / (state.mass[p] + state.mass[b]) * volumes * (before[b] - before[p]);
        }
        state.velocity[p] += c * change;
    }
}
