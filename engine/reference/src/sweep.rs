//! Sweeps on all cores, color by color.
//!
//! Cells of one color lie a multiple of three cells apart along every axis, and the rows of a particle change only itself and its neighbors
//! in the adjacent cells. So no two cells of a color change the same particle, and their order makes no difference.

use std::ops::Range;

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::{COLOR_COUNT, Counters, Total};

use crate::batch::LANES;
use crate::parallel;
use crate::scalar::{Quad, Scalar, Slot};
use crate::state::State;

/// Vectors that several threads change, each its own ones at a time, in the number type of pairs. The fourth number stays as it is.
pub struct Shared<S: Scalar>(Vec<S::Slot>);

impl<S: Scalar> Shared<S> {
    fn new(vectors: &[DVec3], last: impl Fn(usize) -> f64 + Sync + Send) -> Self {
        Self(parallel::map(vectors.len(), |p| S::Slot::new(S::Quad::new(vectors[p], last(p)))))
    }

    /// Returns a vector and its fourth number.
    #[inline]
    pub fn get(&self, index: usize) -> S::Quad {
        self.0[index].get()
    }

    /// Adds to a vector that no other thread changes at the same time; the fourth number of the change is 0.
    #[inline]
    pub fn add(&self, index: usize, change: S::Quad) {
        let slot = &self.0[index];
        slot.set(slot.get() + change);
    }

    /// Adds to a vector, as [`add`](Self::add), a change times its fourth number.
    #[inline]
    pub fn push(&self, index: usize, change: S::Quad) {
        let slot = &self.0[index];
        let old = slot.get();
        let [.., last] = old.spread();
        slot.set(old + change * last);
    }

    /// Adds what has changed since the vectors were rounded, which keeps the digits that rounding cut off.
    fn write_to(&self, vectors: &mut [DVec3]) {
        parallel::each(vectors, |p, vector| {
            let change = (self.get(p) - S::Quad::new(*vector, 0.0)).vector();
            if change != DVec3::ZERO {
                *vector += change;
            }
        });
    }
}

/// A particle whose rows are solved, and what only these rows change.
pub struct Own<'a> {
    /// Index of the particle.
    pub p: usize,
    /// Multiplier scaled by alpha~ [sqrt(Pa)].
    pub multiplier: &'a mut f64,
    /// Applied impulse H [N m s].
    pub impulse: &'a mut DMat3,
    /// Multiplier of the memory scaled by alpha~ [m].
    pub memory_multiplier: &'a mut DVec3,
}

/// The particles of a cell, `particle(place)` each, with their values.
struct Cell<'a, F> {
    particle: F,
    multiplier: &'a mut [f64],
    impulse: &'a mut [DMat3],
    memory_multiplier: &'a mut [DVec3],
}

impl<F: Fn(usize) -> usize> Cell<'_, F> {
    /// Returns the particle in a place, if there are as many.
    fn own(&mut self, place: usize) -> Option<Own<'_>> {
        let multiplier = self.multiplier.get_mut(place)?;
        Some(Own {
            p: (self.particle)(place),
            multiplier,
            impulse: self.impulse.get_mut(place)?,
            memory_multiplier: self.memory_multiplier.get_mut(place)?,
        })
    }
}

/// Solves cells of one color, inside a cell in order: the first particles of all cells together, then the second ones.
fn solve_in_step<F: Fn(usize) -> usize>(cells: &mut [Cell<'_, F>], mut solve: impl FnMut(Vec<Own<'_>>)) {
    let longest = cells.iter().map(|cell| cell.multiplier.len()).max().unwrap_or(0);
    for place in 0..longest {
        solve(cells.iter_mut().filter_map(|cell| cell.own(place)).collect());
    }
}

/// Returns the number of cells that a task solves in step: as many as there are lanes, but not all cells of a color. It may not depend on
/// the number of threads, since the last bits depend on which particles share a batch.
fn cells_in_step(cells: usize) -> usize {
    cells.div_ceil(cells.div_ceil(LANES).max(2)).max(1)
}

/// A sweep in progress.
pub struct Sweep<S: Scalar> {
    /// Velocities [m/s]; fourth, inverse masses [1/kg].
    pub velocity: Shared<S>,
    /// Impulses of the position correction [N s].
    pub correction: Shared<S>,
    /// Occupied cells by color, ascending.
    cells: Vec<Vec<u32>>,
}

impl<S: Scalar> Sweep<S> {
    /// Begins a sweep over the particles of a state; [`show`](Self::show) writes its results back.
    #[must_use]
    pub fn begin(state: &State<S>) -> Self {
        let mut cells = vec![Vec::new(); COLOR_COUNT as usize];
        let mut last = None;
        for &cell in &state.cell {
            if last != Some(cell)
                && let Some(grid) = state.grid
            {
                cells[grid.color(cell) as usize].push(cell);
            }
            last = Some(cell);
        }
        Self {
            velocity: Shared::new(&state.velocity, |p| state.inverse_mass[p]),
            correction: Shared::new(&state.correction_impulse, |_| 0.0),
            cells,
        }
    }

    /// Solves the particles of one color: cells at once, inside a cell by id. `solve` takes up to [`LANES`] particles that do not reach
    /// each other, and counts what it limits.
    pub fn color(
        &self,
        state: &mut State<S>,
        color: u32,
        solve: impl Fn(&State<S>, Vec<Own<'_>>, &mut Counters) + Send + Sync,
    ) {
        let mut multiplier = std::mem::take(&mut state.multiplier);
        let mut impulse = std::mem::take(&mut state.impulse);
        let mut memory = std::mem::take(&mut state.memory_multiplier);
        let cells = &self.cells[color as usize];
        let ranges: Vec<Range<usize>> = cells.iter().map(|&cell| state.cell_range(cell)).collect();
        let values = std::iter::zip(split(&mut multiplier, &ranges), split(&mut impulse, &ranges));
        let values = std::iter::zip(values, split(&mut memory, &ranges));
        let mut cells: Vec<_> = std::iter::zip(values, ranges)
            .map(|(((multiplier, impulse), memory_multiplier), range)| Cell {
                particle: move |place| range.start + place,
                multiplier,
                impulse,
                memory_multiplier,
            })
            .collect();
        let together = cells_in_step(cells.len());
        let counted: Vec<Counters> = cells
            .par_chunks_mut(together)
            .map(|cells| {
                let mut counters = Counters::default();
                solve_in_step(cells, |owns| solve(state, owns, &mut counters));
                counters
            })
            .collect();
        (state.multiplier, state.impulse, state.memory_multiplier) = (multiplier, impulse, memory);
        counted.iter().for_each(|counters| state.counters += counters);
    }

    /// Solves the members of one color of the cells in which total bodies started: cells at once, inside a cell by id.
    pub fn total_color(
        &self,
        total: &Total,
        state: &mut State<S>,
        color: usize,
        solve: impl Fn(&State<S>, Vec<Own<'_>>, &mut Counters) + Send + Sync,
    ) {
        let cells = total.color_start[color] as usize..total.color_start[color + 1] as usize;
        let together = cells_in_step(cells.len());
        let solve_chunk = |chunk: usize| {
            let first = cells.start + chunk * together;
            let mut copies: Vec<Copies> = (first..cells.end.min(first + together))
                .map(|cell| {
                    let members = total.cell_start[cell] as usize..total.cell_start[cell + 1] as usize;
                    let places = total.member[members].iter().map(|&id| state.place[id as usize]).collect();
                    Copies::of(state, places)
                })
                .collect();
            let mut counters = Counters::default();
            {
                let mut cells: Vec<_> = copies.iter_mut().map(Copies::cell).collect();
                solve_in_step(&mut cells, |owns| solve(state, owns, &mut counters));
            }
            (copies, counters)
        };
        let solved: Vec<_> = (0..cells.len().div_ceil(together)).into_par_iter().map(solve_chunk).collect();
        for (copies, counters) in solved {
            state.counters += &counters;
            copies.iter().for_each(|copy| copy.write_to(state));
        }
    }

    /// Applies an impulse of the position correction [N s].
    pub fn correct(&self, particle: usize, impulse: DVec3) {
        let impulse = S::Quad::new(impulse, 0.0);
        self.velocity.push(particle, impulse);
        self.correction.add(particle, impulse);
    }

    /// Shows velocities and impulses of the sweep in the state.
    pub fn show(&self, state: &mut State<S>) {
        self.velocity.write_to(&mut state.velocity);
        self.correction.write_to(&mut state.correction_impulse);
    }
}

/// Copies of what the rows of particles anywhere change.
struct Copies {
    particles: Vec<usize>,
    multiplier: Vec<f64>,
    impulse: Vec<DMat3>,
    memory_multiplier: Vec<DVec3>,
}

impl Copies {
    fn of<S: Scalar>(state: &State<S>, particles: Vec<usize>) -> Self {
        Self {
            multiplier: particles.iter().map(|&p| state.multiplier[p]).collect(),
            impulse: particles.iter().map(|&p| state.impulse[p]).collect(),
            memory_multiplier: particles.iter().map(|&p| state.memory_multiplier[p]).collect(),
            particles,
        }
    }

    fn cell(&mut self) -> Cell<'_, impl Fn(usize) -> usize> {
        let particles = &self.particles;
        Cell {
            particle: move |place: usize| particles[place],
            multiplier: &mut self.multiplier,
            impulse: &mut self.impulse,
            memory_multiplier: &mut self.memory_multiplier,
        }
    }

    fn write_to<S: Scalar>(&self, state: &mut State<S>) {
        for (place, &p) in self.particles.iter().enumerate() {
            state.multiplier[p] = self.multiplier[place];
            state.impulse[p] = self.impulse[place];
            state.memory_multiplier[p] = self.memory_multiplier[place];
        }
    }
}

/// Splits off the values of ascending ranges.
fn split<'a, T>(mut values: &'a mut [T], ranges: &[Range<usize>]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(ranges.len());
    let mut begin = 0;
    for range in ranges {
        let part;
        (_, values) = values.split_at_mut(range.start - begin);
        (part, values) = values.split_at_mut(range.len());
        begin = range.end;
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use glam::Vec4;

    use super::*;

    #[test]
    fn values_are_split_along_ranges() {
        let mut values = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(split(&mut values, &[1..3, 3..4, 6..7]), [&mut [1, 2][..], &mut [3], &mut [6]]);
        assert!(split(&mut values, &[]).is_empty());
    }

    #[test]
    fn shared_vectors_are_read_and_changed() {
        let kept = DVec3::splat(1.0 + 1e-12);
        let mut vectors = [DVec3::X, kept, DVec3::Y];
        let shared = Shared::<f32>::new(&vectors, |p| p as f64);
        shared.add(0, Vec4::new(0.5, -0.0, 2.0, 0.0));
        shared.push(2, Vec4::new(0.5, 0.25, 0.0, 0.0));
        assert_eq!(shared.get(2), Vec4::new(1.0, 1.5, 0.0, 2.0));
        shared.write_to(&mut vectors);
        assert_eq!(vectors, [DVec3::new(1.5, 0.0, 2.0), kept, DVec3::new(1.0, 1.5, 0.0)]);
    }
}
