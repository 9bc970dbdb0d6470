//! Constitutive laws for tests, written independently of the plugins.

use tuff_plugin::{Moduli, Projection};

use tuff_reference::law::Law;

/// Hencky elasticity; constants are mu and kappa [Pa].
pub struct Hencky;

/// Drucker-Prager with volume correction; constants are mu, kappa [Pa], alpha and c0.
pub struct DruckerPrager;

/// Matter that stores no energy but has moduli.
pub struct Limp;

fn split(hencky: [f64; 3]) -> (f64, [f64; 3], f64) {
    let theta: f64 = hencky.iter().sum();
    let deviator = hencky.map(|e| e - theta / 3.0);
    (theta, deviator, deviator.iter().map(|e| e * e).sum::<f64>().sqrt())
}

impl Law for Hencky {
    fn initial_state(&self, _: &[f64]) -> [f64; 4] {
        [0.0; 4]
    }

    fn project(&self, _: &[f64], state: &[f64; 4], _: f64, hencky: [f64; 3]) -> Projection {
        Projection { hencky, state: *state, forget: 1.0, case: 0 }
    }

    fn energy(&self, c: &[f64], _: &[f64; 4], hencky: [f64; 3]) -> f64 {
        let (theta, _, norm) = split(hencky);
        c[0] * norm * norm + 0.5 * c[1] * theta * theta
    }

    fn kirchhoff(&self, c: &[f64], _: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        let (theta, deviator, _) = split(hencky);
        deviator.map(|e| 2.0 * c[0] * e + c[1] * theta)
    }

    fn moduli(&self, c: &[f64], _: &[f64; 4]) -> Moduli {
        Moduli { shear: c[0], bulk: c[1] }
    }
}

impl Law for DruckerPrager {
    fn initial_state(&self, _: &[f64]) -> [f64; 4] {
        [0.0; 4]
    }

    fn project(&self, c: &[f64], state: &[f64; 4], _: f64, hencky: [f64; 3]) -> Projection {
        let [mu, kappa, alpha, c0] = [c[0], c[1], c[2], c[3]];
        let (theta, deviator, norm) = split(hencky);
        let gained = state[0];
        let correction = gained.min((-theta).max(0.0));
        let excess = theta + correction - 3.0 * c0;
        let slope = 3.0 * kappa * alpha / (2.0 * mu);
        let mean = (theta + correction) / 3.0;
        if excess >= 0.0 {
            let state = [gained - correction + excess, 0.0, 0.0, 0.0];
            return Projection { hencky: [c0; 3], state, forget: 0.0, case: 2 };
        }
        let state = [gained - correction, 0.0, 0.0, 0.0];
        if norm + slope * excess <= 0.0 {
            return Projection { hencky: deviator.map(|e| e + mean), state, forget: 1.0, case: 0 };
        }
        let ratio = -slope * excess / norm;
        let forget = if norm < 1e-7 { 1.0 } else { ratio.min(1.0) };
        Projection { hencky: deviator.map(|e| ratio * e + mean), state, forget, case: 1 }
    }

    fn energy(&self, c: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64 {
        Hencky.energy(c, state, hencky)
    }

    fn kirchhoff(&self, c: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        Hencky.kirchhoff(c, state, hencky)
    }

    fn moduli(&self, c: &[f64], _: &[f64; 4]) -> Moduli {
        Moduli { shear: c[0], bulk: c[1] }
    }
}

impl Law for Limp {
    fn initial_state(&self, _: &[f64]) -> [f64; 4] {
        [0.0; 4]
    }

    fn project(&self, _: &[f64], state: &[f64; 4], _: f64, _: [f64; 3]) -> Projection {
        Projection { hencky: [0.0; 3], state: *state, forget: 0.0, case: 2 }
    }

    fn energy(&self, _: &[f64], _: &[f64; 4], _: [f64; 3]) -> f64 {
        0.0
    }

    fn kirchhoff(&self, _: &[f64], _: &[f64; 4], _: [f64; 3]) -> [f64; 3] {
        [0.0; 3]
    }

    fn moduli(&self, c: &[f64], _: &[f64; 4]) -> Moduli {
        Moduli { shear: c[0], bulk: c[1] }
    }
}

/// mu and kappa [Pa] from Young's modulus [Pa] and Poisson's ratio.
pub fn moduli(young: f64, poisson: f64) -> Vec<f64> {
    vec![young / (2.0 * (1.0 + poisson)), young / (3.0 * (1.0 - 2.0 * poisson))]
}
