//! Sweeps on all cores, color by color.
//!
//! Cells of one color lie a multiple of three cells apart along every axis, and the rows of a particle change only itself and its neighbors
//! in the adjacent cells. So no two cells of a color change the same particle, and their order makes no difference.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::{COLOR_COUNT, Counters, Total};

use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Cells that a task takes at least.
const GRAIN: usize = 4;

/// Vectors that several threads change, each its own ones at a time.
pub struct Shared(Vec<[AtomicU64; 3]>);

impl Shared {
    fn new(values: &[DVec3]) -> Self {
        let bits = |p: usize| values[p].to_array().map(|value| AtomicU64::new(value.to_bits()));
        Self(parallel::map(values.len(), bits))
    }

    /// Returns a vector.
    #[inline]
    pub fn get(&self, index: usize) -> DVec3 {
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Ordering::Relaxed));
        DVec3::from_array(self.0[index].each_ref().map(number))
    }

    /// Adds to a vector that no other thread changes at the same time.
    #[inline]
    pub fn add(&self, index: usize, change: DVec3) {
        let sum = self.get(index) + change;
        for (bits, value) in std::iter::zip(&self.0[index], sum.to_array()) {
            bits.store(value.to_bits(), Ordering::Relaxed);
        }
    }

    fn write_to(&self, values: &mut [DVec3]) {
        parallel::each(values, |p, value| *value = self.get(p));
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

/// The particles of a cell with their values.
struct Cell<'a> {
    particles: Range<usize>,
    multiplier: &'a mut [f64],
    impulse: &'a mut [DMat3],
    memory_multiplier: &'a mut [DVec3],
}

impl<'a> Cell<'a> {
    fn particles(&mut self) -> impl Iterator<Item = Own<'_>> {
        let memory = std::iter::zip(&mut *self.impulse, &mut *self.memory_multiplier);
        let values = std::iter::zip(&mut *self.multiplier, memory);
        self.particles.clone().zip(values).map(|(p, (multiplier, (impulse, memory_multiplier)))| Own {
            p,
            multiplier,
            impulse,
            memory_multiplier,
        })
    }
}

/// A sweep in progress.
pub struct Sweep {
    /// Velocities [m/s].
    pub velocity: Shared,
    /// Impulses of the position correction [N s].
    pub correction: Shared,
    /// Occupied cells by color, ascending.
    cells: Vec<Vec<u32>>,
}

impl Sweep {
    /// Begins a sweep over the particles of a state; [`show`](Self::show) writes its results back.
    #[must_use]
    pub fn begin<S: Scalar>(state: &State<S>) -> Self {
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
            velocity: Shared::new(&state.velocity),
            correction: Shared::new(&state.correction_impulse),
            cells,
        }
    }

    /// Solves the particles of one color: cells at once, inside a cell by id. `solve` counts what it limits.
    pub fn color<S: Scalar>(
        &self,
        state: &mut State<S>,
        color: u32,
        solve: impl Fn(&State<S>, Own<'_>, &mut Counters) + Send + Sync,
    ) {
        let mut multiplier = std::mem::take(&mut state.multiplier);
        let mut impulse = std::mem::take(&mut state.impulse);
        let mut memory = std::mem::take(&mut state.memory_multiplier);
        let cells = &self.cells[color as usize];
        let ranges: Vec<Range<usize>> = cells.iter().map(|&cell| state.cell_range(cell)).collect();
        let values = std::iter::zip(split(&mut multiplier, &ranges), split(&mut impulse, &ranges));
        let values = std::iter::zip(values, split(&mut memory, &ranges));
        let mut cells: Vec<Cell<'_>> = std::iter::zip(values, ranges)
            .map(|(((multiplier, impulse), memory_multiplier), particles)| Cell {
                particles,
                multiplier,
                impulse,
                memory_multiplier,
            })
            .collect();
        let count = |cell: &mut Cell<'_>| {
            let mut counters = Counters::default();
            cell.particles().for_each(|own| solve(state, own, &mut counters));
            counters
        };
        let counted: Vec<Counters> = cells.par_iter_mut().with_min_len(GRAIN).map(count).collect();
        (state.multiplier, state.impulse, state.memory_multiplier) = (multiplier, impulse, memory);
        counted.iter().for_each(|counters| state.counters += counters);
    }

    /// Solves the members of one color of the cells in which total bodies started: cells at once, inside a cell by id.
    pub fn total_color<S: Scalar>(
        &self,
        total: &Total,
        state: &mut State<S>,
        color: usize,
        solve: impl Fn(&State<S>, Own<'_>, &mut Counters) + Send + Sync,
    ) {
        let cells = total.color_start[color] as usize..total.color_start[color + 1] as usize;
        let solve_cell = |cell: usize| {
            let mut counters = Counters::default();
            let members = total.cell_start[cell] as usize..total.cell_start[cell + 1] as usize;
            let solved: Vec<_> = total.member[members]
                .iter()
                .map(|&id| {
                    let p = state.place[id as usize];
                    let (mut multiplier, mut impulse) = (state.multiplier[p], state.impulse[p]);
                    let mut memory_multiplier = state.memory_multiplier[p];
                    let own = Own {
                        p,
                        multiplier: &mut multiplier,
                        impulse: &mut impulse,
                        memory_multiplier: &mut memory_multiplier,
                    };
                    solve(state, own, &mut counters);
                    (p, multiplier, impulse, memory_multiplier)
                })
                .collect();
            (solved, counters)
        };
        let solved: Vec<_> = cells.into_par_iter().with_min_len(GRAIN).map(solve_cell).collect();
        for (cell, counters) in solved {
            state.counters += &counters;
            for (p, multiplier, impulse, memory) in cell {
                (state.multiplier[p], state.impulse[p], state.memory_multiplier[p]) =
                    (multiplier, impulse, memory);
            }
        }
    }

    /// Shows velocities and impulses of the sweep in the state.
    pub fn show<S: Scalar>(&self, state: &mut State<S>) {
        self.velocity.write_to(&mut state.velocity);
        self.correction.write_to(&mut state.correction_impulse);
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
    use super::*;

    #[test]
    fn values_are_split_along_ranges() {
        let mut values = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(split(&mut values, &[1..3, 3..4, 6..7]), [&mut [1, 2][..], &mut [3], &mut [6]]);
        assert!(split(&mut values, &[]).is_empty());
    }

    #[test]
    fn shared_vectors_are_read_and_changed() {
        let shared = Shared::new(&[DVec3::X, DVec3::Y]);
        shared.add(1, DVec3::new(0.5, -0.0, 2.0));
        let mut values = [DVec3::ZERO; 2];
        shared.write_to(&mut values);
        assert_eq!(values, [DVec3::X, DVec3::new(0.5, 1.0, 2.0)]);
    }
}
