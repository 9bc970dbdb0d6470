//! Cubic lattices.

use glam::DVec3;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::cells::{Cell, CellGrid};
use crate::random::unit;
use crate::shape::Shape;

/// Returns the centers of the lattice cells that lie inside [m], ordered by z, then y, then x of the shape's own frame.
///
/// The lattice is aligned with the shape's frame and centered in its bounds, with the number of cells along each axis that comes
/// closest to its length: a box divisible by the spacing is filled exactly, and round shapes are filled symmetrically. A shape
/// thinner than half a spacing gets none.
pub(super) fn fill(shape: &Shape, spacing: f64, jitter: f64, seed: u64) -> Vec<DVec3> {
    let bounds = shape.local_bounds();
    let count = (bounds.size() / spacing).round();
    if count.min_element() < 1.0 {
        return Vec::new();
    }
    let grid =
        CellGrid { origin: bounds.center() - 0.5 * spacing * count, edge: spacing, size: count.as_uvec3() };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let inside = |cell: &Cell| !cell.mixed || shape.contains(shape.to_scene(grid.middle(cell.at)));
    let cells: Vec<Cell> = grid.cells(shape).into_par_iter().filter(inside).collect();
    cells
        .into_iter()
        .map(|cell| {
            let mut p = grid.middle(cell.at);
            if jitter > 0.0 {
                let draw = DVec3::new(unit(&mut random), unit(&mut random), unit(&mut random));
                p += (draw * 2.0 - 1.0) * jitter * spacing;
            }
            shape.to_scene(p)
        })
        .collect()
}
