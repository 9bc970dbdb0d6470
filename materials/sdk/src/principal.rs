//! Vectors of three principal values.

/// Sum of the three values.
pub fn trace(v: [f64; 3]) -> f64 {
    v[0] + v[1] + v[2]
}

/// The values minus their mean.
pub fn deviator(v: [f64; 3]) -> [f64; 3] {
    let mean = trace(v) / 3.0;
    v.map(|x| x - mean)
}

/// Euclidean norm.
pub fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `h(x) = e^x - 1 - x >= 0`, accurate to rounding for every x.
pub fn exp_remainder(x: f64) -> f64 {
    if x.abs() >= 1.0 {
        return x.exp_m1() - x;
    }
    // x^2/2 (1 + x/3 (1 + x/4 (...))): 18 terms reach 1e-17 at |x| = 1.
    let tail = (3..=20).rev().fold(1.0, |sum, n| 1.0 + sum * x / f64::from(n));
    0.5 * x * x * tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with e^x - 1 - x where cancellation is small, and with its leading terms where it is complete.
    #[test]
    fn exp_remainder_is_accurate_everywhere() {
        for x in [-4.0, -1.0, -0.999, 0.999, 1.0, 4.0_f64] {
            let direct = x.exp() - 1.0 - x;
            assert!((exp_remainder(x) - direct).abs() < 4e-15 * direct, "{x}");
        }
        for x in [-1e-5, 1e-9_f64] {
            let leading = 0.5 * x * x * (1.0 + x / 3.0 + x * x / 12.0);
            assert!((exp_remainder(x) - leading).abs() < 1e-15 * leading, "{x}");
        }
        assert_eq!(exp_remainder(0.0), 0.0);
    }
}
