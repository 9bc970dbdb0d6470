//! Position correction by distance after a Newton solve: in rounds over all pairs at once (eq. 21).

use glam::DVec3;
use tuff_problem::{PAIR_RELAXATION, SEPARATION_TOLERANCE};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Returns the number of pairs of every particle that may come too close: the crowd of the first round.
pub fn candidates<S: Scalar>(state: &State<S>) -> Vec<usize> {
    (0..state.particle_count()).map(|p| state.near_range(p).len()).collect()
}

/// Runs one round. `crowd` holds the number of too-close pairs of every particle, on entry in the previous round, on return in
/// this one.
pub fn push_apart<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, crowd: &mut [usize]) {
    let pushes = parallel::map(state.particle_count(), |p| pushes_on(context, step, state, crowd, p));
    for (p, (impulse, found)) in pushes.into_iter().enumerate() {
        state.velocity[p] += state.inverse_mass[p] * impulse;
        crowd[p] = found;
    }
    state.counters.position_corrected += crowd.iter().sum::<usize>() as u64 / 2;
}

/// Returns the impulse of all pairs on p [N s], and the number of pairs that push it.
fn pushes_on<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    crowd: &[usize],
    p: usize,
) -> (DVec3, usize) {
    let (mut sum, mut found) = (DVec3::ZERO, 0);
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (state.velocity[b] - state.velocity[p]);
        let distance = d.length();
        let lacking = context.min_distance().min(before.length()) - distance;
        if lacking <= SEPARATION_TOLERANCE * context.min_distance() || inverse_masses == 0.0 {
            continue;
        }
        let normal = if distance > 0.0 {
            d / distance
        } else if b < p {
            -DVec3::Y
        } else {
            DVec3::Y
        };
        let share = (PAIR_RELAXATION / crowd[p].max(crowd[b]) as f64).min(1.0);
        sum -= share * lacking / (step.dt * inverse_masses) * normal;
        found += 1;
    }
    (sum, found)
}
