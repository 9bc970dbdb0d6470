//! The pairs of other particles with each particle: sums over them need no writes to neighbors.

use rayon::prelude::*;

use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Parts of the particles that are filled concurrently, and the least size of one: each part reads the lists of its surroundings too.
const PARTS: usize = 32;
const LEAST: usize = 1024;

/// Fills `back_neighbor` and `back_rows`, by the index of the other particle.
pub fn reverse_pairs<S: Scalar>(state: &mut State<S>) {
    let mut neighbor = std::mem::take(&mut state.back_neighbor);
    let mut rows = std::mem::take(&mut state.back_rows);
    neighbor.resize(state.neighbor.len(), 0);
    rows.resize(state.rows.len(), S::Quad::default());
    let size = state.particle_count().div_ceil(PARTS).max(LEAST);
    let parts = parallel::parts(&mut neighbor, &state.neighbor_start, size);
    let row_parts = parallel::parts(&mut rows, &state.neighbor_start, size);
    parts.into_par_iter().zip(row_parts).for_each(|((targets, neighbors), (_, rows))| {
        let start = state.neighbor_start[targets.start];
        let mut next: Vec<u32> = state.neighbor_start[targets.clone()].iter().map(|s| s - start).collect();
        // Lists are symmetric: whoever lists a target is listed by it.
        let listed = &state.neighbor[start as usize..start as usize + neighbors.len()];
        let Some((&low, &high)) = listed.iter().min().zip(listed.iter().max()) else { return };
        for p in low..=high {
            for i in state.neighbor_range(p as usize) {
                let target = (state.neighbor[i] as usize).wrapping_sub(targets.start);
                if let Some(next) = next.get_mut(target) {
                    neighbors[*next as usize] = p;
                    rows[*next as usize] = state.rows[i];
                    *next += 1;
                }
            }
        }
    });
    state.back_neighbor = neighbor;
    state.back_rows = rows;
}
