//! Finds where a failing substep goes wrong: repeats the substep and checks the values after every stage.

use glam::DMat3;
use tuff_problem::{Counters, Origin, Point, START, Trace};

use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::stages::commit::{Refusal, may_fold};
use crate::stages::diagnose::count_fast;
use crate::state::State;
use crate::strain::gather;
use crate::substep::{Changed, watched};

/// Result of repeating a failing substep.
pub struct Traced {
    /// Where the substep went wrong.
    pub origin: Origin,
    /// Number of bad particles at the end of the substep.
    pub bad: usize,
    /// Limiter counts of the substep.
    pub counters: Counters,
}

/// Repeats a failing substep from its start on a copy of the state.
pub fn trace<S: Scalar>(context: &Context, step: Step, start: &State<S>, refusal: Refusal) -> Traced {
    let mut state = start.clone();
    state.counters = Counters::default();
    let mut trace = Trace::new(start.id.clone());
    look_at_start(&mut trace, start);
    let mut sorted = false;
    // The commit refuses again, as it did before.
    let _ = watched(context, step, &mut state, false, &mut |point, changed, state| {
        if !sorted {
            sorted = true;
            trace.reorder(state.id.clone());
        }
        look(&mut trace, context, point, changed, step, state);
    });
    count_fast(context, step, &mut state);
    let (noticed, folded) = match refusal {
        Refusal::Folded(id) => (id, true),
        Refusal::NotFinite(id) => (id, false),
    };
    let found = if folded { trace.fold() } else { trace.not_finite() };
    let commit =
        Origin { point: Point::of("commit"), quantity: "strain, memory or state", particle: noticed };
    Traced {
        origin: found.unwrap_or(commit),
        bad: if folded { trace.folded() } else { not_finite(&state).max(1) },
        counters: state.counters,
    }
}

fn look_at_start<S: Scalar>(trace: &mut Trace, state: &State<S>) {
    let at = Point::of(START);
    trace.values(at, "position", |p| state.position[p].is_finite());
    trace.values(at, "velocity", |p| state.velocity[p].is_finite());
    trace.values(at, "strain", |p| state.strain[p].is_finite());
    trace.values(at, "memory", |p| state.memory[p].is_finite() && state.tension[p].is_finite());
    trace.values(at, "state", |p| state.material_state[p].iter().all(|w| w.is_finite()));
}

fn look<S: Scalar>(
    trace: &mut Trace,
    context: &Context,
    point: Point,
    changed: Changed,
    step: Step,
    state: &State<S>,
) {
    match changed {
        // Grains have no kernels.
        Changed::Gradients if state.moments.is_empty() => return,
        Changed::Gradients => {
            let finite = |p: usize| state.moments[p].second.is_finite() && state.moments[p].first.is_finite();
            trace.values(point, "kernel gradients", finite);
            return;
        }
        Changed::Impulses => {
            // Values from the particle's own rows; the velocities of its neighbors follow from them.
            let finite = |p: usize| state.impulse[p].is_finite() && state.memory_multiplier[p].is_finite();
            trace.values(point, "impulse", finite);
            trace.values(point, "position correction", |p| state.correction_impulse[p].is_finite());
        }
        Changed::Velocities => {}
    }
    trace.values(point, "velocity", |p| state.velocity[p].is_finite());
    if point.color.is_none() {
        trace.folds(point, |p| determinant(context, step, state, p));
    }
}

fn determinant<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> f64 {
    if may_fold(context, state, p) {
        return 1.0;
    }
    (DMat3::IDENTITY + step.dt * gather(state, &state.velocity, p).gradient).determinant()
}

fn not_finite<S: Scalar>(state: &State<S>) -> usize {
    state.velocity.iter().filter(|v| !v.is_finite()).count()
}
