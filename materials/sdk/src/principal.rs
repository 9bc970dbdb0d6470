//! Vectors of three principal values.

/// Sum of the three values.
pub fn trace(v: [f64; 3]) -> f64 {
    v[0] + v[1] + v[2]
}

/// The values less their mean.
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
