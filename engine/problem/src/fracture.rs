//! Fracture of total bodies: pairs that were stretched too far are gone for good. Their particles measure the deformation over those that
//! are left.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;

use crate::total::Fit;
use crate::{Column, SimulationError, SolverState, Total};

/// A pair that has broken: the ids of its particles, the lower first.
pub type BrokenPair = [u32; 2];

impl Total {
    /// Returns true if pairs may break.
    pub fn may_break(&self) -> bool {
        self.fracture_strain.iter().any(|strain| strain.is_finite())
    }

    /// Returns the distance at which the pair of a particle with another one breaks [m].
    pub fn reach(&self, row: usize, id: u32) -> f64 {
        let other = (id - self.first_particle) as usize;
        (1.0 + self.fracture_strain[row]) * self.origin[row].distance(self.origin[other])
    }

    /// Returns the pairs that are longer than they bear, in ascending order; `position`: where the particle with an id is [m].
    pub fn overstretched(&self, position: impl Fn(u32) -> DVec3 + Sync) -> Vec<BrokenPair> {
        let of_row = |row: usize| -> Vec<BrokenPair> {
            let id = self.first_particle + row as u32;
            let later = self.neighbors(row).iter().map(|pair| pair.id).filter(|&other| other > id);
            let breaks = |other: &u32| position(*other).distance(position(id)) > self.reach(row, *other);
            later.filter(breaks).map(|other| [id, other]).collect()
        };
        let rows = (0..self.count()).into_par_iter().filter(|&row| self.fracture_strain[row].is_finite());
        rows.map(of_row).collect::<Vec<_>>().concat()
    }

    /// Breaks pairs, and fits gradients of their particles over the neighbors that are left; where these determine none, a particle has no
    /// stress any more. Pairs that there are not are passed over.
    pub fn break_pairs(&mut self, pairs: &[BrokenPair]) {
        let mut lost: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for &[a, b] in pairs {
            for (own, other) in [(a, b), (b, a)] {
                if let Some(row) = self.row(own) {
                    lost.entry(row).or_default().push(other);
                }
            }
        }
        for (row, gone) in lost {
            let left = self.neighbors(row).iter().map(|pair| pair.id).filter(|id| !gone.contains(id));
            let of = |id: u32| (id - self.first_particle) as usize;
            let around: Vec<_> = left.map(|id| (id, self.origin[of(id)], self.volume[of(id)])).collect();
            let fit = Fit::of(self.origin[row], &around, self.radius);
            let first = self.start[row] as usize;
            self.end[row] = (first + fit.pairs.len()) as u32;
            self.pairs[first..first + fit.pairs.len()].copy_from_slice(&fit.pairs);
            self.direction[row] = fit.direction;
            self.raw_weight[row] = fit.raw_weight;
        }
    }

    /// Returns the pairs without those that have broken.
    #[must_use]
    pub fn without(&self, broken: &[BrokenPair]) -> Self {
        let mut left = self.clone();
        left.break_pairs(broken);
        left
    }
}

/// Name of the column of a state that holds broken pairs.
const COLUMN: &str = "broken";

/// Returns the column of a state that holds broken pairs, if there are any.
pub fn broken_column(broken: &[BrokenPair]) -> Option<Column> {
    (!broken.is_empty()).then(|| Column::new(COLUMN, broken.concat()))
}

/// Reads that column.
///
/// # Errors
/// [`SimulationError::StateMismatch`] if it does not hold pairs.
pub fn broken_pairs(state: &SolverState) -> Result<Vec<BrokenPair>, SimulationError> {
    let words = state.columns.iter().find(|column| column.name == COLUMN).map(|column| &*column.words);
    let (pairs, rest) = words.unwrap_or_default().as_chunks::<2>();
    match rest {
        [] => Ok(pairs.to_vec()),
        _ => Err(SimulationError::StateMismatch(format!("`{COLUMN}` has an odd number of words"))),
    }
}

/// Returns broken pairs after the particles with the ids `kept` have become the first; those of others are gone.
pub fn renumbered(broken: &[BrokenPair], kept: &[u32]) -> Vec<BrokenPair> {
    let new: BTreeMap<u32, u32> = kept.iter().copied().zip(0..).collect();
    let pair = |[a, b]: &BrokenPair| {
        let (a, b) = (*new.get(a)?, *new.get(b)?);
        Some([a.min(b), a.max(b)])
    };
    let mut pairs: Vec<BrokenPair> = broken.iter().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use glam::DMat3;
    use tuff_scene::Particles;

    use super::*;
    use crate::{Class, Classes};

    /// A block of 6 x 4 x 4 points, 1 m apart.
    fn block() -> (Particles, Total) {
        let mut particles = Particles::default();
        for i in 0..96 {
            let at = DVec3::new(f64::from(i % 6), f64::from(i / 6 % 4), f64::from(i / 24));
            particles.position.push(at);
            particles.rest_volume.push(1.0);
            particles.body.push(0);
            particles.id.push(i);
        }
        let total = Total::of(&Classes::all(Class::Total), &particles, 1.1, |_| 0.5);
        (particles, total)
    }

    #[test]
    fn what_is_left_of_a_cut_block_is_exact_on_affine_fields() {
        let (particles, mut total) = block();
        let left = |id: u32| id % 6 < 3;
        let cut: Vec<BrokenPair> = (0..96)
            .flat_map(|row| total.neighbors(row).iter().map(move |pair| [row as u32, pair.id]))
            .filter(|[a, b]| a < b && left(*a) != left(*b))
            .collect();
        assert!(!cut.is_empty());
        total.break_pairs(&cut);
        let f = DMat3::from_cols_array(&[1.2, -0.3, 0.1, 0.4, 0.8, 0.2, 0.0, 0.5, 1.1]);
        // The right part is elsewhere.
        let at = |id: u32| {
            let x = f * particles.position[id as usize];
            if left(id) { x } else { x + DVec3::new(50.0, 3.0, 0.0) }
        };
        for row in 0..total.count() {
            let id = row as u32;
            let mut gradient = DMat3::ZERO;
            for pair in total.neighbors(row) {
                assert_eq!(left(pair.id), left(id));
                let d = at(pair.id) - at(id);
                let g = pair.gradient;
                gradient += DMat3::from_cols(g.x * d, g.y * d, g.z * d);
            }
            let off = (gradient - f).to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert!(off < 1e-12, "particle {row}: F is off by {off:e}");
        }
    }

    #[test]
    fn pairs_break_beyond_their_strain() {
        let (particles, total) = block();
        let stretched = |factor: f64| {
            total.overstretched(|id| particles.position[id as usize] * DVec3::new(factor, 1.0, 1.0))
        };
        assert!(stretched(1.49).is_empty());
        // Along x: 5 x 16 pairs at 1 m and 4 x 16 at 2 m; oblique ones are stretched less.
        assert_eq!(stretched(1.51).len(), 80 + 64);
        let mut broken = total.without(&stretched(1.51));
        assert!(
            broken
                .overstretched(|id| particles.position[id as usize] * DVec3::new(1.51, 1.0, 1.0))
                .is_empty()
        );
        // A particle that has lost all is left without stress.
        let all: Vec<BrokenPair> = broken.neighbors(0).iter().map(|pair| [0, pair.id]).collect();
        broken.break_pairs(&all);
        assert_eq!((broken.neighbors(0).len(), broken.raw_weight[0]), (0, 0.0));
    }

    #[test]
    fn ids_of_broken_pairs_follow_their_particles() {
        assert_eq!(renumbered(&[[1, 4], [2, 5], [4, 7]], &[7, 4, 1]), [[0, 1], [1, 2]]);
    }
}
