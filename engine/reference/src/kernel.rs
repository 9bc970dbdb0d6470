//! The Wendland C2 kernel in 3D.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

pub use tuff_problem::kernel as value;

/// `-W'(d) / d` [1/m^5]: finite at d = 0, where the gradient itself vanishes.
pub fn slope(distance: f64, radius: f64) -> f64 {
    let u = (1.0 - 0.5 * distance / radius).max(0.0);
    21.0 / (16.0 * PI * radius.powi(5)) * 5.0 * u.powi(3)
}

/// `|d'| = sqrt(d . (I + N) d)` [m]: length of `d` [m] before the strain that the metric N removes.
pub fn unstrained_length(metric: DMat3, d: DVec3) -> f64 {
    (d.length_squared() + d.dot(metric * d)).max(0.0).sqrt()
}

/// `round(255 sqrt(W(d) / W(0)))`: the weight of a neighbor in the memory, in the 8 spare bits of a pair record. The square root
/// keeps small weights apart.
pub fn quantized_weight(distance: f64, radius: f64) -> u8 {
    (255.0 * (value(distance, radius) / value(0.0, radius)).sqrt()).round() as u8
}

#[cfg(test)]
mod tests {
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
        for d in [0.01, 0.2, 0.45, 0.59] {
            let derivative = (value(d + h, radius) - value(d - h, radius)) / (2.0 * h);
            assert!((slope(d, radius) + derivative / d).abs() < 1e-6 * slope(0.0, radius));
        }
        assert_eq!(slope(0.61, radius), 0.0);
    }

    #[test]
    fn weights_span_the_byte() {
        assert_eq!(quantized_weight(0.0, 0.1), 255);
        assert_eq!(quantized_weight(0.2, 0.1), 0);
    }
}
