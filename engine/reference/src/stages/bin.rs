//! Cells of the particles.

use tuff_problem::{bounds, grid_for};

use crate::context::Context;
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Finds the cell of every particle from its position rounded to f32.
pub fn bin<S: Scalar>(context: &Context, state: &mut State<S>) {
    let particle_count = state.particle_count();
    let grid = *state.grid.get_or_insert_with(|| {
        let (min, max) = bounds(state.position.iter().map(|p| p.to_array()));
        grid_for(min, max, context.radius(), particle_count)
    });
    let cell = |p: usize| grid.index(grid.coordinates(state.position[p].as_vec3().to_array()));
    state.cell = parallel::map(particle_count, cell);
}
