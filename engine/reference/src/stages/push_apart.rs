//! Position correction by distance after a Newton solve: in rounds over all pairs at once (eq. 21).

use glam::DVec3;
use tuff_problem::{PAIR_RELAXATION, SEPARATION_TOLERANCE};

use crate::context::{Context, Step};
use crate::newton::Followed;
use crate::parallel;
use crate::scalar::Scalar;
use crate::stages::solve_colliders::{solve_colliders, solve_colliders_eased};
use crate::state::State;

/// What a round knows from the one before it.
pub struct Rounds {
    /// Number of too-close pairs of every particle, at first of all pairs that may come too close.
    crowd: Vec<usize>,
    /// Velocities at the last round [m/s]; none before the first.
    seen: Vec<DVec3>,
    /// Fractions of impulses that every particle follows within the substep; none if all follow at once.
    fraction: Option<Followed>,
    /// True if some particle follows but a fraction of the impulses of colliders.
    defers_contact: bool,
    /// Velocity changes that take effect after the substep [m/s]; none if there are no fractions.
    deferred: Vec<DVec3>,
}

impl Rounds {
    /// Prepares the first round.
    pub fn new<S: Scalar>(state: &State<S>) -> Self {
        let crowd = parallel::map(state.particle_count(), |p| state.near_range(p).len());
        Self { crowd, seen: Vec::new(), fraction: None, defers_contact: false, deferred: Vec::new() }
    }

    /// Lets particles follow these fractions of impulses within the substep and the rest after it: an impulse on a particle of stiff matter
    /// acts on it alone and would strain it by more than it has energy for.
    #[must_use]
    pub fn eased(self, fraction: Followed) -> Self {
        let count = fraction.pushes.len();
        let deferring = parallel::sum(count, |p| f64::from(u8::from(fraction.contacts[p] < 1.0)));
        Self {
            defers_contact: deferring > 0.0,
            deferred: vec![DVec3::ZERO; count],
            fraction: Some(fraction),
            ..self
        }
    }

    /// Lets colliders act, on particles of stiff matter as pushes do.
    pub fn solve_colliders<S: Scalar>(&mut self, context: &Context, step: Step, state: &mut State<S>) {
        match &self.fraction {
            Some(fraction) if self.defers_contact => {
                solve_colliders_eased(context, step, state, &fraction.contacts, &mut self.deferred);
            }
            _ => solve_colliders(context, step, state),
        }
    }

    /// Returns the velocity changes that take effect after the substep [m/s], shape [particle_count], or none.
    pub fn into_deferred(self) -> Vec<DVec3> {
        self.deferred
    }

    /// Returns the velocity of p, with what takes effect later [m/s].
    fn velocity<S: Scalar>(&self, state: &State<S>, p: usize) -> DVec3 {
        self.deferred.get(p).map_or(state.velocity[p], |later| state.velocity[p] + *later)
    }
}

/// Runs one round.
pub fn push_apart<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, rounds: &mut Rounds) {
    let count = state.particle_count();
    // Whether a pair pushes follows from its velocities: one that did not push and did not move since does not push now.
    let moved: Vec<bool> = if rounds.seen.is_empty() {
        vec![true; count]
    } else {
        parallel::map(count, |p| rounds.velocity(state, p) != rounds.seen[p])
    };
    let crowd = &rounds.crowd;
    if !moved.contains(&true) && crowd.iter().all(|&pairs| pairs == 0) {
        return;
    }
    let velocity = parallel::map(count, |p| rounds.velocity(state, p));
    let involved = |p: usize| {
        moved[p] || crowd[p] > 0 || state.neighbor[state.near_range(p)].iter().any(|&b| moved[b as usize])
    };
    let pushes = parallel::map(count, |p| match involved(p) {
        true => pushes_on(context, step, state, &velocity, crowd, p),
        false => (DVec3::ZERO, 0),
    });
    let inverse_mass = &state.inverse_mass;
    let fraction = |p: usize| rounds.fraction.as_ref().map_or(1.0, |fraction| fraction.pushes[p]);
    parallel::each_of_two(&mut state.velocity, &mut rounds.crowd, |p, velocity, crowd| {
        let (impulse, found) = pushes[p];
        *velocity += fraction(p) * inverse_mass[p] * impulse;
        *crowd = found;
    });
    parallel::each(&mut rounds.deferred, |p, later| {
        *later += (1.0 - fraction(p)) * inverse_mass[p] * pushes[p].0;
    });
    rounds.seen = velocity;
    state.counters.position_corrected += rounds.crowd.iter().sum::<usize>() as u64 / 2;
}

/// Returns the impulse of all pairs on p [N s] at the given velocities [m/s], and the number of pairs that push it.
fn pushes_on<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    velocity: &[DVec3],
    crowd: &[usize],
    p: usize,
) -> (DVec3, usize) {
    let least = context.min_distance();
    let (mut sum, mut found) = (DVec3::ZERO, 0);
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (velocity[b] - velocity[p]);
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
