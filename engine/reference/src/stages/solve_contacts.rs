//! Position correction: particles keep a least distance (eq. 21), or neighborhoods a highest density (Takahashi and Lin 2019). A
//! Gauss-Seidel sweep applies it after each particle's rows, a Jacobi sweep after all of them; by density, sweeps of it follow a
//! Newton solve.

use glam::DVec3;
use tuff_problem::{COLOR_COUNT, DENSITY_TOLERANCE};
use tuff_scene::PositionCorrection;

use super::solve_inelastic::cells_of_color;
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Runs one sweep over the candidate pairs by color, cell and id.
pub fn solve_contacts<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    for color in 0..COLOR_COUNT {
        for cell in cells_of_color(state, color) {
            for p in state.cell_range(cell) {
                correct_positions(context, step, state, p);
            }
        }
    }
}

/// Applies the correction that belongs to a particle.
pub fn correct_positions<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, p: usize) {
    match context.settings.position_correction {
        PositionCorrection::None => {}
        PositionCorrection::Distance { .. } => keep_distance(context, step, state, p),
        PositionCorrection::Density { .. } => keep_density(context, step, state, p),
    }
}

/// Pushes apart each candidate pair b > p with `C = |d + dt (v_b - v_p)| - min((1 - gap) r, |d|) < 0`.
fn keep_distance<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, p: usize) {
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        if b < p || inverse_masses == 0.0 {
            continue;
        }
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (state.velocity[b] - state.velocity[p]);
        let distance = d.length();
        let c = distance - context.min_distance().min(before.length());
        if c < 0.0 {
            let normal = if distance > 0.0 { d / distance } else { DVec3::Y };
            let impulse = -c / (step.dt * inverse_masses) * normal;
            state.velocity[b] += state.inverse_mass[b] * impulse;
            state.velocity[p] -= state.inverse_mass[p] * impulse;
            state.correction_impulse[b] += impulse;
            state.correction_impulse[p] -= impulse;
            state.counters.position_corrected += 1;
        }
    }
}

/// Pushes the neighborhood apart with one row without compliance if `C = rho / rho0 - 1 > 0`, with `rho = V0_p W(0) + sum V0_b
/// W(|d|)`, `d = d_b + dt (v_b - v_p)` over the neighbors at the start of the substep, and rho0 of the particle's body.
fn keep_density<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, p: usize) {
    let kernel = context.kernel();
    let limit = context.density_limits[state.body[p] as usize];
    // Neighbor, distance and gradient of C by the neighbor's position [1/m].
    let term = |state: &State<S>, i: usize| {
        let b = state.neighbor[i] as usize;
        let d = state.position[b] - state.position[p] + step.dt * (state.velocity[b] - state.velocity[p]);
        (b, d.length(), -state.rest_volume[b] * kernel.slope(d.length()) / limit * d)
    };
    let range = state.neighbor_range(p);
    let mut density = state.rest_volume[p] * kernel.value(0.0);
    let mut sum = DVec3::ZERO;
    let mut mobility = 0.0;
    for i in range.clone() {
        let (b, distance, gradient) = term(state, i);
        density += state.rest_volume[b] * kernel.value(distance);
        sum += gradient;
        mobility += state.inverse_mass[b] * gradient.length_squared();
    }
    mobility += state.inverse_mass[p] * sum.length_squared();
    let c = density / limit - 1.0;
    if c <= DENSITY_TOLERANCE || mobility == 0.0 {
        return;
    }
    let change = -c / (step.dt * mobility);
    for i in range {
        let (b, _, gradient) = term(state, i);
        state.velocity[b] += state.inverse_mass[b] * change * gradient;
        state.correction_impulse[b] += change * gradient;
    }
    state.velocity[p] -= state.inverse_mass[p] * change * sum;
    state.correction_impulse[p] -= change * sum;
    state.counters.position_corrected += 1;
}
