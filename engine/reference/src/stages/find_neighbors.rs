//! Neighbor lists.

use crate::context::Context;
use crate::kernel::{quantized_weight, unstrained_length};
use crate::state::{Pair, State};

/// Lists the neighbors of every particle: those nearer than 2 r by the positions rounded to f32.
///
/// The classes of two bodies decide whether their particles are neighbors. Candidates of the position correction come first; otherwise
/// the order follows the adjacent cells, which Newton's scheme visits in ascending order. Fills index and quantized weight of the
/// pairs.
pub fn find_neighbors(context: &Context, state: &mut State) {
    let support = (2.0 * context.radius()).powi(2);
    let candidate = context.candidate_distance().powi(2);
    let mut pairs = Vec::with_capacity(state.pairs.len());
    let mut rest = Vec::new();
    state.neighbor_start = vec![0];
    state.candidate_end.clear();
    for p in 0..state.particle_count() {
        let rounded = state.position[p].as_vec3();
        let class = context.classes.class(state.body[p]);
        rest.clear();
        for cell in adjacent_cells(state, rounded.to_array(), context.settings.newton()) {
            for b in state.cell_range(cell) {
                let squared = (state.position[b].as_vec3().as_dvec3() - rounded.as_dvec3()).length_squared();
                let same_body = state.body[b] == state.body[p];
                let pairing = class.pairing(context.classes.class(state.body[b]), same_body);
                if b == p || !pairing.listed || squared >= support {
                    continue;
                }
                let d = state.position[b] - state.position[p];
                let distance = unstrained_length(state.metric[p], d);
                let quantized =
                    if pairing.weighed { quantized_weight(distance, context.radius()) } else { 0 };
                let list = if squared < candidate { &mut pairs } else { &mut rest };
                list.push(Pair { index: b as u32, quantized, ..Pair::default() });
            }
        }
        state.candidate_end.push(pairs.len() as u32);
        pairs.append(&mut rest);
        state.neighbor_start.push(pairs.len() as u32);
    }
    state.pairs = pairs;
}

/// Returns the 27 cells around a position, z outermost, x innermost, or ascending. They are distinct because every period has at
/// least three cells.
fn adjacent_cells(state: &State, position: [f32; 3], ascending: bool) -> Vec<u32> {
    let Some(grid) = state.grid else {
        return Vec::new();
    };
    let [x, y, z] = grid.coordinates(position);
    let mut cells: Vec<u32> =
        (0..27).map(|i| grid.index([x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1])).collect();
    if ascending {
        cells.sort_unstable();
    }
    cells
}
