//! The formulas in f64.
//!
//! Each direction d (a unit vector at rest), whose stretch is xi = |F d|, adds to the Hencky energy of the matrix
//!
//! ```text
//! psi = beta ((xi^2 - 1) / 2 - ln xi) = beta/2 h(2 ln xi) >= 0,    tau = beta (1 - 1 / xi^2) (F d)(F d)^T
//! ```
//!
//! with `h(x) = e^x - 1 - x`.

use tuff_material_sdk::abi::CASE_ELASTIC;
use tuff_material_sdk::elastic::{hencky_energy, hencky_kirchhoff};
use tuff_material_sdk::principal::exp_remainder;
use tuff_material_sdk::{
    Moduli, ParameterError, Parameters, TensorPoint, TensorResponse, TensorUpdate, elastic,
};

/// mu, kappa, beta_1..3 \[Pa\], components of the directions 1 and 2.
pub const CONSTANTS: usize = 11;

/// Smallest squared stretch of a fiber, the same as for the engine's strains.
const STRETCH2_MIN: f64 = 1e-4;

pub fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
    let matrix = elastic::moduli(parameters)?;
    let mut constants = vec![matrix.shear, matrix.bulk];
    for name in ["fiber_stiffness_1", "fiber_stiffness_2", "fiber_stiffness_3"] {
        constants.push(parameters.need(name)?);
    }
    let angle = |name| Ok::<_, ParameterError>(parameters.need(name)?.to_radians());
    let (a, b, c) = (angle("fiber_rotate_x")?, angle("fiber_rotate_y")?, angle("fiber_rotate_z")?);
    let turned = |[x, y, z]: [f64; 3]| {
        let (y, z) = (y * a.cos() - z * a.sin(), y * a.sin() + z * a.cos());
        let (z, x) = (z * b.cos() - x * b.sin(), z * b.sin() + x * b.cos());
        [x * c.cos() - y * c.sin(), x * c.sin() + y * c.cos(), z]
    };
    constants.extend(turned([1.0, 0.0, 0.0]));
    constants.extend(turned([0.0, 1.0, 0.0]));
    Ok(constants)
}

/// Returns stiffness beta \[Pa\] and direction of each family of fibers.
fn fibers(c: &[f64]) -> [(f64, [f64; 3]); 3] {
    let (d, e) = ([c[5], c[6], c[7]], [c[8], c[9], c[10]]);
    let cross = [d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]];
    [(c[2], d), (c[3], e), (c[4], cross)]
}

/// Returns isotropic moduli that bound the stiffness in every direction: `2 beta I` more than the matrix, the stiffness of equal
/// fibers along all three directions.
pub fn stiffest(c: &[f64]) -> Moduli {
    let beta = c[2].max(c[3]).max(c[4]);
    Moduli { shear: c[0] + beta, bulk: c[1] + 2.0 / 3.0 * beta }
}

fn squared_length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().max(STRETCH2_MIN)
}

pub fn respond(point: &TensorPoint) -> TensorResponse {
    let c = point.constants;
    let matrix = Moduli { shear: c[0], bulk: c[1] };
    let mut kirchhoff = point.strain.compose(hencky_kirchhoff(matrix, point.strain.hencky));
    for (beta, direction) in fibers(c) {
        let v = point.carried(direction);
        let scale = beta * (1.0 - 1.0 / squared_length(v));
        for (tau, (i, j)) in kirchhoff.iter_mut().zip([(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]) {
            *tau += scale * v[i] * v[j];
        }
    }
    TensorResponse { energy: energy(point), kirchhoff }
}

pub fn advance(point: &TensorPoint) -> TensorUpdate {
    let TensorPoint { state, strain, branch, .. } = *point;
    TensorUpdate { state, strain, branch, forget: 1.0, case: CASE_ELASTIC }
}

pub fn energy(point: &TensorPoint) -> f64 {
    let c = point.constants;
    let stretched = |(beta, direction): (f64, [f64; 3])| {
        0.5 * beta * exp_remainder(squared_length(point.carried(direction)).ln())
    };
    let matrix = hencky_energy(Moduli { shear: c[0], bulk: c[1] }, point.strain.hencky);
    matrix + fibers(c).into_iter().map(stretched).sum::<f64>()
}
