//! Neighbor lists.

use std::ops::Range;

use glam::Vec3;
use multiversion::multiversion;
use tuff_problem::{Class, Grid};

use crate::context::Context;
use crate::kernel::Kernel;
use crate::parallel::{BLOCK, blocks, each_of_three};
use crate::scalar::Scalar;
use crate::state::State;
use crate::tensor::voigt;

/// The lists of a block of consecutive particles.
#[derive(Default)]
struct Lists {
    /// Number of pairs of each particle, and of those that are candidates for position correction.
    counts: Vec<[u32; 2]>,
    neighbor: Vec<u32>,
    quantized: Vec<u8>,
}

/// Positions rounded to f32, by coordinate [m], each of shape [particle_count].
type Rounded = [Vec<f32>; 3];

/// Particles within the support of a particle. Arrays of indices and distances have room for more than were found.
#[derive(Default)]
struct Found {
    count: usize,
    index: Vec<u32>,
    /// Squared distances [m^2].
    squared: Vec<f32>,
    /// Offsets by coordinate [m].
    offset: [Vec<f64>; 3],
    /// `255 sqrt(W / W(0))`, not yet rounded.
    weight: Vec<f64>,
}

/// Lists the neighbors of every particle: those nearer than 2 r by the positions rounded to f32.
///
/// The classes of two bodies decide whether their particles are neighbors. Candidates of the position correction come first; otherwise
/// the order follows the adjacent cells, which Newton's scheme visits in ascending order. A particle of a total body lists besides, in
/// ascending order, the neighbors that it keeps, wherever they are; with all others it has pairs for contact alone, between particles that
/// may touch. Fills other particle and quantized weight of the pairs.
pub fn find_neighbors<S: Scalar>(context: &Context, state: &mut State<S>) {
    let count = state.particle_count();
    let mut rounded: Rounded = std::array::from_fn(|_| vec![0.0; count]);
    let [x, y, z] = &mut rounded;
    each_of_three(x, y, z, |p, x, y, z| [*x, *y, *z] = state.position[p].as_vec3().to_array());
    let lists = blocks(count, |range| {
        let mut lists = Lists { counts: Vec::with_capacity(BLOCK), ..Lists::default() };
        let mut found = Found::default();
        let mut around = (None, Vec::new());
        for p in range {
            let at = Vec3::from_array([0, 1, 2].map(|axis| rounded[axis][p]));
            if let Some(grid) = state.grid.filter(|_| around.0 != Some(state.cell[p])) {
                around = (Some(state.cell[p]), adjacent(state, &grid, at, context.settings.newton()));
            }
            found.gather(context, state, &rounded, p, &around.1);
            lists.add(context, state, p, &found);
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

impl Found {
    /// Looks for the particles within the support of p among the runs of particles `around`.
    fn gather<S: Scalar>(
        &mut self,
        context: &Context,
        state: &State<S>,
        rounded: &Rounded,
        p: usize,
        around: &[Range<usize>],
    ) {
        let support = support(context);
        let mut count = 0;
        for run in around {
            let room = count + run.len();
            if self.index.len() < room {
                self.index.resize(room, 0);
                self.squared.resize(room, 0.0);
            }
            let [x, y, z] = rounded.each_ref().map(|values| &values[run.clone()]);
            let at = rounded.each_ref().map(|values| values[p]);
            let (index, squared) = (&mut self.index[count..room], &mut self.squared[count..room]);
            count += within([x, y, z], at, support, run.start as u32, index, squared);
        }
        self.count = count;
        self.offset.iter_mut().for_each(Vec::clear);
        for &b in &self.index[..count] {
            let offset = state.position[b as usize] - state.position[p];
            for (values, value) in std::iter::zip(&mut self.offset, offset.to_array()) {
                values.push(value);
            }
        }
        self.weight.resize(count, 0.0);
        let offset = self.offset.each_ref().map(Vec::as_slice);
        weigh(&context.kernel(), voigt(state.metric[p]), offset, &mut self.weight);
    }
}

impl Lists {
    /// Appends the list of p, for which `found` was gathered.
    fn add<S: Scalar>(&mut self, context: &Context, state: &State<S>, p: usize, found: &Found) {
        let candidate = (context.candidate_distance() as f32).powi(2).min(support(context));
        let body = state.body[p];
        let class = context.classes.class(body);
        // Neighbors mostly come body by body.
        let mut last = (body, class, context.classes.pairing(body, body));
        let row = context.total.row(state.id[p]);
        let kept = row.map_or(&[][..], |row| context.total.neighbors(row));
        let keeps = |b: u32| kept.binary_search_by_key(&state.id[b as usize], |pair| pair.id).is_ok();
        let first = self.neighbor.len();
        let mut near = 0;
        for far in [false, true] {
            for ((&b, &squared), &weight) in
                std::iter::zip(std::iter::zip(&found.index[..found.count], &found.squared), &found.weight)
            {
                if (!far && squared >= candidate) || b as usize == p {
                    continue;
                }
                let other = state.body[b as usize];
                if other != last.0 {
                    last = (other, context.classes.class(other), context.classes.pairing(body, other));
                }
                let (_, others, pairing) = last;
                if (squared >= candidate || !pairing.apart) != far || !pairing.listed {
                    continue;
                }
                if (class == Class::Total || others == Class::Total) && (far || keeps(b)) {
                    continue;
                }
                if let (Some(own), Some(others)) = (state.walls.get(p), state.walls.get(b as usize))
                    && own.divide(others, state.position[b as usize] - state.position[p])
                {
                    continue;
                }
                self.neighbor.push(b);
                self.quantized.push(if pairing.weighed { Kernel::rounded(weight) } else { 0 });
            }
            if !far {
                near = self.neighbor.len() - first;
            }
        }
        let mut kept: Vec<(u32, u8)> =
            kept.iter().map(|pair| (state.place[pair.id as usize] as u32, pair.weight)).collect();
        kept.sort_unstable();
        self.neighbor.extend(kept.iter().map(|pair| pair.0));
        self.quantized.extend(kept.iter().map(|pair| pair.1));
        self.counts.push([(self.neighbor.len() - first) as u32, near as u32]);
    }
}

/// Returns the square of the support, rounded as on the device [m^2].
fn support(context: &Context) -> f32 {
    let radius = context.radius() as f32;
    4.0 * radius * radius
}

/// Writes index and squared distance of the points nearer to `at` than the square root of `support`; `first` is the index of the first
/// point. Returns their number. Distances are rounded as on the device.
#[multiversion(targets("x86_64+avx2"))]
fn within(
    points: [&[f32]; 3],
    at: [f32; 3],
    support: f32,
    first: u32,
    index: &mut [u32],
    squared: &mut [f32],
) -> usize {
    const CHUNK: usize = 32;
    let count = points[0].len();
    let mut found = 0;
    for begin in (0..count).step_by(CHUNK) {
        let end = count.min(begin + CHUNK);
        let mut distance = [f32::INFINITY; CHUNK];
        let [x, y, z] = points.map(|values| &values[begin..end]);
        for ((distance, &x), (&y, &z)) in
            std::iter::zip(std::iter::zip(&mut distance, x), std::iter::zip(y, z))
        {
            let d = [x - at[0], y - at[1], z - at[2]];
            *distance = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        }
        for (i, &distance) in distance[..end - begin].iter().enumerate() {
            // Without a branch: which points are near is not predictable. There is room for all.
            index[found] = first + (begin + i) as u32;
            squared[found] = distance;
            found += usize::from(distance < support);
        }
    }
    found
}

/// Computes `255 sqrt(W / W(0))` of neighbors at the given offsets [m], their distances being those of
/// [`unstrained_length`](crate::kernel::unstrained_length).
#[multiversion(targets("x86_64+avx2"))]
fn weigh(kernel: &Kernel, metric: [f64; 6], offset: [&[f64]; 3], weight: &mut [f64]) {
    let [xx, yy, zz, yz, xz, xy] = metric;
    let [x, y, z] = offset.map(|values| &values[..weight.len()]);
    for (i, weight) in weight.iter_mut().enumerate() {
        let (x, y, z) = (x[i], y[i], z[i]);
        let strained = x * x + y * y + z * z;
        let removed = xx * x * x + yy * y * y + zz * z * z + 2.0 * (yz * y * z + xz * x * z + xy * x * y);
        *weight = kernel.weight((strained + removed).max(0.0).sqrt());
    }
}

/// Returns the particles of the 27 cells around a position in runs of consecutive ones: z outermost, x innermost, or ascending. The
/// cells are distinct because every period has at least three.
fn adjacent<S: Scalar>(state: &State<S>, grid: &Grid, at: Vec3, ascending: bool) -> Vec<Range<usize>> {
    let [x, y, z] = grid.coordinates(at.to_array());
    let mut cells: [u32; 27] = std::array::from_fn(|i| {
        let i = i as i32;
        grid.index([x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1])
    });
    if ascending {
        cells.sort_unstable();
    }
    let mut runs: Vec<Range<usize>> = Vec::with_capacity(cells.len());
    for range in cells.map(|cell| state.cell_range(cell)).into_iter().filter(|range| !range.is_empty()) {
        match runs.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => runs.push(range),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn points_within_a_distance_are_found_in_order() {
        // 70 points on a line, two chunks and a part of a third.
        let x: Vec<f32> = (0..70).map(|i| i as f32).collect();
        let none = vec![0.0; 70];
        let (mut index, mut squared) = (vec![0; 70], vec![0.0; 70]);
        let mut look = |at: f32, distance: f32| {
            let found = within(
                [&x, &none, &none],
                [at, 0.0, 0.0],
                distance * distance,
                100,
                &mut index,
                &mut squared,
            );
            index[..found].to_vec()
        };
        assert_eq!(look(31.0, 2.5), [129, 130, 131, 132, 133]);
        assert_eq!(look(69.0, 1.0), [169], "points at the distance itself are not within it");
        assert_eq!(look(-5.0, 2.0), [0; 0]);
        assert_eq!(look(35.0, 1e3), (100..170).collect::<Vec<u32>>());
    }

    #[test]
    fn weights_are_those_of_the_kernel() {
        let kernel = Kernel::new(0.1);
        let stretch = DVec3::new(1.2, 0.9, 1.0);
        let metric = stretch.powf(-2.0) - 1.0;
        let d = DVec3::new(0.03, -0.05, 0.07);
        let mut weight = [0.0];
        weigh(&kernel, [metric.x, metric.y, metric.z, 0.0, 0.0, 0.0], [&[d.x], &[d.y], &[d.z]], &mut weight);
        let before = (d / stretch).length();
        let expected = 255.0 * (kernel.value(before) / kernel.value(0.0)).sqrt();
        assert!((weight[0] - expected).abs() < 1e-9, "{weight:?} {expected}");
        assert_eq!(Kernel::rounded(weight[0]), expected.round() as u8);
    }
}
