//! Maximal Poisson-disk sampling.

use glam::{DVec3, UVec3};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::cells::{Cell, CellGrid};
use crate::shape::{Shape, Side};

/// Rounds of darts before each halving of the cells. A void left after the last one, a millionth of the spacing wide, counts as
/// full.
const ROUNDS: [usize; 20] = [4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
/// Number of halvings after which a cell on the surface is classified by its corners and middle alone, for surfaces that cannot
/// tell the side of a small ball.
const FUZZY_LEVEL: usize = 5;
/// Growth of the number of undecided cells since the first halving from which on they are classified in the same way: the number
/// falls where a surface is sharp, and grows eightfold per halving where an open mesh leaves the side of whole volumes in doubt.
const FUZZY_GROWTH: usize = 2;
/// Parts of a round; within a part darts are thrown in memory order, and the parts keep them far apart.
const PARTS: usize = 16;

/// Returns random points inside a shape, no two closer than `spacing` [m], so many that there is no room for another: throws
/// darts into cells that may have room, halves cells, and drops them once one point covers them (after Ebeida et al. 2012).
pub(super) fn fill(shape: &Shape, spacing: f64, seed: u64) -> Vec<DVec3> {
    let bounds = shape.local_bounds();
    let size = (bounds.size() / spacing).ceil().max(DVec3::ONE);
    let mut grid =
        CellGrid { origin: bounds.center() - 0.5 * spacing * size, edge: spacing, size: size.as_uvec3() };
    let mut active = grid.cells(shape);
    let mut points = Points::new(grid.size, spacing);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut most = usize::MAX;
    for (level, rounds) in ROUNDS.into_iter().enumerate() {
        for _ in 0..rounds {
            throw(shape, &grid, &active, level, &mut points, &mut random);
        }
        let finer = grid.halved();
        let fuzzy = level >= FUZZY_LEVEL || active.len() > most;
        let halves = |near: &mut Vec<DVec3>, cell: &Cell| {
            points.gather(cell.at >> level as u32, grid.middle(cell.at), near);
            let mut rest = [None; 8];
            if covered(near, grid.middle(cell.at), grid.edge, spacing) {
                return rest;
            }
            for (i, half) in (0..8).zip(&mut rest) {
                let at = cell.at * 2 + UVec3::new(i & 1, i >> 1 & 1, i >> 2);
                if covered(near, finer.middle(at), finer.edge, spacing) {
                    continue;
                }
                let side = if cell.mixed { finer.side(shape, at) } else { Side::Inside };
                let empty = || fuzzy && !touches(shape, &finer, at);
                if side == Side::Inside || side == Side::Mixed && !empty() {
                    *half = Some(Cell { at, mixed: side == Side::Mixed });
                }
            }
            rest
        };
        let halves = active.par_iter().map_init(Vec::new, halves);
        active = halves.flat_map_iter(|halves| halves.into_iter().flatten()).collect();
        most = most.min(FUZZY_GROWTH * active.len());
        grid = finer;
        if active.is_empty() {
            break;
        }
    }
    points.ordered().map(|p| shape.to_scene(p)).collect()
}

/// Returns true if the middle or a corner of a cell belongs to the shape.
fn touches(shape: &Shape, grid: &CellGrid, at: UVec3) -> bool {
    let corner = |i: u32| at.as_dvec3() + UVec3::new(i & 1, i >> 1 & 1, i >> 2).as_dvec3();
    let spots = std::iter::once(at.as_dvec3() + 0.5).chain((0..8).map(corner));
    spots.into_iter().any(|p| shape.contains(shape.to_scene(grid.origin + p * grid.edge)))
}

/// Throws one dart into every active cell of the grid after `level` halvings.
fn throw(
    shape: &Shape,
    grid: &CellGrid,
    active: &[Cell],
    level: usize,
    points: &mut Points,
    random: &mut ChaCha8Rng,
) {
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
    for part in &order {
        let mut darts: Vec<(UVec3, DVec3, bool)> = Vec::with_capacity(part.len());
        for &i in part {
            let cell = active[i as usize];
            let bits = random.next_u64();
            let along = |shift: u32| ((bits >> shift & 0x1f_ffff) as f64 + 0.5) * SCALE;
            let dart = DVec3::new(along(0), along(21), along(42));
            let p = grid.origin + (cell.at.as_dvec3() + dart) * grid.edge;
            darts.push((cell.at >> level as u32, p, cell.mixed));
        }
        // Impossible darts are dropped in parallel; of the others, earlier ones take room from later ones.
        let may_come_in = |&(home, p, mixed): &(UVec3, DVec3, bool)| {
            points.have_room(home, p) && (!mixed || shape.contains(shape.to_scene(p)))
        };
        let darts: Vec<_> = darts.into_par_iter().filter(may_come_in).collect();
        for (home, p, _) in darts {
            if points.have_room(home, p) {
                points.insert(home, p);
            }
        }
    }
}

/// Returns true if one of the points leaves no room in the whole cube around `middle`.
fn covered(points: &[DVec3], middle: DVec3, edge: f64, spacing: f64) -> bool {
    let squared = spacing * spacing;
    points.iter().any(|&q| ((middle - q).abs() + 0.5 * edge).length_squared() < squared)
}

/// Accepted points in lists per cell of edge `spacing`; the cells have a border of one empty cell.
struct Points {
    /// Square of the spacing [m^2].
    squared: f64,
    /// Cells along each axis with the border.
    size: [usize; 3],
    /// First point of each cell, or `NONE`.
    head: Vec<u32>,
    /// Position, and next point of the same cell.
    list: Vec<(DVec3, u32)>,
    /// Steps from a cell to itself and its neighbors, nearest first, shifted to be positive.
    steps: [usize; 27],
}

const NONE: u32 = u32::MAX;

impl Points {
    fn new(cells: UVec3, spacing: f64) -> Self {
        let size = cells.to_array().map(|n| n as usize + 2);
        let mut order: Vec<[usize; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).collect();
        order.sort_by_key(|step| step.iter().filter(|&&s| s != 1).count());
        let mut steps = [0; 27];
        for (step, [x, y, z]) in steps.iter_mut().zip(order) {
            *step = x + size[0] * (y + size[1] * z);
        }
        let head = vec![NONE; size.iter().product()];
        Self { squared: spacing * spacing, size, head, list: Vec::new(), steps }
    }

    /// Returns the index of the lowest neighbor of a cell.
    fn corner(&self, home: UVec3) -> usize {
        home.x as usize + self.size[0] * (home.y as usize + self.size[1] * home.z as usize)
    }

    fn insert(&mut self, home: UVec3, p: DVec3) {
        let cell = self.corner(home) + self.steps[0];
        self.list.push((p, self.head[cell]));
        self.head[cell] = self.list.len() as u32 - 1;
    }

    /// Calls `visit` with every point that may be closer than the spacing to a place in the cell `home`, until it returns true;
    /// returns whether it did.
    fn any_near(&self, home: UVec3, mut visit: impl FnMut(DVec3) -> bool) -> bool {
        let corner = self.corner(home);
        self.steps.iter().any(|step| {
            let mut next = self.head[corner + step];
            while next != NONE {
                let (q, after) = self.list[next as usize];
                if visit(q) {
                    return true;
                }
                next = after;
            }
            false
        })
    }

    /// Returns true if no point is closer to `p`, which lies in the cell `home`, than the spacing.
    fn have_room(&self, home: UVec3, p: DVec3) -> bool {
        !self.any_near(home, |q| p.distance_squared(q) < self.squared)
    }

    /// Collects the points closer to `middle` than the spacing: no others can cover a cube with a corner there.
    fn gather(&self, home: UVec3, middle: DVec3, near: &mut Vec<DVec3>) {
        near.clear();
        self.any_near(home, |q| {
            if middle.distance_squared(q) < self.squared {
                near.push(q);
            }
            false
        });
    }

    /// Iterates over the points in the order of their cells.
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
