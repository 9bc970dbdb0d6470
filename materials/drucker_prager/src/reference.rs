//! The return mapping in f64, in strains: `k = 3 kappa alpha / (2 mu)`, tip of the cone at the strain `c0` per axis.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW, CASE_TIP};
use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Point, Projection, plastic};

/// Number of prepared constants.
pub const CONSTANTS: usize = 6;

/// Returns mu \[Pa\], kappa \[Pa\], k \[-\], c0 \[-\], volume correction (0 or 1), c0 per cohesion \[1/Pa\]. `friction` in radians,
/// with `alpha = sqrt(2/3) 2 sin(phi) / (3 - sin(phi))`.
pub fn constants(moduli: Moduli, friction: f64, tip: f64, volume_correction: bool) -> Vec<f64> {
    let sine = friction.sin();
    let alpha = (2.0_f64 / 3.0).sqrt() * 2.0 * sine / (3.0 - sine);
    let k = 3.0 * moduli.bulk * alpha / (2.0 * moduli.shear);
    let per_cohesion = if friction > 0.0 { tip_strain(moduli, friction, 1.0) } else { 0.0 };
    vec![moduli.shear, moduli.bulk, k, tip, f64::from(u8::from(volume_correction)), per_cohesion]
}

/// Returns the tip strain of a Mohr-Coulomb cohesion c \[Pa\]: `c0 = c cot(phi) / (3 kappa)`.
pub fn tip_strain(moduli: Moduli, friction: f64, cohesion: f64) -> f64 {
    cohesion / (friction.tan() * 3.0 * moduli.bulk)
}

/// Returns the small-strain moduli.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// Tests tip, elastic and cone in this order: without friction a purely isotropic tension would otherwise count as elastic. With
/// the volume correction, `theta + v_c` is conserved in every case.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let (k, tip, volume_correction) = (c[2], c[3] + c[5] * point.state[1], c[4] != 0.0);
    let gain = point.state[0];
    let (e, theta) = (deviator(trial), trace(trial));
    let size = norm(e);
    let relief = if volume_correction { gain.min((-theta).max(0.0)) } else { 0.0 };
    let tension = theta + relief - 3.0 * tip;
    let with_gain = |value| {
        let mut state = point.state;
        state[0] = if volume_correction { value } else { gain };
        state
    };
    if tension >= 0.0 {
        let state = with_gain(gain - relief + tension);
        return Projection { hencky: [tip; 3], state, forget: 0.0, case: CASE_TIP };
    }
    let state = with_gain(gain - relief);
    let radius = -k * tension;
    let (case, hencky) = if size <= radius {
        (CASE_ELASTIC, trial.map(|eps| eps + relief / 3.0))
    } else {
        let mean = (theta + relief) / 3.0;
        (CASE_FLOW, e.map(|e| e * (radius / size) + mean))
    };
    Projection { hencky, state, forget: plastic::forget_factor(trial, hencky), case }
}
