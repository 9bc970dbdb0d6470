//! Position correction by distance after a Newton solve: in rounds over all pairs at once (eq. 21).

use glam::DVec3;
use tuff_problem::{PAIR_RELAXATION, SEPARATION_TOLERANCE};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// What a round knows from the one before it.
pub struct Rounds {
    /// Number of too-close pairs of every particle, at first of all pairs that may come too close.
    crowd: Vec<usize>,
    /// Velocities at the last round [m/s]; none before the first.
    seen: Vec<DVec3>,
}

impl Rounds {
    /// Prepares the first round.
    pub fn new<S: Scalar>(state: &State<S>) -> Self {
        Self { crowd: parallel::map(state.particle_count(), |p| state.near_range(p).len()), seen: Vec::new() }
    }
}

/// Runs one round.
pub fn push_apart<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, rounds: &mut Rounds) {
    let count = state.particle_count();
    // Whether a pair pushes follows from its velocities: one that did not push and did not move since does not push now.
    let moved: Vec<bool> = if rounds.seen.is_empty() {
        vec![true; count]
    } else {
        parallel::map(count, |p| state.velocity[p] != rounds.seen[p])
    };
    let crowd = &rounds.crowd;
    if !moved.contains(&true) && crowd.iter().all(|&pairs| pairs == 0) {
        return;
    }
    rounds.seen.clone_from(&state.velocity);
    let involved = |p: usize| {
        moved[p] || crowd[p] > 0 || state.neighbor[state.near_range(p)].iter().any(|&b| moved[b as usize])
    };
    let pushes = parallel::map(count, |p| match involved(p) {
        true => pushes_on(context, step, state, crowd, p),
        false => (DVec3::ZERO, 0),
    });
    let inverse_mass = &state.inverse_mass;
    parallel::each_of_two(&mut state.velocity, &mut rounds.crowd, |p, velocity, crowd| {
        let (impulse, found) = pushes[p];
        *velocity += inverse_mass[p] * impulse;
        *crowd = found;
    });
    state.counters.position_corrected += rounds.crowd.iter().sum::<usize>() as u64 / 2;
}

/// Returns the impulse of all pairs on p [N s], and the number of pairs that push it.
fn pushes_on<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    crowd: &[usize],
    p: usize,
) -> (DVec3, usize) {
    let least = context.min_distance();
    let (mut sum, mut found) = (DVec3::ZERO, 0);
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (state.velocity[b] - state.velocity[p]);
        if d.length_squared() >= least * least || inverse_masses == 0.0 {
            continue;
        }
        let distance = d.length();
        let lacking = least.min(before.length()) - distance;
        if lacking <= SEPARATION_TOLERANCE * least {
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
