//! The split neo-Hookean energy: volume and shape are separate, with the shape in `bb_i = exp(2 e_i)`, the unimodular left
//! Cauchy-Green tensor. NACC and Herschel-Bulkley build on it.

use crate::Moduli;
use crate::principal::{deviator, exp_remainder, trace};

/// Returns the energy density `mu/2 sum h(2 e_i) + kappa/4 h(2 theta)`, `h(x) = e^x - 1 - x` \[Pa\].
pub fn energy(moduli: Moduli, hencky: [f64; 3]) -> f64 {
    let shape: f64 = deviator(hencky).iter().map(|e| exp_remainder(2.0 * e)).sum();
    0.5 * moduli.shear * shape + 0.25 * moduli.bulk * exp_remainder(2.0 * trace(hencky))
}

/// Returns the principal Kirchhoff stresses `mu dev(bb)_i + kappa/2 (J^2 - 1)` \[Pa\].
pub fn kirchhoff(moduli: Moduli, hencky: [f64; 3]) -> [f64; 3] {
    let volume = 0.5 * moduli.bulk * (2.0 * trace(hencky)).exp_m1();
    deviator(shape(hencky)).map(|d| moduli.shear * d + volume)
}

/// Returns `bb_i - 1` of a strain.
pub fn shape(hencky: [f64; 3]) -> [f64; 3] {
    deviator(hencky).map(|e| (2.0 * e).exp_m1())
}

/// Returns the deviatoric Hencky strain whose unimodular tensor has the deviator of `b`: det bb = 1 exactly.
///
/// With t the smallest of bb and `g_i >= 0` the distances of b from its smallest value, t is the only positive root of `product
/// (t + g_i) = 1`, where nothing cancels. The product is convex in t: Newton's method descends to the root from t = 1.
pub fn hencky_deviator(b: [f64; 3]) -> [f64; 3] {
    let low = b.into_iter().fold(f64::INFINITY, f64::min);
    let gaps = b.map(|b| b - low);
    let mut t = 1.0_f64;
    // Each iteration at least halves t, until the last few, which double the number of digits.
    for _ in 0..60 {
        let b = gaps.map(|g| t + g);
        let slope = b[0] * b[1] + b[1] * b[2] + b[2] * b[0];
        let next = t - (b[0] * b[1] * b[2] - 1.0) / slope;
        if next >= t {
            break;
        }
        t = next;
    }
    deviator(gaps.map(|g| 0.5 * ((t - 1.0) + g).ln_1p()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::principal::norm;

    /// The deviator of bb leads back to its strain, from rounding to a stretch ratio of 1e4.
    #[test]
    fn shapes_lead_back_to_their_strain() {
        for size in [0.0, 1e-9, 1e-4, 0.1, 1.0, 3.0] {
            for direction in [[2.0, -1.0, -1.0], [1.0, 1.0, -2.0], [1.0, 0.0, -1.0], [-0.3, 1.1, -0.8]] {
                let e = direction.map(|x: f64| x * size);
                let found = hencky_deviator(shape(e));
                let error = norm([found[0] - e[0], found[1] - e[1], found[2] - e[2]]);
                // The relative precision lost in the smallest bb = e^(2 e) is its ratio to the largest.
                let lost = (2.0 * (e.iter().fold(0.0, |m: f64, x| m.max(*x)))).exp();
                assert!(error <= 4e-16 * lost * (1.0 + lost), "{e:?} came back as {found:?}");
            }
        }
    }

    /// tau_i = d Psi / d eps_i by central differences.
    #[test]
    fn stress_is_the_derivative_of_the_energy() {
        let moduli = Moduli { shear: 3.0, bulk: 5.0 };
        let at = [0.2, -0.15, 0.05];
        let tau = kirchhoff(moduli, at);
        for i in 0..3 {
            let shifted = |by: f64| {
                let mut eps = at;
                eps[i] += by;
                energy(moduli, eps)
            };
            let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((slope - tau[i]).abs() < 1e-8, "{slope} for {}", tau[i]);
        }
    }
}
