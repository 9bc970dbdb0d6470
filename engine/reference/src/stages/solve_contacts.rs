//! Position correction: particles keep a least distance (eq. 21), or neighborhoods a highest density (Takahashi and Lin 2019). A
//! Gauss-Seidel sweep applies it after each particle's rows, a Jacobi sweep after all of them; by density, sweeps of it follow a
//! Newton solve.

use glam::DVec3;
use tuff_problem::COLOR_COUNT;
use tuff_problem::thresholds::DENSITY_TOLERANCE;
use tuff_scene::PositionCorrection;

use crate::context::{Context, Step};
use crate::scalar::{Quad, Scalar};
use crate::state::State;
use crate::sweep::Sweep;

/// Runs one sweep over the candidate pairs by color, cell and id.
pub fn solve_contacts<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let sweep = Sweep::begin(state);
    for color in 0..COLOR_COUNT {
        sweep.color(state, color, |state, owns, counters| {
            for own in owns {
                counters.position_corrected += correct_positions(context, step, state, &sweep, own.p);
            }
        });
    }
    sweep.show(state);
}

/// Applies the correction that belongs to a particle; returns the number of pairs or neighborhoods that it pushed apart.
pub fn correct_positions<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    p: usize,
) -> u64 {
    match context.settings.position_correction {
        PositionCorrection::None => 0,
        PositionCorrection::Distance { .. } => keep_distance(context, step, state, sweep, p),
        PositionCorrection::Density { .. } => keep_density(context, step, state, sweep, p),
    }
}

/// Pushes apart each candidate pair b > p with `C = |d + dt (v_b - v_p)| - min((1 - gap) r, |d|) < 0`.
fn keep_distance<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    p: usize,
) -> u64 {
    let mut pushed = 0;
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        if b < p || inverse_masses == 0.0 {
            continue;
        }
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (sweep.velocity.get(b) - sweep.velocity.get(p)).vector();
        let distance = d.length();
        let c = distance - context.min_distance().min(before.length());
        if c < 0.0 {
            let normal = if distance > 0.0 { d / distance } else { DVec3::Y };
            let impulse = -c / (step.dt * inverse_masses) * normal;
            sweep.correct(b, impulse);
            sweep.correct(p, -impulse);
            pushed += 1;
        }
    }
    pushed
}

/// Pushes the neighborhood apart with one row without compliance if `C = rho / rho0 - 1 > 0`, with `rho = V0_p W(0) + sum V0_b
/// W(|d|)`, `d = d_b + dt (v_b - v_p)` over the neighbors at the start of the substep, and rho0 of the particle's body.
fn keep_density<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    sweep: &Sweep<S>,
    p: usize,
) -> u64 {
    let kernel = context.kernel();
    let limit = context.density_limits[state.body[p] as usize];
    // Neighbor, distance and gradient of C by the neighbor's position [1/m].
    let term = |i: usize| {
        let b = state.neighbor[i] as usize;
        let d = state.position[b] - state.position[p]
            + step.dt * (sweep.velocity.get(b) - sweep.velocity.get(p)).vector();
        (b, d.length(), -state.rest_volume[b] * kernel.slope(d.length()) / limit * d)
    };
    let range = state.neighbor_range(p);
    let mut density = state.rest_volume[p] * kernel.value(0.0);
    let mut sum = DVec3::ZERO;
    let mut mobility = 0.0;
    for i in range.clone() {
        let (b, distance, gradient) = term(i);
        density += state.rest_volume[b] * kernel.value(distance);
        sum += gradient;
        mobility += state.inverse_mass[b] * gradient.length_squared();
    }
    mobility += state.inverse_mass[p] * sum.length_squared();
    let c = density / limit - 1.0;
    if c <= DENSITY_TOLERANCE || mobility == 0.0 {
        return 0;
    }
    let change = -c / (step.dt * mobility);
    for i in range {
        let (b, _, gradient) = term(i);
        sweep.correct(b, change * gradient);
    }
    sweep.correct(p, -change * sum);
    1
}
