//! The tensor variant: models that need more than the principal strains, because matter is anisotropic or carries a second
//! elastic strain.

use crate::descriptor::Descriptor;
use crate::{Moduli, ParameterError, Parameters};

/// A constitutive model of whole tensors. [`crate::export_tensor_material!`] turns it into a library.
///
/// The engine carries everything along with a step: it advances the elastic strain `E = b - I` and, if the descriptor asks for
/// them, a second elastic strain (`E_N + L E_N + E_N L^T + L E_N L^T + L + L^T + L L^T`) and the deformation gradient (`F + L
/// F`), with `L = dt grad v`. A model sees them after this and before anything flows or relaxes. Functions are pure and work in
/// f64; `GLSL` contains the same formulas for the device.
pub trait TensorModel: 'static {
    /// File name of [`Self::GLSL`] for messages of the shader compiler.
    const GLSL_NAME: &'static str;
    /// GLSL text, usually `include_str!("<id>.glsl")`.
    const GLSL: &'static str;

    /// Returns the description of the model, its parameters and its state.
    fn descriptor() -> Descriptor;

    /// Like [`crate::ConstitutiveModel::prepare`].
    ///
    /// # Errors
    /// The parameter at fault, and the reason.
    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError>;

    /// Returns the energy of the step that leads to `point` and its derivative, the Kirchhoff stress. The state is the one at the
    /// start of the substep.
    fn respond(point: &TensorPoint) -> TensorResponse;

    /// Returns the end of the step that leads to `point`: the state that the particle keeps.
    fn advance(point: &TensorPoint) -> TensorUpdate;

    /// Returns the energy density Psi >= 0 stored by a particle between substeps, 0 at rest \[Pa\].
    fn energy(point: &TensorPoint) -> f64;

    /// Returns the small-strain moduli: those of the stiffest direction and the shortest time.
    fn moduli(constants: &[f64], state: [f64; 4]) -> Moduli;

    /// Returns the step \[s\] within which the fastest wave crosses `spacing` \[m\] at `density` [kg/m^3].
    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64;
}

/// An elastic strain E = b - I in its principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Principal Hencky strains, `1/2 ln(1 + E_i)` \[-\].
    pub hencky: [f64; 3],
    /// The three principal directions.
    pub axes: [[f64; 3]; 3],
}

/// Input of a tensor model's functions.
#[derive(Clone, Copy, Debug)]
pub struct TensorPoint<'a> {
    /// Prepared constants.
    pub constants: &'a [f64],
    /// State words at the start of the substep.
    pub state: [f64; 4],
    /// Elastic strain.
    pub strain: Stretch,
    /// The second elastic strain; at rest unless the descriptor asks for it.
    pub branch: Stretch,
    /// Deformation gradient F, rows; the identity unless the descriptor asks for it.
    pub deformation: [[f64; 3]; 3],
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// Response to a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorResponse {
    /// Energy density Psi >= 0 whose derivative is the stress \[Pa\].
    pub energy: f64,
    /// Kirchhoff stress: xx yy zz yz xz xy \[Pa\].
    pub kirchhoff: [f64; 6],
}

/// State that a particle keeps after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorUpdate {
    /// State words after the substep.
    pub state: [f64; 4],
    /// Elastic strain after the substep.
    pub strain: Stretch,
    /// The second elastic strain after the substep.
    pub branch: Stretch,
    /// Share of the remembered non-affine displacement that survives, 0 to 1 \[-\].
    pub forget: f64,
    /// One of the `CASE_*` numbers of [`crate::abi`].
    pub case: u32,
}

impl Stretch {
    /// No strain.
    pub const REST: Self =
        Self { hencky: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// Returns the symmetric tensor with these principal values in this stretch's axes: xx yy zz yz xz xy.
    pub fn compose(&self, principal: [f64; 3]) -> [f64; 6] {
        let component =
            |i: usize, j: usize| (0..3).map(|k| principal[k] * self.axes[k][i] * self.axes[k][j]).sum();
        [component(0, 0), component(1, 1), component(2, 2), component(1, 2), component(0, 2), component(0, 1)]
    }
}

impl<'a> TensorPoint<'a> {
    /// Returns a point without strain, after a step of length 0.
    pub fn at_rest(constants: &'a [f64], state: [f64; 4]) -> Self {
        let Stretch { axes: identity, .. } = Stretch::REST;
        Self {
            constants,
            state,
            strain: Stretch::REST,
            branch: Stretch::REST,
            deformation: identity,
            dt: 0.0,
        }
    }

    /// Returns F d: the current direction and stretch of the material direction `d`.
    pub fn carried(&self, d: [f64; 3]) -> [f64; 3] {
        self.deformation.map(|row| row[0] * d[0] + row[1] * d[1] + row[2] * d[2])
    }
}
