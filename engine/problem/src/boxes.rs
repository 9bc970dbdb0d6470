//! Boxes in a grid, to find those that overlap another one.

use std::ops::RangeInclusive;

use glam::{DVec3, IVec3};
use tuff_scene::Bounds;

/// Boxes, listed by the cells that they overlap.
pub struct Boxes {
    all: Vec<Bounds>,
    /// The box around all of them.
    whole: Bounds,
    /// Edge of a cell [m].
    edge: f64,
    /// Cells and boxes, sorted.
    entries: Vec<([i32; 3], u32)>,
}

impl Boxes {
    /// Lists boxes.
    pub fn new(all: Vec<Bounds>) -> Self {
        let whole = all.iter().fold(Bounds::EMPTY, |whole, one| whole.union(one));
        // About as large as the boxes; none overlaps more than 33 cells along an axis.
        let lengths = || all.iter().map(|one| one.size().max_element());
        let mean = lengths().sum::<f64>() / all.len().max(1) as f64;
        let longest = lengths().fold(0.0, f64::max);
        let far = 1e-6 * whole.size().max_element();
        let edge = mean.max(longest / 32.0).max(far).max(f64::MIN_POSITIVE);
        let mut boxes = Self { all, whole, edge, entries: Vec::new() };
        boxes.entries = std::iter::zip(&boxes.all, 0..)
            .flat_map(|(one, index)| boxes.cells(one).map(move |cell| (cell, index)))
            .collect();
        boxes.entries.sort_unstable();
        boxes
    }

    fn cells(&self, one: &Bounds) -> impl Iterator<Item = [i32; 3]> + use<> {
        let cell = |x: DVec3| ((x - self.whole.min) / self.edge).floor().as_ivec3();
        let (IVec3 { x, y, z }, last) = (cell(one.min), cell(one.max));
        let range = |from: i32, to: i32| -> RangeInclusive<i32> { from..=to };
        let (x, y, z) = (range(x, last.x), range(y, last.y), range(z, last.z));
        x.flat_map(move |x| {
            y.clone().zip(std::iter::repeat(z.clone())).flat_map(move |(y, z)| z.map(move |z| [x, y, z]))
        })
    }

    /// Returns the boxes that overlap `one`, ascending.
    pub fn overlapping(&self, one: &Bounds) -> Vec<u32> {
        if !self.whole.overlaps(one) {
            return Vec::new();
        }
        let inner = one.intersection(&self.whole);
        let mut found: Vec<u32> = Vec::new();
        for cell in self.cells(&inner) {
            let first = self.entries.partition_point(|entry| entry.0 < cell);
            let there = self.entries[first..].iter().take_while(|entry| entry.0 == cell);
            found.extend(there.map(|entry| entry.1).filter(|&index| self.all[index as usize].overlaps(one)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_overlaps_is_found_once() {
        let draw = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let boxes: Vec<Bounds> = (0..300)
            .map(|k| {
                let x = DVec3::new(draw(6 * k), draw(6 * k + 1), 0.3 * draw(6 * k + 2));
                let y = x + 0.1 * DVec3::new(draw(6 * k + 3), draw(6 * k + 4), draw(6 * k + 5));
                Bounds::of([x, y]).grown(0.01)
            })
            .collect();
        let listed = Boxes::new(boxes.clone());
        for one in &boxes {
            let expected: Vec<u32> =
                (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(one)).collect();
            assert_eq!(listed.overlapping(one), expected);
        }
        assert!(listed.overlapping(&Bounds::of([DVec3::splat(5.0)]).grown(0.1)).is_empty());
        assert!(Boxes::new(Vec::new()).overlapping(&boxes[0]).is_empty());
    }
}
