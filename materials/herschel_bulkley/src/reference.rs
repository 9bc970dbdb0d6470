//! The return mapping in f64, stresses in units of mu: `s = |dev bb|`, yield surface at `r = sqrt(2/3) sigma_Y / mu`.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW};
use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Point, Projection, plastic, split};

/// Number of prepared constants.
pub const CONSTANTS: usize = 5;

/// Least consistency whose logarithm is taken \[Pa s^h\]: it means no viscosity at any stress.
const MIN_CONSISTENCY: f64 = 1e-100;

/// Least step whose logarithm is taken \[s\].
const LEAST_STEP: f64 = 1e-30;

/// Returns mu \[Pa\], kappa \[Pa\], r, `n = 1 / h`, `n ln(mu / eta)`. `yield_stress` is the Frobenius norm \[Pa\], `eta` \[Pa
/// s^h\].
pub fn constants(moduli: Moduli, yield_stress: f64, power: f64, eta: f64) -> Vec<f64> {
    let n = 1.0 / power;
    let mu = moduli.shear;
    vec![mu, moduli.bulk, yield_stress / mu, n, n * (mu / eta.max(MIN_CONSISTENCY)).ln()]
}

/// Returns eta of a consistency K measured in simple shear, `tau = tau_Y + K rate^h`: `K = eta 2^(-(h + 1) / 2)`.
pub fn eta_of(consistency: f64, power: f64) -> f64 {
    consistency * (0.5 * (power + 1.0)).exp2()
}

/// Returns the small-strain moduli.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// Returns ln y of the root of `y + e^k y^n = 1`.
///
/// In v = ln y the equation is `ln(e^v + e^(k + n v)) = 0`: convex, with slopes between 1 and n, and at most ln 2 above 0 where
/// the larger term is 1. From there Newton's method descends to the root in a few steps for every n, and nothing overflows.
fn log_share(k: f64, n: f64) -> f64 {
    let mut v = (-k / n).min(0.0);
    for _ in 0..50 {
        let (linear, power) = (v, k + n * v);
        let rest = (-(linear - power).abs()).exp();
        let (large, small) = if power > linear { (n, 1.0) } else { (1.0, n) };
        let slope = (large + small * rest) / (1.0 + rest);
        let next = v - (linear.max(power) + rest.ln_1p()) / slope;
        if next >= v {
            break;
        }
        v = next;
    }
    v
}

/// Solves `s' = r + z` with `z + 2 tr(bb)/3 dt (mu z / eta)^(1/h) = s - r`: z is the excess that flow leaves at the end of the
/// step.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let (radius, n) = (c[2], c[3]);
    let shape = split::shape(trial);
    let size = norm(deviator(shape));
    let excess = size - radius;
    if excess <= 0.0 {
        return Projection { hencky: trial, state: point.state, forget: 1.0, case: CASE_ELASTIC };
    }
    let mean = 1.0 + trace(shape) / 3.0;
    let k = (2.0 * mean * point.dt.max(LEAST_STEP)).ln() + c[4] + (n - 1.0) * excess.ln();
    let scale = (radius + excess * log_share(k, n).exp()) / size;
    let third = trace(trial) / 3.0;
    let hencky = split::hencky_deviator(shape.map(|b| scale * b)).map(|e| e + third);
    Projection { hencky, state: point.state, forget: plastic::forget_factor(trial, hencky), case: CASE_FLOW }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the root with a bisection of `y + e^k y^n - 1` in y, and with its limits.
    #[test]
    fn share_solves_its_equation_for_every_power() {
        for h in [0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0] {
            let n = 1.0 / h;
            for k in (-30..=30).map(f64::from) {
                let (mut low, mut high) = (0.0_f64, 1.0_f64);
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    let over = middle + (k + n * middle.ln()).exp() > 1.0;
                    (low, high) = if over { (low, middle) } else { (middle, high) };
                }
                let found = log_share(k, n).exp();
                assert!((found - low).abs() <= 1e-14 * low.max(1e-2), "h {h}, k {k}: {found} for {low}");
            }
            assert_eq!(log_share(-800.0, n), 0.0);
            assert!((log_share(800.0, n) + 800.0 / n).abs() < 1e-10 / n.min(1.0));
        }
    }

    /// At a constant shear rate, the stress approaches `sigma_Y / sqrt(3) + K rate^h`.
    #[test]
    fn steady_shear_follows_the_flow_curve() {
        let moduli = Moduli { shear: 1e5, bulk: 2e5 };
        let (yield_stress, rate, dt) = (30.0, 4.0, 1e-5);
        for (power, consistency) in [(0.3, 20.0), (1.0, 5.0), (3.0, 0.4)] {
            let constants =
                constants(moduli, yield_stress * (2.0_f64 / 3.0).sqrt(), power, eta_of(consistency, power));
            // b of simple shear in its plane: [[1 + a, g], [g, 1 + c]], advanced by b <- (1 + L) b (1 + L)^T.
            let (mut xx, mut xy, mut yy, mut zz) = (1.0_f64, 0.0_f64, 1.0_f64, 1.0_f64);
            let mut tau = 0.0;
            for _ in 0..4000 {
                let step = rate * dt;
                (xx, xy) = (xx + step * (2.0 * xy + step * yy), xy + step * yy);
                let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
                let radius = half.hypot(xy);
                let hencky = [mean + radius, mean - radius, zz].map(|b| 0.5 * b.ln());
                let result = project(&Point { constants: &constants, state: [0.0; 4], hencky, dt });
                let stress = split::kirchhoff(moduli, result.hencky);
                tau = 0.5 * (stress[0] - stress[1]) * xy / radius;
                let [large, small, out] = result.hencky.map(|eps| (2.0 * eps).exp());
                zz = out;
                let (mean, half) = (0.5 * (large + small), 0.5 * (large - small) / radius);
                (xx, yy, xy) = (mean + half * 0.5 * (xx - yy), mean - half * 0.5 * (xx - yy), half * xy);
            }
            let expected = yield_stress / 3.0_f64.sqrt() + consistency * rate.powf(power);
            assert!((tau / expected - 1.0).abs() < 2e-3, "power {power}: {tau} Pa for {expected} Pa");
        }
    }
}
