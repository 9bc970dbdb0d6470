//! Maximal Poisson-disk sampling.

use glam::{DVec3, UVec3};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::cells::{Cell, CellGrid};
use crate::shape::{Shape, Side};

/// Rounds of darts before each halving of the cells. What is left of a void after the last one, a
/// millionth of the spacing wide, counts as full.
const ROUNDS: [usize; 20] = [4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
/// Parts of a round; inside a part darts fly in memory order, which the parts keep far apart.
const PARTS: usize = 16;

/// Random points inside a shape, no two nearer than `spacing` [m], so many that there is no room for
/// another: darts are thrown into cells that may have room, and cells are halved and dropped once one
/// point covers them (after Ebeida et al. 2012).
pub(super) fn fill(shape: &Shape, spacing: f64, seed: u64) -> Vec<DVec3> {
    let bounds = shape.local_bounds();
    let size = (bounds.size() / spacing).ceil().max(DVec3::ONE);
    let mut grid = CellGrid {
        origin: bounds.center() - 0.5 * spacing * size,
        edge: spacing,
        size: size.as_uvec3(),
    };
    let mut active = grid.cells(shape);
    let mut points = Points::new(grid, spacing);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut near = Vec::new();
    for rounds in ROUNDS {
        for _ in 0..rounds {
            throw(shape, &grid, &active, &mut points, &mut random);
        }
        let finer = grid.halved();
        let mut rest = Vec::new();
        for cell in active {
            points.gather(grid.middle(cell.at), &mut near);
            if covered(&near, grid.middle(cell.at), grid.edge, spacing) {
                continue;
            }
            for i in 0..8 {
                let at = cell.at * 2 + UVec3::new(i & 1, i >> 1 & 1, i >> 2);
                if covered(&near, finer.middle(at), finer.edge, spacing) {
                    continue;
                }
                let side = if cell.mixed { finer.side(shape, at) } else { Side::Inside };
                if side != Side::Outside {
                    rest.push(Cell { at, mixed: side == Side::Mixed });
                }
            }
        }
        active = rest;
        grid = finer;
        if active.is_empty() {
            break;
        }
    }
    points.ordered().map(|p| shape.to_scene(p)).collect()
}

/// Throws one dart into every active cell.
fn throw(shape: &Shape, grid: &CellGrid, active: &[Cell], points: &mut Points, random: &mut ChaCha8Rng) {
    let mut order: [Vec<u32>; PARTS] = Default::default();
    let mut bits = 0_u64;
    for i in 0..active.len() {
        if i % PARTS == 0 {
            bits = random.next_u64();
        }
        order[(bits & (PARTS as u64 - 1)) as usize].push(i as u32);
        bits >>= 4;
    }
    const SCALE: f64 = 1.0 / (1_u64 << 21) as f64;
    for &i in order.iter().flatten() {
        let cell = active[i as usize];
        let bits = random.next_u64();
        let part = |shift: u32| ((bits >> shift & 0x1f_ffff) as f64 + 0.5) * SCALE;
        let dart = DVec3::new(part(0), part(21), part(42));
        let p = grid.origin + (cell.at.as_dvec3() + dart) * grid.edge;
        if points.have_room(p) && (!cell.mixed || shape.contains(shape.to_scene(p))) {
            points.insert(p);
        }
    }
}

/// Whether one of the points leaves no room in the whole cube about `middle`.
fn covered(points: &[DVec3], middle: DVec3, edge: f64, spacing: f64) -> bool {
    let squared = spacing * spacing;
    points.iter().any(|&q| ((middle - q).abs() + 0.5 * edge).length_squared() < squared)
}

/// Accepted points in lists per cell of edge `spacing`.
struct Points {
    grid: CellGrid,
    spacing: f64,
    /// First point of each cell, or `NONE`.
    head: Vec<u32>,
    /// Position and next point of the same cell.
    list: Vec<(DVec3, u32)>,
}

const NONE: u32 = u32::MAX;

impl Points {
    fn new(grid: CellGrid, spacing: f64) -> Self {
        let cells = grid.size.to_array().iter().map(|&n| n as usize).product();
        Self { grid, spacing, head: vec![NONE; cells], list: Vec::new() }
    }

    fn index(&self, at: UVec3) -> usize {
        at.x as usize + self.grid.size.x as usize * (at.y as usize + self.grid.size.y as usize * at.z as usize)
    }

    fn cell(&self, p: DVec3) -> UVec3 {
        ((p - self.grid.origin) / self.grid.edge).as_uvec3().min(self.grid.size - 1)
    }

    fn insert(&mut self, p: DVec3) {
        let cell = self.index(self.cell(p));
        self.list.push((p, self.head[cell]));
        self.head[cell] = self.list.len() as u32 - 1;
    }

    /// Calls `visit` with every point that may be nearer to `p` than the spacing, until it returns
    /// true; returns whether it did.
    fn any_near(&self, p: DVec3, mut visit: impl FnMut(DVec3) -> bool) -> bool {
        let local = (p - self.grid.origin) / self.grid.edge;
        let low = (local - 1.0).max(DVec3::ZERO).as_uvec3();
        let high = (local + 1.0).as_uvec3().min(self.grid.size - 1);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let row = self.index(UVec3::new(0, y, z));
                for &first in &self.head[row + low.x as usize..=row + high.x as usize] {
                    let mut next = first;
                    while next != NONE {
                        let (q, after) = self.list[next as usize];
                        if visit(q) {
                            return true;
                        }
                        next = after;
                    }
                }
            }
        }
        false
    }

    /// Whether no point is nearer to `p` than the spacing.
    fn have_room(&self, p: DVec3) -> bool {
        let squared = self.spacing * self.spacing;
        !self.any_near(p, |q| p.distance_squared(q) < squared)
    }

    /// Collects the points nearer to `middle` than the spacing: no others can cover a cube with a
    /// corner there.
    fn gather(&self, middle: DVec3, near: &mut Vec<DVec3>) {
        near.clear();
        let squared = self.spacing * self.spacing;
        self.any_near(middle, |q| {
            if middle.distance_squared(q) < squared {
                near.push(q);
            }
            false
        });
    }

    /// The points in the order of their cells.
    fn ordered(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.head.iter().flat_map(move |&first| {
            let mut next = first;
            std::iter::from_fn(move || {
                let (p, after) = *self.list.get(next as usize)?;
                next = after;
                Some(p)
            })
        })
    }
}
