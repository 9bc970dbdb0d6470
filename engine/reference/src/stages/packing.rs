//! Volume of matter that flows without stress. Strain and volume ratio follow the velocity gradient, which does not see how particles settle
//! between each other: what packs more densely than J says is compressed, at a rate that the flow sets, until its pressure opens it
//! again.

use glam::DMat3;
use tuff_problem::PACKING_RATE;

use crate::context::Context;
use crate::kernel;
use crate::state::State;
use crate::tensor::{norm, trace};

/// What to add to log J of p, which flows by the strain `flow` and would have the volume ratio J:
/// `-(1 - exp(-2 flow)) (log(rho / rho_0) + log J)` where the packing exceeds both rho_0 and what J says.
pub fn packing_correction(context: &Context, state: &State, p: usize, flow: f64, volume_ratio: f64) -> f64 {
    let excess = (packing(context, state, p) / context.packing_limits[state.body[p] as usize]).ln();
    let beyond = excess + volume_ratio.ln();
    // What folds or is not finite is refused anyway.
    if excess > 0.0 && beyond > 0.0 { (-PACKING_RATE * flow).exp_m1() * beyond } else { 0.0 }
}

/// `rho = sum V0 W` over p and its neighbors at the start of the substep [dimensionless]: what comes into the support during it
/// would count by jumps.
fn packing(context: &Context, state: &State, p: usize) -> f64 {
    let r = context.radius();
    let own = state.rest_volume[p] * kernel::value(0.0, r);
    let of =
        |b: usize| state.rest_volume[b] * kernel::value(state.position[b].distance(state.position[p]), r);
    own + state.neighbors(p).iter().map(|pair| of(pair.index as usize)).sum::<f64>()
}

/// Deviatoric strain by which matter flows that has lost all its stress, norm; what keeps a part of it answers for its volume.
pub fn flow(forget: f64, displacement: DMat3) -> f64 {
    if forget == 0.0 { sheared(displacement) } else { 0.0 }
}

fn sheared(displacement: DMat3) -> f64 {
    let strain = 0.5 * (displacement + displacement.transpose());
    norm(strain - trace(strain) / 3.0 * DMat3::IDENTITY)
}
