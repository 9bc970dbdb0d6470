//! Position correction: particles keep a least distance (eq. 21). A Gauss-Seidel sweep does it after each particle's
//! rows, a Jacobi sweep after all of them.

use glam::DVec3;
use tuff_problem::COLOR_COUNT;

use super::solve_inelastic::cells_of_color;
use crate::context::{Context, Step};
use crate::state::State;

/// One sweep over the candidate pairs by color, cell and id.
pub fn solve_contacts(context: &Context, step: Step, state: &mut State) {
    for color in 0..COLOR_COUNT {
        for cell in cells_of_color(state, color) {
            for p in state.cell_range(cell) {
                keep_distance(context, step, state, p);
            }
        }
    }
}

/// For each candidate b > p with `C = |d + dt (v_b - v_p)| - (1 - gap) r < 0`: pushes the pair apart.
pub fn keep_distance(context: &Context, step: Step, state: &mut State, p: usize) {
    if context.least_distance() <= 0.0 {
        return;
    }
    let candidates = state.neighbor_start[p] as usize..state.candidate_end[p] as usize;
    for i in candidates {
        let b = state.pairs[i].index as usize;
        let inverse_masses = state.inverse_mass[p] + state.inverse_mass[b];
        if b < p || inverse_masses == 0.0 {
            continue;
        }
        let d = state.position[b] - state.position[p] + step.dt * (state.velocity[b] - state.velocity[p]);
        let distance = d.length();
        let c = distance - context.least_distance();
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
