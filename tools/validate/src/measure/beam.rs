//! Measures beams along x on a lattice: cross-sections, motion that alternates between them, and swings.

use glam::DVec3;
use tuff_problem::Problem;

/// Cross-sections of the only body, lowest x first.
#[derive(Debug, Clone)]
pub struct Sections {
    member: Vec<usize>,
    count: usize,
    spacing: f64,
}

impl Sections {
    /// Groups particles with the same initial x into sections.
    pub fn of(problem: &Problem) -> Self {
        let start = &problem.particles.position;
        let spacing = problem.spacing(0);
        let low = start.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let member: Vec<usize> = start.iter().map(|p| ((p.x - low) / spacing).round() as usize).collect();
        let count = member.iter().max().map_or(0, |&last| last + 1);
        Self { member, count, spacing }
    }

    /// Returns the mean of a per-particle quantity in each section.
    pub fn means(&self, values: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![(DVec3::ZERO, 0.0); self.count];
        for (value, &section) in values.iter().zip(&self.member) {
            sums[section].0 += *value;
            sums[section].1 += 1.0;
        }
        sums.iter().map(|&(sum, number)| sum / number).collect()
    }

    /// Returns the smallest and largest distance between centers of neighboring sections over the spacing.
    pub fn distances(&self, positions: &[DVec3]) -> [f64; 2] {
        let middles = self.means(positions);
        let distances = middles.windows(2).map(|pair| (pair[1] - pair[0]).length() / self.spacing);
        distances.fold([f64::INFINITY, 0.0], |[least, most], d| [least.min(d), most.max(d)])
    }

    /// Returns the rms over the sections of the displacement that alternates from one to the next [m], by fourth differences: they keep
    /// u = (-1)^i unchanged and see only `spacing^4 u'''' / 16` of a smooth field.
    pub fn odd_even(&self, displacements: &[DVec3]) -> f64 {
        let means = self.means(displacements);
        let alternating = |w: &[DVec3]| (w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4]) / 16.0;
        let squares: Vec<f64> = means.windows(5).map(|w| alternating(w).length_squared()).collect();
        (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
    }
}

/// A fit of a swing about an equilibrium.
#[derive(Debug, Clone, Copy)]
pub struct Swing {
    /// Deflection at the equilibrium, in the unit of the samples.
    pub equilibrium: f64,
    /// Angular frequency [rad/s].
    pub omega: f64,
    /// Rms distance of the samples from the fit over the equilibrium.
    pub misfit: f64,
}

impl Swing {
    /// Fits samples (time, deflection) with `equilibrium shape(omega, t)`; `omega` is searched between half and twice a guess.
    pub fn fit(samples: &[[f64; 2]], guess: f64, shape: impl Fn(f64, f64) -> f64) -> Self {
        let at = |omega: f64| {
            let (mut sx, mut ss, mut xx) = (0.0, 0.0, 0.0);
            for &[t, x] in samples {
                let s = shape(omega, t);
                (sx, ss, xx) = (sx + s * x, ss + s * s, xx + x * x);
            }
            let equilibrium = sx / ss;
            let square = (xx - equilibrium * sx).max(0.0) / samples.len() as f64;
            Self { equilibrium, omega, misfit: square.sqrt() / equilibrium.abs() }
        };
        let best = |low: f64, high: f64| {
            let step = (high - low) / 200.0;
            let all = (0..=200).map(|i| at(low + step * f64::from(i)));
            all.min_by(|a, b| a.misfit.total_cmp(&b.misfit)).unwrap_or_else(|| at(guess))
        };
        let coarse = best(0.5 * guess, 2.0 * guess).omega;
        best(coarse - 0.01 * guess, coarse + 0.01 * guess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_is_found() {
        let shape = |omega: f64, t: f64| 1.0 - (omega * t).cos();
        let samples: Vec<[f64; 2]> =
            (0..40).map(|i| 0.01 * f64::from(i)).map(|t| [t, 0.3 * shape(8.1, t)]).collect();
        let swing = Swing::fit(&samples, 7.0, shape);
        assert!((swing.omega - 8.1).abs() < 1e-3 && (swing.equilibrium - 0.3).abs() < 1e-3, "{swing:?}");
        assert!(swing.misfit < 1e-3);
    }

    #[test]
    fn alternation_is_told_from_bending() {
        let sections = Sections { member: (0..40).collect(), count: 40, spacing: 0.025 };
        let field = |alternating: f64| -> Vec<DVec3> {
            let bend = |x: f64| DVec3::Y * 0.1 * x * x * (6.0 - 4.0 * x + x * x) / 3.0;
            let sign = |i: u32| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            (0..40).map(|i| bend(0.025 * f64::from(i)) + DVec3::X * alternating * sign(i)).collect()
        };
        assert!(sections.odd_even(&field(0.0)) < 1e-7);
        assert!((sections.odd_even(&field(1e-3)) - 1e-3).abs() < 1e-7);
    }
}
