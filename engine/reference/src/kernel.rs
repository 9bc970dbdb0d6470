//! The Wendland C2 kernel in 3D.

use glam::{DMat3, DVec3};

pub use tuff_problem::kernel as value;

/// The kernel of a radius, for loops over pairs.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// 1 / r [1/m].
    inverse: f64,
    /// W(0) [1/m^3].
    center: f64,
    /// `-W'(d) / d` at d = 0 [1/m^5].
    slope: f64,
}

impl Kernel {
    /// Returns the kernel of radius r [m].
    pub fn new(radius: f64) -> Self {
        let center = value(0.0, radius);
        Self { inverse: radius.recip(), center, slope: 5.0 * center / (radius * radius) }
    }

    /// Returns W(d) [1/m^3].
    #[inline]
    pub fn value(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let u = (1.0 - 0.5 * q).max(0.0);
        self.center * (u * u) * (u * u) * (1.0 + 2.0 * q)
    }

    /// Returns `-W'(d) / d` [1/m^5]: finite at d = 0, where the gradient itself vanishes.
    #[inline]
    pub fn slope(&self, distance: f64) -> f64 {
        let u = (1.0 - 0.5 * distance * self.inverse).max(0.0);
        self.slope * u * u * u
    }

    /// Returns `255 sqrt(W(d) / W(0))`, the weight of a neighbor in the memory: the square root keeps small weights apart.
    #[inline]
    pub fn weight(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let u = (1.0 - 0.5 * q).max(0.0);
        255.0 * u * u * (1.0 + 2.0 * q).sqrt()
    }

    /// Rounds a [weight](Self::weight) to the 8 spare bits of a pair record.
    #[inline]
    pub fn rounded(weight: f64) -> u8 {
        (weight + 0.5) as u8
    }
}

/// `|d'| = sqrt(d . (I + N) d)` [m]: length of `d` [m] before the strain that the metric N removes.
#[inline]
pub fn unstrained_length(metric: DMat3, d: DVec3) -> f64 {
    (d.length_squared() + d.dot(metric * d)).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn integral_is_one() {
        let (radius, n) = (0.3, 20_000);
        let step = 2.0 * radius / f64::from(n);
        let shell = |i: u32| (f64::from(i) + 0.5) * step;
        let sum: f64 = (0..n).map(|i| 4.0 * PI * shell(i).powi(2) * value(shell(i), radius) * step).sum();
        assert!((sum - 1.0).abs() < 1e-8, "{sum}");
    }

    #[test]
    fn slope_is_the_derivative() {
        let (radius, h) = (0.3, 1e-6);
        let kernel = Kernel::new(radius);
        for d in [0.01, 0.2, 0.45, 0.59] {
            let derivative = (value(d + h, radius) - value(d - h, radius)) / (2.0 * h);
            assert!((kernel.slope(d) + derivative / d).abs() < 1e-6 * kernel.slope(0.0));
            assert!((kernel.value(d) - value(d, radius)).abs() < 1e-14 * value(0.0, radius));
        }
        assert_eq!(kernel.slope(0.61), 0.0);
    }

    #[test]
    fn weights_span_the_byte() {
        assert_eq!(Kernel::rounded(Kernel::new(0.1).weight(0.0)), 255);
        assert_eq!(Kernel::rounded(Kernel::new(0.1).weight(0.2)), 0);
    }
}
