//! Interface between the reference and a constitutive model.

use glam::DVec3;
use tuff_plugin::{Model, Moduli, Projection, TensorPoint, TensorResponse, TensorUpdate, Variant};

use crate::lanes::{Vectors, get_vector, set_vector};

/// A constitutive model on principal Hencky strains, in f64.
///
/// Implemented by [`Model`]; tests bring their own.
pub trait Law: Send + Sync {
    /// Initial state words.
    fn initial_state(&self, constants: &[f64]) -> [f64; 4];
    /// Return mapping over a step `dt` [s].
    fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection;
    /// Principal Kirchhoff stresses after the return mapping of several particles [Pa]: those of the lanes `first`, `first + 1` ...,
    /// as many as there are `states`.
    fn stress(
        &self,
        constants: &[f64],
        states: &[[f64; 4]],
        dt: f64,
        first: usize,
        hencky: &Vectors,
        stress: &mut Vectors,
    ) {
        for (lane, state) in (first..).zip(states) {
            let trial = get_vector(hencky, lane).to_array();
            let projected = self.project(constants, state, dt, trial).hencky;
            set_vector(stress, lane, DVec3::from_array(self.kirchhoff(constants, state, projected)));
        }
    }
    /// Energy density, not negative [Pa].
    fn energy(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> f64;
    /// Principal Kirchhoff stress [Pa].
    fn kirchhoff(&self, constants: &[f64], state: &[f64; 4], hencky: [f64; 3]) -> [f64; 3];
    /// Small-strain moduli [Pa].
    fn moduli(&self, constants: &[f64], state: &[f64; 4]) -> Moduli;
    /// Returns the functions of a model of the tensor variant, which the engine calls instead of the first three.
    fn tensor(&self) -> Option<&dyn TensorLaw> {
        None
    }
}

/// A constitutive model of the tensor variant, in f64.
pub trait TensorLaw {
    /// Returns energy and stress of the step that leads to a point.
    fn respond(&self, point: &TensorPoint) -> TensorResponse;
    /// Returns the state at the end of that step.
    fn advance(&self, point: &TensorPoint) -> TensorUpdate;
    /// Returns the energy density stored at a point between substeps [Pa].
    fn stored_energy(&self, point: &TensorPoint) -> f64;
}

impl TensorLaw for Model {
    fn respond(&self, point: &TensorPoint) -> TensorResponse {
        self.respond(point)
    }

    fn advance(&self, point: &TensorPoint) -> TensorUpdate {
        self.advance(point)
    }

    fn stored_energy(&self, point: &TensorPoint) -> f64 {
        self.stored_energy(point)
    }
}

impl Law for Model {
    fn initial_state(&self, constants: &[f64]) -> [f64; 4] {
        self.initial_state(constants)
    }

    fn project(&self, constants: &[f64], state: &[f64; 4], dt: f64, hencky: [f64; 3]) -> Projection {
        self.project(constants, state, dt, hencky)
    }

    fn stress(
        &self,
        constants: &[f64],
        states: &[[f64; 4]],
        dt: f64,
        first: usize,
        hencky: &Vectors,
        stress: &mut Vectors,
    ) {
        self.stress(constants, states, dt, first, hencky, stress);
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

    fn tensor(&self) -> Option<&dyn TensorLaw> {
        matches!(self.descriptor().variant, Variant::Tensor { .. }).then_some(self)
    }
}
