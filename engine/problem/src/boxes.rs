//! Boxes in a grid, to find those that overlap another one.

use std::ops::RangeInclusive;

use glam::{DVec3, IVec3};

/// An axis-aligned box [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Least coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Extent {
    /// Returns the box around points [m], wider by `margin` [m] on each side.
    pub fn around(points: impl IntoIterator<Item = DVec3>, margin: f64) -> Self {
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = points.into_iter().fold(none, |(min, max), x| (min.min(x), max.max(x)));
        Self { min: min - margin, max: max + margin }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    fn join(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Boxes, listed by the cells that they overlap.
pub struct Boxes {
    all: Vec<Extent>,
    /// The box around all of them.
    whole: Extent,
    /// Edge of a cell [m].
    edge: f64,
    /// Cells and boxes, sorted.
    entries: Vec<([i32; 3], u32)>,
}

impl Boxes {
    /// Lists boxes.
    pub fn new(all: Vec<Extent>) -> Self {
        let none = Extent { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        let whole = all.iter().fold(none, |whole, one| whole.join(one));
        // About as large as the boxes; none overlaps more than 33 cells along an axis.
        let lengths = || all.iter().map(|one| (one.max - one.min).max_element());
        let mean = lengths().sum::<f64>() / all.len().max(1) as f64;
        let longest = lengths().fold(0.0, f64::max);
        let far = 1e-6 * (whole.max - whole.min).max_element();
        let edge = mean.max(longest / 32.0).max(far).max(f64::MIN_POSITIVE);
        let mut boxes = Self { all, whole, edge, entries: Vec::new() };
        boxes.entries = std::iter::zip(&boxes.all, 0..)
            .flat_map(|(one, index)| boxes.cells(one).map(move |cell| (cell, index)))
            .collect();
        boxes.entries.sort_unstable();
        boxes
    }

    fn cells(&self, one: &Extent) -> impl Iterator<Item = [i32; 3]> + use<> {
        let cell = |x: DVec3| ((x - self.whole.min) / self.edge).floor().as_ivec3();
        let (IVec3 { x, y, z }, last) = (cell(one.min), cell(one.max));
        let range = |from: i32, to: i32| -> RangeInclusive<i32> { from..=to };
        let (x, y, z) = (range(x, last.x), range(y, last.y), range(z, last.z));
        x.flat_map(move |x| {
            y.clone().zip(std::iter::repeat(z.clone())).flat_map(move |(y, z)| z.map(move |z| [x, y, z]))
        })
    }

    /// Returns the boxes that overlap `one`, ascending.
    pub fn overlapping(&self, one: &Extent) -> Vec<u32> {
        if !self.whole.overlaps(one) {
            return Vec::new();
        }
        let inner = Extent { min: one.min.max(self.whole.min), max: one.max.min(self.whole.max) };
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
        let boxes: Vec<Extent> = (0..300)
            .map(|k| {
                let x = DVec3::new(draw(6 * k), draw(6 * k + 1), 0.3 * draw(6 * k + 2));
                let y = x + 0.1 * DVec3::new(draw(6 * k + 3), draw(6 * k + 4), draw(6 * k + 5));
                Extent::around([x, y], 0.01)
            })
            .collect();
        let listed = Boxes::new(boxes.clone());
        for one in &boxes {
            let expected: Vec<u32> =
                (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(one)).collect();
            assert_eq!(listed.overlapping(one), expected);
        }
        assert!(listed.overlapping(&Extent::around([DVec3::splat(5.0)], 0.1)).is_empty());
        assert!(Boxes::new(Vec::new()).overlapping(&boxes[0]).is_empty());
    }
}
