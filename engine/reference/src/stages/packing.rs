//! Volume of matter that flows without stress. Strain and volume ratio follow the velocity gradient, which does not see how particles settle
//! between each other: what packs more densely than J says is compressed, as fast as it moves in ways that the gradient does
//! not see, until its pressure opens it again.

use glam::{DMat3, DVec3};
use tuff_problem::PACKING_RATE;

use crate::context::{Context, Step};
use crate::kernel;
use crate::state::State;

/// What to add to log J of p, which moves by the displacement gradient `displacement` and would have `volume_ratio` J:
/// `-(1 - exp(-20 u)) (log(rho / rho_0) + log J)` where the packing exceeds both rho_0 and what J says.
pub fn packing_correction(
    context: &Context,
    step: Step,
    state: &State,
    p: usize,
    displacement: DMat3,
    volume_ratio: f64,
) -> f64 {
    let packing = packing(context, step, state, p, displacement);
    let excess = (packing.density / context.packing_limits[state.body[p] as usize]).ln();
    let beyond = excess + volume_ratio.ln();
    // What folds or is not finite is refused anyway.
    if excess > 0.0 && beyond > 0.0 { (-PACKING_RATE * packing.non_affine).exp_m1() * beyond } else { 0.0 }
}

struct Packing {
    /// `rho = sum V0 W` over p and its neighbors at the start of the substep [dimensionless]: what comes into the support during it
    /// would count by jumps.
    density: f64,
    /// u, `u^2 = sum V0 W |dt (v_b - v_p) - Lg d|^2 / sum V0 W |d|^2` over the neighbors: 0 where all move as the gradient says.
    non_affine: f64,
}

fn packing(context: &Context, step: Step, state: &State, p: usize, displacement: DMat3) -> Packing {
    let r = context.radius();
    let mut packing = Packing { density: state.rest_volume[p] * kernel::value(0.0, r), non_affine: 0.0 };
    let (mut moved, mut reach) = (0.0, 0.0);
    for pair in state.neighbors(p) {
        let b = pair.index as usize;
        let apart: DVec3 = state.position[b] - state.position[p];
        let departure = step.dt * (state.velocity[b] - state.velocity[p]) - displacement * apart;
        let weight = state.rest_volume[b] * kernel::value(apart.length(), r);
        packing.density += weight;
        moved += weight * departure.length_squared();
        reach += weight * apart.length_squared();
    }
    if reach > 0.0 {
        packing.non_affine = (moved / reach).sqrt();
    }
    packing
}
