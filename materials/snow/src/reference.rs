//! Stomakhin's snow in f64: fixed corotated elasticity that hardens by `e^x`, `x = xi (1 - Jp)`, as plastic flow compacts it.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW};
use tuff_material_sdk::principal::trace;
use tuff_material_sdk::{Moduli, Point, Projection, plastic};

/// Number of prepared constants.
pub const CONSTANTS: usize = 6;

/// Bounds of the plastic volume Jp.
const PLASTIC_VOLUME: [f64; 2] = [1e-2, 1e2];

/// Largest exponent of the hardening.
const HARDENING_LIMIT: f64 = 20.0;

/// Returns the initial mu \[Pa\], kappa \[Pa\] and lambda \[Pa\], least and largest Hencky strain `ln(1 - theta_c)`, `ln(1 +
/// theta_s)`, xi.
pub fn constants(moduli: Moduli, compression: f64, stretch: f64, hardening: f64) -> Vec<f64> {
    let lambda = moduli.bulk - 2.0 / 3.0 * moduli.shear;
    // nu >= 0 has been checked; a lambda of -1e-17 mu is rounding.
    let (least, largest) = ((-compression).ln_1p(), stretch.ln_1p());
    vec![moduli.shear, moduli.bulk, lambda.max(0.0), least, largest, hardening]
}

/// Returns the factor of the stiffness at a plastic volume.
fn hardness(constants: &[f64], plastic_volume: f64) -> f64 {
    (constants[5] * (1.0 - plastic_volume)).clamp(-HARDENING_LIMIT, HARDENING_LIMIT).exp()
}

/// Returns the small-strain moduli at the start of the substep.
pub fn moduli(point: &Point) -> Moduli {
    let factor = hardness(point.constants, point.state[0]);
    Moduli { shear: factor * point.constants[0], bulk: factor * point.constants[1] }
}

/// Clamps each strain; the clamped part moves into the plastic volume, so that J Jp is conserved.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let hencky = trial.map(|eps| eps.clamp(c[3], c[4]));
    if hencky == trial {
        return Projection { hencky, state: point.state, forget: 1.0, case: CASE_ELASTIC };
    }
    let mut state = point.state;
    let cut = trace(trial) - trace(hencky);
    state[0] = (state[0] * cut.exp()).clamp(PLASTIC_VOLUME[0], PLASTIC_VOLUME[1]);
    Projection { hencky, state, forget: plastic::forget_factor(trial, hencky), case: CASE_FLOW }
}

/// `e^x (mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2)` \[Pa\].
pub fn energy(point: &Point) -> f64 {
    let (mu, lambda) = (point.constants[0], point.constants[2]);
    let shape: f64 = point.hencky.iter().map(|eps| eps.exp_m1().powi(2)).sum();
    let volume = trace(point.hencky).exp_m1();
    hardness(point.constants, point.state[0]) * (mu * shape + 0.5 * lambda * volume * volume)
}

/// `e^x (2 mu (s_i - 1) s_i + lambda (J - 1) J)` \[Pa\].
pub fn kirchhoff(point: &Point) -> [f64; 3] {
    let (mu, lambda) = (point.constants[0], point.constants[2]);
    let factor = hardness(point.constants, point.state[0]);
    let theta = trace(point.hencky);
    let volume = lambda * theta.exp_m1() * theta.exp();
    point.hencky.map(|eps| factor * (2.0 * mu * eps.exp_m1() * eps.exp() + volume))
}
