//! The formulas in f64.
//!
//! The branch's elastic strain eps_N flows at the rate `-dev tau_N / (2 eta_D) - tr tau_N / (9 eta_V)`. A step carries it
//! along and then relaxes it, implicitly, with v = 2 eta:
//!
//! ```text
//! eps_N' = a_d dev eps_N + a_v tr eps_N / 3,    a_d = v_d / (v_d + 2 mu_N dt),    a_v = v_v / (v_v + 2 kappa_N dt)
//! ```
//!
//! The relaxed stress is the gradient, with respect to the carried strain, of a Hencky energy with the moduli a_d mu_N and
//! a_v kappa_N: that makes it a constraint.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW};
use tuff_material_sdk::elastic::{hencky_energy, hencky_kirchhoff};
use tuff_material_sdk::principal::{deviator, trace};
use tuff_material_sdk::{
    Moduli, ParameterError, Parameters, TensorPoint, TensorResponse, TensorUpdate, elastic,
};

/// mu, kappa, mu_N, kappa_N \[Pa\], v_d, v_v \[Pa s\].
pub const CONSTANTS: usize = 6;

pub fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
    let solid = elastic::moduli(parameters)?;
    let shear = parameters.need("branch_shear_modulus")?;
    let bulk = branch_bulk(parameters, shear)?;
    let shear_names = ["shear_viscosity", "shear_relaxation_time", "deviatoric_viscosity"];
    let Some(v_d) = viscosity(parameters, shear_names, shear)? else {
        let message = format!("no viscosity of the branch is given; give one of {}", shear_names.join(", "));
        return Err(ParameterError::of("shear_viscosity", message));
    };
    let bulk_names = ["bulk_viscosity", "bulk_relaxation_time", "volumetric_viscosity"];
    // Without a viscosity of its own the volume relaxes as fast as the shape.
    let v_v = viscosity(parameters, bulk_names, bulk)?.unwrap_or(v_d * bulk / shear);
    Ok(vec![solid.shear, solid.bulk, shear, bulk, v_d, v_v])
}

fn branch_bulk(parameters: &Parameters, shear: f64) -> Result<f64, ParameterError> {
    let (bulk, lambda) = (parameters.get("branch_bulk_modulus"), parameters.get("branch_lambda"));
    match (bulk, lambda) {
        (Some(_), Some(_)) => {
            let message = "both branch_bulk_modulus and branch_lambda are given; give at most one";
            Err(ParameterError::of("branch_lambda", message))
        }
        (None, Some(lambda)) if lambda + 2.0 / 3.0 * shear < 0.0 => {
            let least = -2.0 / 3.0 * shear;
            let message =
                format!("branch_lambda = {lambda} Pa is below {least} Pa, where the bulk modulus is 0");
            Err(ParameterError::of("branch_lambda", message))
        }
        (None, Some(lambda)) => Ok(lambda + 2.0 / 3.0 * shear),
        (bulk, None) => Ok(bulk.unwrap_or(0.0)),
    }
}

/// v = 2 eta from eta, a relaxation time `v / (2 modulus)` or v itself, at most one of which is given \[Pa s\].
fn viscosity(parameters: &Parameters, names: [&str; 3], modulus: f64) -> Result<Option<f64>, ParameterError> {
    let factors = [2.0, 2.0 * modulus, 1.0];
    let mut given =
        names.into_iter().zip(factors).filter_map(|(name, f)| Some((name, f * parameters.get(name)?)));
    let Some((first, value)) = given.next() else { return Ok(None) };
    match given.next() {
        Some((second, _)) => {
            let message = format!("both {first} and {second} are given; give one of {}", names.join(", "));
            Err(ParameterError::of(second, message))
        }
        None => Ok(Some(value)),
    }
}

fn solid(c: &[f64]) -> Moduli {
    Moduli { shear: c[0], bulk: c[1] }
}

fn branch(c: &[f64]) -> Moduli {
    Moduli { shear: c[2], bulk: c[3] }
}

/// Moduli of a blow: of the solid and the branch together.
pub fn unrelaxed(c: &[f64]) -> Moduli {
    Moduli { shear: c[0] + c[2], bulk: c[1] + c[3] }
}

/// a_d and a_v: how much of the branch's strain a step leaves. Without viscosity nothing.
fn kept(c: &[f64], dt: f64) -> [f64; 2] {
    let share = |v: f64, modulus: f64| if v > 0.0 { v / (v + 2.0 * modulus * dt) } else { 0.0 };
    [share(c[4], c[2]), share(c[5], c[3])]
}

pub fn respond(point: &TensorPoint) -> TensorResponse {
    let c = point.constants;
    let [shape, volume] = kept(c, point.dt);
    let relaxed = Moduli { shear: shape * c[2], bulk: volume * c[3] };
    let (strain, carried) = (point.strain, point.branch);
    let energy = hencky_energy(solid(c), strain.hencky) + hencky_energy(relaxed, carried.hencky);
    let mut kirchhoff = strain.compose(hencky_kirchhoff(solid(c), strain.hencky));
    let extra = carried.compose(hencky_kirchhoff(relaxed, carried.hencky));
    kirchhoff.iter_mut().zip(extra).for_each(|(tau, x)| *tau += x);
    TensorResponse { energy, kirchhoff }
}

pub fn advance(point: &TensorPoint) -> TensorUpdate {
    let [shape, volume] = kept(point.constants, point.dt);
    let mut branch = point.branch;
    let mean = trace(branch.hencky) / 3.0;
    branch.hencky = deviator(branch.hencky).map(|e| shape * e + volume * mean);
    let case = if shape < 1.0 || volume < 1.0 { CASE_FLOW } else { CASE_ELASTIC };
    // The solid remembers its neighbors whatever the branch forgets.
    TensorUpdate { state: point.state, strain: point.strain, branch, forget: 1.0, case }
}

pub fn energy(point: &TensorPoint) -> f64 {
    let c = point.constants;
    hencky_energy(solid(c), point.strain.hencky) + hencky_energy(branch(c), point.branch.hencky)
}
