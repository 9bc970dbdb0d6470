//! The cell grid shared by neighbor search and coloring.

/// Number of colors: cells of one color are at least three cells apart along some axis.
pub const COLOR_COUNT: u32 = 27;

/// A periodic grid of cubic cells.
///
/// Space is tiled by copies of the grid, so every position has a cell however far matter flies. Two cells one period apart share
/// an entry, which only costs extra distance tests: neighbors are identified by distance, and because every period is a multiple
/// of three, cells of one color stay three cells apart across the seam, so that writes to adjacent cells never meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Edge of a cell [m].
    pub edge: f32,
    /// Cells along each axis, each a multiple of 3.
    pub size: [u32; 3],
}

impl Grid {
    /// Creates a grid for matter inside `[min, max]` [m] with support radius `support` [m].
    ///
    /// The edge is `support (1 + 1e-4)` and 4 ulp of the largest coordinate more, so that particles
    /// nearer than `support` are always in adjacent cells after rounding to f32. Periods shrink,
    /// largest first, until at most `max_cells` cells remain.
    pub fn new(min: [f64; 3], max: [f64; 3], support: f64, max_cells: u32) -> Self {
        let extent = min.iter().chain(&max).fold(0.0_f64, |m, c| m.max(c.abs()));
        let ulp = extent * f64::from(f32::EPSILON);
        let edge = (support * (1.0 + 1e-4) + 4.0 * ulp) as f32;
        let mut size = [3_u32; 3];
        for axis in 0..3 {
            let cells = ((max[axis] - min[axis]) / f64::from(edge)).max(0.0) as u32;
            size[axis] = (cells.min(1 << 20) + 2).next_multiple_of(3);
        }
        let cells = |s: [u32; 3]| s.iter().map(|&n| u64::from(n)).product::<u64>();
        while cells(size) > u64::from(max_cells.max(27)) {
            let largest = (0..3).max_by_key(|&a| (size[a], a)).unwrap_or(0);
            size[largest] = (size[largest] / 2).next_multiple_of(3).min(size[largest] - 3).max(3);
        }
        Self { edge, size }
    }

    /// Returns the number of cells.
    pub fn cell_count(&self) -> u32 {
        self.size.iter().product()
    }

    /// Returns the integer coordinates of the cell that holds `position` [m], before wrapping. Evaluated in f32 exactly as in the
    /// shader.
    pub fn coordinates(&self, position: [f32; 3]) -> [i32; 3] {
        position.map(|c| (c / self.edge).floor() as i32)
    }

    /// Returns the index of a cell from its coordinates: x fastest, then y, then z.
    pub fn index(&self, coordinates: [i32; 3]) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|a| coordinates[a].rem_euclid(self.size[a] as i32) as u32);
        x + self.size[0] * (y + self.size[1] * z)
    }

    /// Returns the color of a cell, in `0..COLOR_COUNT`.
    pub fn color(&self, cell: u32) -> u32 {
        let x = cell % self.size[0];
        let y = cell / self.size[0] % self.size[1];
        let z = cell / self.size[0] / self.size[1];
        x % 3 + 3 * (y % 3) + 9 * (z % 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_color_cells_never_share_an_adjacent_cell() {
        let grid = Grid { edge: 1.0, size: [6, 3, 9] };
        let reach = |cell: u32| {
            let [x, y, z] = [cell % 6, cell / 6 % 3, cell / 18].map(|c| c as i32);
            let mut cells = Vec::new();
            for dz in -1..=1 {
                for dy in -1..=1 {
                    for dx in -1..=1 {
                        cells.push(grid.index([x + dx, y + dy, z + dz]));
                    }
                }
            }
            cells
        };
        for a in 0..grid.cell_count() {
            for b in 0..a {
                if grid.color(a) == grid.color(b) {
                    let reached = reach(a);
                    assert!(reach(b).iter().all(|c| !reached.contains(c)), "cells {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn cells_cover_the_support_far_from_the_origin() {
        let grid = Grid::new([999.0; 3], [1000.0; 3], 0.02, 1 << 20);
        let mut x = 999.0_f32;
        while x < 999.1 {
            let y = x + 0.02;
            if y - x < 0.02 {
                let [a, b] = [x, y].map(|c| grid.coordinates([c, 0.0, 0.0])[0]);
                assert!((b - a).abs() <= 1, "{x} and {y} lie in cells {a} and {b}");
            }
            x = x.next_up();
        }
    }

    #[test]
    fn periods_are_bounded_and_multiples_of_three() {
        let grid = Grid::new([-1e6; 3], [1e6; 3], 0.02, 5000);
        assert!(grid.cell_count() <= 5000);
        assert!(grid.size.iter().all(|n| n % 3 == 0 && *n >= 3));
    }
}
