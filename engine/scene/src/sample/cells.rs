//! The cells of a grid that a shape touches.

use glam::{DVec3, UVec3};

use crate::shape::{Shape, Side};

/// A cell of a cubic grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub at: UVec3,
    /// Whether only a part of the cell may belong to the shape.
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
    /// The grid over the same space with cells of half the edge.
    pub fn halved(&self) -> Self {
        Self { edge: self.edge * 0.5, size: self.size * 2, ..*self }
    }

    /// Middle of a cell [m].
    pub fn middle(&self, at: UVec3) -> DVec3 {
        self.origin + (at.as_dvec3() + 0.5) * self.edge
    }

    /// Side of one cell, judged by the ball around it.
    pub fn side(&self, shape: &Shape, at: UVec3) -> Side {
        shape.side(shape.to_scene(self.middle(at)), 0.75_f64.sqrt() * self.edge)
    }

    /// All cells that are not outside, ordered by z, then y, then x. Uniform regions are found in
    /// large blocks.
    pub fn cells(&self, shape: &Shape) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut blocks = vec![(UVec3::ZERO, self.size.max_element().next_power_of_two())];
        while let Some((low, edge)) = blocks.pop() {
            if low.cmpge(self.size).any() {
                continue;
            }
            let middle = self.origin + (low.as_dvec3() + 0.5 * f64::from(edge)) * self.edge;
            let radius = 0.75_f64.sqrt() * f64::from(edge) * self.edge;
            let side = shape.side(shape.to_scene(middle), radius);
            match side {
                Side::Outside => {}
                Side::Mixed if edge > 1 => {
                    let half = edge / 2;
                    blocks.extend((0..8).map(|i| (low + UVec3::new(i & 1, i >> 1 & 1, i >> 2) * half, half)));
                }
                _ => {
                    let high = (low + edge).min(self.size);
                    for z in low.z..high.z {
                        for y in low.y..high.y {
                            for x in low.x..high.x {
                                found.push(Cell { at: UVec3::new(x, y, z), mixed: side == Side::Mixed });
                            }
                        }
                    }
                }
            }
        }
        found.sort_unstable_by_key(|c| (c.at.z, c.at.y, c.at.x));
        found
    }
}
