//! The rows of total bodies in a sweep.

use tuff_problem::COLOR_COUNT;

use super::solve_inelastic::{begin_sweep, solve_particles};
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Runs the rows of [`solve_inelastic`](super::solve_inelastic) for the particles of total bodies, by the cells in which they started:
/// their neighbors may be far away now, so that the present cells do not keep rows apart.
pub fn solve_total<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let sweep = begin_sweep(context, state);
    for color in 0..COLOR_COUNT as usize {
        sweep.total_color(&context.total, state, color, |state, mut owns, counters| {
            solve_particles(context, step, state, &sweep, &mut owns, counters);
        });
    }
    sweep.show(state);
}
