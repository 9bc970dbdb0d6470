//! What the reference asks of a constitutive model.

use tuff_plugin::{Model, Moduli, Projection};

/// A constitutive model on principal Hencky strains, in f64.
///
/// [`Model`] implements it; tests bring their own.
pub trait Law: Send + Sync {
    /// Initial state words.
    fn initial_state(&self, constants: &[f64]) -> [f64; 4];
    /// Return mapping over a step `dt` [s].
    fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection;
    /// Energy density, not negative [Pa].
    fn energy(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64;
    /// Principal Kirchhoff stress [Pa].
    fn kirchhoff(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3];
    /// Small-strain moduli [Pa].
    fn moduli(&self, constants: &[f64], state: &[f64; 4]) -> Moduli;
}

impl Law for Model {
    fn initial_state(&self, constants: &[f64]) -> [f64; 4] {
        self.initial_state(constants)
    }

    fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection {
        self.project(constants, state, dt, hencky)
    }

    fn energy(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64 {
        self.energy(constants, state, hencky)
    }

    fn kirchhoff(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3] {
        self.kirchhoff(constants, state, hencky)
    }

    fn moduli(&self, constants: &[f64], state: &[f64; 4]) -> Moduli {
        self.moduli(constants, state)
    }
}
