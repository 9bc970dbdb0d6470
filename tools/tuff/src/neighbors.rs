//! Counts the neighbors of a problem's particles at the start.

use tuff_problem::Problem;

/// Maximum number of particles whose neighbors are counted.
const SAMPLE: usize = 20_000;

/// Returns the number of neighbors per particle: the mean over a sample, and the largest.
pub fn count(problem: &Problem) -> (f64, u32) {
    let position: Vec<[f64; 3]> = problem.particles.position.iter().map(|p| p.to_array()).collect();
    let (min, max) = problem.bounds();
    let grid = problem.grid(min, max);
    let coordinates = |p: &[f64; 3]| grid.coordinates(p.map(|c| c as f32));
    let mut order: Vec<(u32, u32)> =
        position.iter().enumerate().map(|(i, p)| (grid.index(coordinates(p)), i as u32)).collect();
    order.sort_unstable();

    let support = 2.0 * problem.scene.solver.kernel_radius;
    let stride = position.len().div_ceil(SAMPLE).max(1);
    let (mut total, mut largest, mut counted) = (0_u64, 0, 0_u64);
    for p in position.iter().step_by(stride) {
        let here = coordinates(p);
        let mut cells: Vec<u32> = Vec::with_capacity(27);
        for offset in 0..27 {
            let shift = [offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1];
            cells.push(grid.index([0, 1, 2].map(|a| here[a].wrapping_add(shift[a]))));
        }
        // On a small grid several offsets lead to the same cell.
        cells.sort_unstable();
        cells.dedup();
        let mut near = 0;
        for cell in cells {
            let first = order.partition_point(|o| o.0 < cell);
            for &(_, other) in order[first..].iter().take_while(|o| o.0 == cell) {
                let q = position[other as usize];
                let distance: f64 = (0..3).map(|a| (p[a] - q[a]).powi(2)).sum();
                near += u32::from(distance < support * support);
            }
        }
        // Subtract the particle itself.
        let near = near.saturating_sub(1);
        total += u64::from(near);
        largest = largest.max(near);
        counted += 1;
    }
    (total as f64 / counted.max(1) as f64, largest)
}
