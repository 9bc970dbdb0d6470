//! Particles in the order of (cell, id).

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::Class;
use tuff_problem::thresholds::LEAST_STRETCH2;
use tuff_scene::contact_radius;

use crate::context::Context;
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::symmetric::eigen;
use crate::tensor::{norm, recompose, symmetric_part};

/// Reorders the particles by (cell, id), records where cells begin, and computes current volumes and metrics.
pub fn sort<S: Scalar>(context: &Context, state: &mut State<S>) {
    let mut order: Vec<usize> = (0..state.particle_count()).collect();
    order.par_sort_unstable_by_key(|&p| (state.cell[p], state.id[p]));
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
    let class = |p: usize| context.classes.class(state.body[p]);
    let volume = |p: usize| match class(p) {
        Class::Matter => state.rest_volume[p] * (DMat3::IDENTITY + state.strain[p]).determinant().sqrt(),
        Class::Fluid => -state.rest_volume[p],
        Class::Total | Class::Linked | Class::Cloth => 0.0,
    };
    let follows = |p: usize| context.kernels_follow_strain() && class(p) != Class::Fluid;
    let metric = |p: usize| if follows(p) { unstraining(state.strain[p]) } else { DMat3::ZERO };
    state.moduli = parallel::map(state.particle_count(), |p| {
        context.materials[state.material[p] as usize].moduli(&state.material_state[p])
    });
    state.contact_radius = parallel::map(state.particle_count(), |p| contact_radius(state.rest_volume[p]));
    (state.volume, state.metric) = parallel::map_two(state.particle_count(), |p| (volume(p), metric(p)));
}

/// Returns `N = (I + E)^-1 - I`: kernels see matter as it was before its elastic strain, so that the pairing of stretched layers
/// does not grow.
fn unstraining(strain: DMat3) -> DMat3 {
    if norm(strain) < 1.0 - LEAST_STRETCH2 {
        return symmetric_part((DMat3::IDENTITY + strain).inverse() * -strain);
    }
    let (w, axes) = eigen(strain);
    let bounded = w.max(DVec3::splat(LEAST_STRETCH2 - 1.0));
    recompose(axes, -bounded / (1.0 + bounded))
}
