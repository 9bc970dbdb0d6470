//! The forces of surface tension.

use glam::DVec3;
use tuff_problem::{CONTACT_SLOTS, lacking_beyond, lacking_slope, surround_slope};

use super::measure_density::walls;
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Adds to the predicted velocities the forces of the energies `s / 2 V_p D_p^2` of fluids, D being what their neighborhoods lack at the
/// start of the substep: a particle and its neighbor b attract each other with `s_p D_p V_p V_b |U'| / rest`, U being the kernel of the
/// neighborhood, and a wall attracts it likewise. Forces point along pairs as they will lie at the end, like those of the pressure that bears
/// them: with those of the start, turning drops would gain angular momentum.
pub fn pull_surface<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if context.tension.is_empty() {
        return;
    }
    let now = &*state;
    let pulled = parallel::map(now.particle_count(), |p| {
        step.dt * now.inverse_mass[p] * (by_matter(context, step, now, p) + by_walls(context, now, p))
    });
    for (p, change) in pulled.into_iter().enumerate() {
        state.velocity[p] += change;
        state.predicted_velocity[p] += change;
    }
}

/// Returns the stress `s D / rest` of what p lacks [Pa].
fn stress<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> f64 {
    context.tension.get(state.material[p]).map_or(0.0, |own| own.stiffness * state.lack[p] / own.rest_sum)
}

/// Returns the position of p at the end of the substep if its velocity stays [m].
fn end<S: Scalar>(step: Step, state: &State<S>, p: usize) -> DVec3 {
    state.position[p] + step.dt * state.start_velocity[p]
}

/// Returns the force of neighbors on p [N].
fn by_matter<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> DVec3 {
    let own = stress(context, state, p);
    let volume = state.seen_volume[p].abs();
    let of = |&b: &u32| {
        let b = b as usize;
        let strength = own * volume * context.filled(state, p, b)
            + stress(context, state, b) * state.seen_volume[b].abs() * context.filled(state, b, p);
        if strength == 0.0 {
            return DVec3::ZERO;
        }
        let d = end(step, state, b) - end(step, state, p);
        strength * surround_slope(d.length(), context.radius()) * d.normalize_or_zero()
    };
    state.neighbor[state.neighbor_range(p)].iter().map(of).sum()
}

/// Returns the force of walls on p [N].
fn by_walls<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> DVec3 {
    let Some(own) = context.tension.get(state.material[p]) else { return DVec3::ZERO };
    let radius = context.radius();
    let (mut free, mut slope) = ([1.0; CONTACT_SLOTS], [DVec3::ZERO; CONTACT_SLOTS]);
    for (slot, depth, normal) in walls(context, state, p) {
        free[slot] = 1.0 - lacking_beyond(depth, radius);
        slope[slot] = -lacking_slope(depth, radius) * normal;
    }
    let [a, b, c] = free;
    let sum = b * c * slope[0] + c * a * slope[1] + a * b * slope[2];
    own.stiffness * state.lack[p] * state.seen_volume[p].abs() * sum
}
