//! Neighbor lists.

use glam::DVec3;
use tuff_problem::Grid;

use crate::context::Context;
use crate::kernel::unstrained_length;
use crate::parallel::{BLOCK, blocks};
use crate::scalar::Scalar;
use crate::state::State;

/// The lists of a block of consecutive particles.
#[derive(Default)]
struct Lists {
    /// Number of pairs of each particle, and of those that are candidates for position correction.
    counts: Vec<[u32; 2]>,
    neighbor: Vec<u32>,
    quantized: Vec<u8>,
}

/// Lists the neighbors of every particle: those nearer than 2 r by the positions rounded to f32.
///
/// The classes of two bodies decide whether their particles are neighbors. Candidates of the position correction come first; otherwise
/// the order follows the adjacent cells, which Newton's scheme visits in ascending order. Fills other particle and quantized weight of
/// the pairs.
pub fn find_neighbors<S: Scalar>(context: &Context, state: &mut State<S>) {
    let rounded: Vec<DVec3> = state.position.iter().map(|x| x.as_vec3().as_dvec3()).collect();
    let count = state.particle_count();
    let lists = blocks(count, |range| {
        let mut lists = Lists { counts: Vec::with_capacity(BLOCK), ..Lists::default() };
        let mut rest = Lists::default();
        for p in range {
            list(context, state, &rounded, p, &mut lists, &mut rest);
        }
        lists
    });
    state.neighbor_start.clear();
    state.neighbor_start.push(0);
    state.candidate_end.clear();
    let mut end = 0;
    for [all, near] in lists.iter().flat_map(|lists| &lists.counts) {
        state.candidate_end.push(end + near);
        end += all;
        state.neighbor_start.push(end);
    }
    state.neighbor.clear();
    state.quantized.clear();
    for lists in lists {
        state.neighbor.extend(lists.neighbor);
        state.quantized.extend(lists.quantized);
    }
}

/// Appends the list of p; `rest` is scratch.
fn list<S: Scalar>(
    context: &Context,
    state: &State<S>,
    rounded: &[DVec3],
    p: usize,
    lists: &mut Lists,
    rest: &mut Lists,
) {
    let support = (2.0 * context.radius()).powi(2);
    let candidate = context.candidate_distance().powi(2);
    let class = context.classes.class(state.body[p]);
    let kernel = context.kernel();
    let first = lists.neighbor.len();
    let cells = state.grid.map(|grid| adjacent_cells(&grid, rounded[p], context.settings.newton()));
    let mut cells = cells.into_iter().flatten().peekable();
    while let Some(cell) = cells.next() {
        let mut range = state.cell_range(cell);
        // Consecutive cells hold consecutive particles.
        while let Some(next) = cells.next_if(|&next| state.cell_range(next).start == range.end) {
            range.end = state.cell_range(next).end;
        }
        for b in range {
            let squared = (rounded[b] - rounded[p]).length_squared();
            if squared >= support || b == p {
                continue;
            }
            let same_body = state.body[b] == state.body[p];
            let other = if same_body { class } else { context.classes.class(state.body[b]) };
            let pairing = class.pairing(other, same_body);
            if !pairing.listed {
                continue;
            }
            let quantized = if pairing.weighed {
                let d = state.position[b] - state.position[p];
                kernel.quantized(unstrained_length(state.metric[p], d))
            } else {
                0
            };
            let list = if squared < candidate { &mut *lists } else { &mut *rest };
            list.neighbor.push(b as u32);
            list.quantized.push(quantized);
        }
    }
    let near = lists.neighbor.len() - first;
    lists.neighbor.append(&mut rest.neighbor);
    lists.quantized.append(&mut rest.quantized);
    lists.counts.push([(lists.neighbor.len() - first) as u32, near as u32]);
}

/// Returns the 27 cells around a position, z outermost, x innermost, or ascending. They are distinct because every period has at
/// least three cells.
fn adjacent_cells(grid: &Grid, rounded: DVec3, ascending: bool) -> [u32; 27] {
    let [x, y, z] = grid.coordinates(rounded.as_vec3().to_array());
    let mut cells: [u32; 27] = std::array::from_fn(|i| {
        let i = i as i32;
        grid.index([x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1])
    });
    if ascending {
        cells.sort_unstable();
    }
    cells
}
