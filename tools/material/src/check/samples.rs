//! Strains and states at which laws are checked: the same in every run.

use std::f64::consts::LN_10;

/// Largest |ln stretch| that the engine passes to a model: stretches are limited to 0.01 and 100.
pub const LIMIT: f64 = 2.0 * LN_10;

/// Sizes of ordinary strains: from f32 rounding to a stretch of e.
const SIZES: [f64; 7] = [1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.25, 1.0];

/// Number of random directions for each size, besides the regular ones.
const DRAWN: usize = 10;

/// A pseudorandom sequence that is the same in every run (SplitMix64).
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Starts a sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws the next number, -1 to 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Draws a direction whose largest entry has magnitude 1.
    pub fn direction(&mut self) -> [f64; 3] {
        let v = [self.next(), self.next(), self.next()];
        let size = v.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        v.map(|x| x / size)
    }
}

/// Returns strains within which every law must hold: isotropic, along an axis, in shear, and random.
pub fn ordinary() -> Vec<[f64; 3]> {
    let mut draw = Draw::new(1);
    let mut strains = Vec::new();
    for size in SIZES {
        let regular =
            [[1.0; 3], [-1.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, -0.5, -0.5]];
        let directions = regular.into_iter().chain((0..DRAWN).map(|_| draw.direction()));
        strains.extend(directions.map(|d| d.map(|x| size * x)));
    }
    strains
}

/// Kind of a strain at the engine's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// Crushed to a point.
    Crushed,
    /// Inverted or flat: at least one stretch at the lower limit, but not all.
    Flat,
    /// Stretched to the upper limit.
    Huge,
}

/// Returns every combination of zero strain and the limits.
pub fn extremes() -> Vec<([f64; 3], Extreme)> {
    let mut strains = Vec::new();
    for index in 1..27 {
        let hencky = [index % 3, index / 3 % 3, index / 9].map(|digit| [0.0, -LIMIT, LIMIT][digit as usize]);
        let kind = match hencky.iter().filter(|&&x| x < 0.0).count() {
            3 => Extreme::Crushed,
            0 => Extreme::Huge,
            _ => Extreme::Flat,
        };
        strains.push((hencky, kind));
    }
    strains
}

/// Returns strains that the engine never passes to a model.
pub fn impossible() -> [[f64; 3]; 10] {
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    [
        [nan, 0.0, 0.0],
        [0.1, -0.1, nan],
        [nan; 3],
        [infinite, 0.0, 0.0],
        [-infinite; 3],
        [infinite, -infinite, 0.0],
        [400.0, 0.0, -400.0],
        [-400.0; 3],
        [20.0; 3],
        [-20.0, -20.0, 40.0],
    ]
}

/// Loads that give a particle a state different from a new one's.
pub const LOADS: [[f64; 3]; 3] = [[-0.02, -0.03, -0.04], [0.03, 0.02, 0.01], [0.2, -0.05, -0.15]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strains_are_drawn_the_same_way_every_time_and_lie_within_their_sizes() {
        let strains = ordinary();
        assert_eq!(strains, ordinary());
        assert_eq!(strains.len(), SIZES.len() * (6 + DRAWN));
        assert!(strains.iter().flatten().all(|x| x.abs() <= 1.0));
        let mean = strains.iter().flatten().sum::<f64>() / (3.0 * strains.len() as f64);
        assert!(mean.abs() < 0.05, "{mean}");
    }

    #[test]
    fn extremes_reach_every_corner_once() {
        let extremes = extremes();
        let count = |kind| extremes.iter().filter(|(_, k)| *k == kind).count();
        assert_eq!((count(Extreme::Crushed), count(Extreme::Flat), count(Extreme::Huge)), (1, 18, 7));
        assert!((LIMIT - 100_f64.ln()).abs() < 1e-15);
    }
}
