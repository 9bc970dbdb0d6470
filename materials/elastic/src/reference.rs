//! Energies and stresses in f64; every energy has a form that cannot be negative near rest: `h(x) = e^x - 1 - x`.

use tuff_material_sdk::principal::{deviator, exp_remainder, trace};
use tuff_material_sdk::{Moduli, elastic};

/// Number of prepared constants.
pub const CONSTANTS: usize = 4;

/// Words of the parameter `energy`; the index is the prepared constant.
pub const ENERGIES: [&str; 4] = ["hencky", "neo_hookean", "neo_hookean_split", "fixed_corotated"];

/// Returns mu \[Pa\], kappa \[Pa\], lambda \[Pa\], index into [`ENERGIES`].
pub fn constants(moduli: Moduli, energy: f64) -> Vec<f64> {
    let lambda = moduli.bulk - 2.0 / 3.0 * moduli.shear;
    // nu >= 0 has been checked; a lambda of -1e-17 mu is rounding.
    vec![moduli.shear, moduli.bulk, lambda.max(0.0), energy]
}

/// Returns the small-strain moduli, which are the same for every energy.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// Returns the energy density Psi \[Pa\].
pub fn energy(constants: &[f64], hencky: [f64; 3]) -> f64 {
    let (mu, kappa, lambda) = (constants[0], constants[1], constants[2]);
    let theta = trace(hencky);
    let sum = |values: [f64; 3], term: fn(f64) -> f64| values.into_iter().map(term).sum::<f64>();
    match constants[3] as usize {
        1 => 0.5 * mu * sum(hencky, |eps| exp_remainder(2.0 * eps)) + 0.5 * lambda * theta * theta,
        2 => {
            let shape = sum(deviator(hencky), |e| exp_remainder(2.0 * e));
            0.5 * mu * shape + 0.25 * kappa * exp_remainder(2.0 * theta)
        }
        3 => mu * sum(hencky, |eps| eps.exp_m1().powi(2)) + 0.5 * lambda * theta.exp_m1().powi(2),
        _ => elastic::hencky_energy(moduli(constants), hencky),
    }
}

/// Returns the principal Kirchhoff stresses d Psi / d eps_i \[Pa\].
pub fn kirchhoff(constants: &[f64], hencky: [f64; 3]) -> [f64; 3] {
    let (mu, kappa, lambda) = (constants[0], constants[1], constants[2]);
    let theta = trace(hencky);
    match constants[3] as usize {
        1 => hencky.map(|eps| mu * (2.0 * eps).exp_m1() + lambda * theta),
        2 => {
            let shape = deviator(deviator(hencky).map(|e| (2.0 * e).exp_m1()));
            shape.map(|s| mu * s + 0.5 * kappa * (2.0 * theta).exp_m1())
        }
        3 => {
            let volume = lambda * theta.exp_m1() * theta.exp();
            hencky.map(|eps| 2.0 * mu * eps.exp_m1() * eps.exp() + volume)
        }
        _ => elastic::hencky_kirchhoff(moduli(constants), hencky),
    }
}
