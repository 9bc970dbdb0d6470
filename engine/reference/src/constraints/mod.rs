//! The constraints besides the inelastic one in the force balance: forces, products with the matrix and its diagonal blocks. Their
//! rows in sweeps are stages.

pub mod distance;
pub mod links;

use glam::{DMat3, DVec3};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::sheets;
use crate::state::State;
use crate::tensor::trace;

/// Adds their force imbalance [N s]. In sweeps, too-close pairs give impulses instead of forces.
pub fn add_forces<S: Scalar>(context: &Context, step: Step, state: &State<S>, force: &mut [DVec3]) {
    if context.settings.newton() {
        distance::add_forces(context, step, state, force);
        sheets::add_forces(state, force);
    }
    links::add_forces(context, step, state, force);
}

/// Adds their part of the matrix times a velocity change [N s].
pub fn add_product<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    d: &[DVec3],
    result: &mut [DVec3],
) {
    distance::add_product(context, step, state, d, result);
    sheets::add_product(state, d, result);
    links::add_product(context, step, state, d, result);
}

/// Adds the traces of their part of the diagonal blocks [kg].
pub fn add_traces<S: Scalar>(context: &Context, step: Step, state: &State<S>, traces: &mut [f64]) {
    distance::add_traces(context, step, state, traces);
    if !context.links.is_empty() {
        links::add_traces(context, step, state, traces);
        let mut blocks = vec![DMat3::ZERO; traces.len()];
        sheets::add_blocks(state, &mut blocks);
        parallel::each(traces, |p, sum| *sum += trace(blocks[p]));
    }
}

/// Adds their part of the diagonal blocks of the matrix [kg].
pub fn add_blocks<S: Scalar>(context: &Context, step: Step, state: &State<S>, blocks: &mut [DMat3]) {
    distance::add_blocks(context, step, state, blocks);
    sheets::add_blocks(state, blocks);
    links::add_blocks(context, step, state, blocks);
}
