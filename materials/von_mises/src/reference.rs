//! The return mapping in f64. `r = tau_Y / (2 mu)` is the yield strain.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW};
use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Point, Projection, plastic};

/// Number of prepared constants.
pub const CONSTANTS: usize = 5;

/// Returns mu \[Pa\], kappa \[Pa\], initial yield stress \[Pa\], hardening ratio \[-\], 1 / (2 mu) \[1/Pa\].
pub fn constants(moduli: Moduli, yield_stress: f64, hardening: f64) -> Vec<f64> {
    vec![moduli.shear, moduli.bulk, yield_stress, hardening, 0.5 / moduli.shear]
}

/// Returns the small-strain moduli.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// `eps' = theta/3 + (tau_Y' / (2 mu |e|)) e` with `tau_Y' = tau_Y + 2 mu xi dg`, `dg = |e| - r > 0`: on the new surface.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let (shear, hardening) = (c[0], c[3]);
    let e = deviator(trial);
    let size = norm(e);
    let r = point.state[0] / (2.0 * shear);
    let excess = size - r;
    if excess <= 0.0 {
        return Projection { hencky: trial, state: point.state, forget: 1.0, case: CASE_ELASTIC };
    }
    let mean = trace(trial) / 3.0;
    let scale = (r + hardening * excess) / size;
    let hencky = e.map(|e| mean + scale * e);
    let mut state = point.state;
    state[0] += 2.0 * shear * hardening * excess;
    Projection { hencky, state, forget: plastic::forget_factor(trial, hencky), case: CASE_FLOW }
}
