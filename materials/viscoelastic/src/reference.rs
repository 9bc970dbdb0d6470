//! The formulas in f64.
//!
//! The branch's elastic strain eps_N flows at the rate `-dev tau_N / (2 eta_D) - tr tau_N / (9 eta_V)`. A step carries it
//! along and then relaxes it, implicitly, with v = 2 eta:
//!
//! ```text
//! eps_N' = a_d dev eps_N + a_v tr eps_N / 3,    a_d = v_d / (v_d + 2 mu_N dt),    a_v = v_v / (v_v + 2 kappa_N dt)
//! ```
//!
//! The relaxed stress is the gradient, with respect to the carried strain, of a Hencky energy with the moduli a_d mu_N and a_v
//! kappa_N, and can therefore be used as a constraint.

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
    let v_d = twice_viscosity(parameters.exactly_one("viscosity of the branch", &shear_names)?, shear);
    let bulk_names = ["bulk_viscosity", "bulk_relaxation_time", "volumetric_viscosity"];
    // Without its own viscosity the volume relaxes as fast as the shape.
    let v_v = parameters.at_most_one(&bulk_names)?;
    let v_v = v_v.map_or(v_d * bulk / shear, |given| twice_viscosity(given, bulk));
    Ok(vec![solid.shear, solid.bulk, shear, bulk, v_d, v_v])
}

fn branch_bulk(parameters: &Parameters, shear: f64) -> Result<f64, ParameterError> {
    match parameters.at_most_one(&["branch_bulk_modulus", "branch_lambda"])? {
        Some(("branch_lambda", lambda)) if lambda + 2.0 / 3.0 * shear < 0.0 => {
            let least = -2.0 / 3.0 * shear;
            let message =
                format!("branch_lambda = {lambda} Pa is below {least} Pa, where the bulk modulus is 0");
            Err(ParameterError::of("branch_lambda", message))
        }
        Some(("branch_lambda", lambda)) => Ok(lambda + 2.0 / 3.0 * shear),
        bulk => Ok(bulk.map_or(0.0, |(_, bulk)| bulk)),
    }
}

/// Returns v = 2 eta \[Pa s\] from eta, from the relaxation time `v / (2 modulus)`, or v as given.
fn twice_viscosity((name, value): (&str, f64), modulus: f64) -> f64 {
    if name.ends_with("_relaxation_time") {
        2.0 * modulus * value
    } else if ["shear_viscosity", "bulk_viscosity"].contains(&name) {
        2.0 * value
    } else {
        value
    }
}

fn solid(c: &[f64]) -> Moduli {
    Moduli { shear: c[0], bulk: c[1] }
}

fn branch(c: &[f64]) -> Moduli {
    Moduli { shear: c[2], bulk: c[3] }
}

/// Returns the moduli under impact: those of the solid and the branch together.
pub fn unrelaxed(c: &[f64]) -> Moduli {
    Moduli { shear: c[0] + c[2], bulk: c[1] + c[3] }
}

/// Returns a_d and a_v: the fractions of the branch's strain that remain after a step; 0 without viscosity.
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
    // The solid's memory of its neighbors is kept, whatever the branch forgets.
    TensorUpdate { state: point.state, strain: point.strain, branch, forget: 1.0, case }
}

pub fn energy(point: &TensorPoint) -> f64 {
    let c = point.constants;
    hencky_energy(solid(c), point.strain.hencky) + hencky_energy(branch(c), point.branch.hencky)
}
