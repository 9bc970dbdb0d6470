//! The cells of a grid that a shape touches.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use crate::shape::{Shape, Side};

/// A cell of a cubic grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub at: UVec3,
    /// True if only a part of the cell may belong to the shape.
    pub mixed: bool,
}

/// A cubic grid in the local frame of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellGrid {
    /// Lowest corner [m].
    pub origin: DVec3,
    /// Edge of a cell [m].
    pub edge: f64,
    /// Cells along each axis.
    pub size: UVec3,
}

impl CellGrid {
    /// Returns the grid over the same space with cells of half the edge.
    pub fn halved(&self) -> Self {
        Self { edge: self.edge * 0.5, size: self.size * 2, ..*self }
    }

    /// Returns the middle of a cell [m].
    pub fn middle(&self, at: UVec3) -> DVec3 {
        self.origin + (at.as_dvec3() + 0.5) * self.edge
    }

    /// Returns the side of one cell, determined from the ball around it.
    pub fn side(&self, shape: &Shape, at: UVec3) -> Side {
        shape.side(shape.to_scene(self.middle(at)), 0.75_f64.sqrt() * self.edge)
    }

    /// Returns all cells that are not outside, ordered by z, then y, then x. Uniform regions are found in large blocks.
    pub fn cells(&self, shape: &Shape) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut blocks = vec![Block { low: UVec3::ZERO, edge: self.size.max_element().next_power_of_two() }];
        while !blocks.is_empty() {
            let sides: Vec<Side> = blocks.par_iter().map(|block| self.side_of(shape, block)).collect();
            let mut halves = Vec::new();
            for (block, side) in blocks.iter().zip(sides) {
                match side {
                    Side::Outside => {}
                    Side::Mixed if block.edge > 1 => halves.extend(block.halves(self.size)),
                    _ => {
                        found.extend(block.cells(self.size).map(|at| Cell { at, mixed: side == Side::Mixed }))
                    }
                }
            }
            blocks = halves;
        }
        found.par_sort_unstable_by_key(|c| (c.at.z, c.at.y, c.at.x));
        found
    }

    fn side_of(&self, shape: &Shape, block: &Block) -> Side {
        let edge = f64::from(block.edge);
        let middle = self.origin + (block.low.as_dvec3() + 0.5 * edge) * self.edge;
        shape.side(shape.to_scene(middle), 0.75_f64.sqrt() * edge * self.edge)
    }
}

/// A cube of cells.
struct Block {
    low: UVec3,
    /// Cells along an edge, a power of two.
    edge: u32,
}

impl Block {
    /// Iterates over those of its eight octants that begin within `size`.
    fn halves(&self, size: UVec3) -> impl Iterator<Item = Self> {
        let (low, edge) = (self.low, self.edge / 2);
        (0..8)
            .map(move |i| Self { low: low + UVec3::new(i & 1, i >> 1 & 1, i >> 2) * edge, edge })
            .filter(move |half| half.low.cmplt(size).all())
    }

    /// Iterates over its cells within `size`.
    fn cells(&self, size: UVec3) -> impl Iterator<Item = UVec3> {
        let (low, high) = (self.low, (self.low + self.edge).min(size));
        (low.z..high.z).flat_map(move |z| {
            (low.y..high.y).flat_map(move |y| (low.x..high.x).map(move |x| UVec3::new(x, y, z)))
        })
    }
}
