//! Particles in the order of (cell, id).

use glam::{DMat3, DVec3};

use crate::context::Context;
use crate::state::State;
use crate::symmetric::eigen;
use crate::tensor::recompose;

/// Reorders the particles by (cell, id), records where cells begin, and computes current volumes and metrics.
pub fn sort(context: &Context, state: &mut State) {
    let mut order: Vec<usize> = (0..state.particle_count()).collect();
    order.sort_unstable_by_key(|&p| (state.cell[p], state.id[p]));
    state.reorder(&order);
    state.cell = order.iter().map(|&p| state.cell[p]).collect();
    state.place = state.index_of_id();

    let cell_count = state.grid.map_or(0, |grid| grid.cell_count() as usize);
    state.cell_start = vec![0; cell_count + 1];
    for &cell in &state.cell {
        state.cell_start[cell as usize + 1] += 1;
    }
    for cell in 0..cell_count {
        state.cell_start[cell + 1] += state.cell_start[cell];
    }
    state.volume = std::iter::zip(&state.rest_volume, &state.strain)
        .map(|(volume, &strain)| volume * (DMat3::IDENTITY + strain).determinant().sqrt())
        .collect();
    for (volume, &body) in std::iter::zip(&mut state.volume, &state.body) {
        *volume = if context.classes.class(body).in_kernels() { *volume } else { 0.0 };
    }
    let follows = context.kernels_follow_strain();
    state.metric = (state.strain.iter())
        .map(|&strain| if follows { unstraining(strain) } else { DMat3::ZERO })
        .collect();
}

/// Least squared stretch that the metric removes: matter compressed further keeps its neighbors within the support.
const LEAST_SQUARED_STRETCH: f64 = 1.0 / 16.0;

/// Returns `N = (I + E)^-1 - I`: kernels see matter as it was before its elastic strain, so that the pairing of stretched layers
/// does not grow.
fn unstraining(strain: DMat3) -> DMat3 {
    let (w, axes) = eigen(strain);
    let bounded = w.max(DVec3::splat(LEAST_SQUARED_STRETCH - 1.0));
    recompose(axes, -bounded / (1.0 + bounded))
}
