//! The law in f64: `tau = K min(theta, 0) + 2 eta dev D`, K = rho c^2, D being the rate of deformation.
//!
//! The strain at the start of a substep is isotropic, so that the deviator of the trial strain is `dt dev D`. Projection shortens it
//! to the fraction `eta / (mu dt)`, with a shear modulus mu chosen so large that no substep in use needs more than all of it: then
//! `2 mu e` is the viscous stress. It also releases what would be tension.

use tuff_material_sdk::abi::{CASE_ELASTIC, CASE_FLOW};
use tuff_material_sdk::principal::{deviator, trace};
use tuff_material_sdk::{Moduli, Point, Projection};

/// Number of prepared constants.
pub const CONSTANTS: usize = 3;

/// Length of the shortest substep in which the viscosity acts whole \[s\]; in shorter ones it acts in proportion to their length.
pub const SHORTEST: f64 = 1.0e-5;

/// Least ratio of mu to K: the models' functions need some shear modulus.
const LEAST_SHEAR: f64 = 1.0e-9;

/// Returns mu \[Pa\], K \[Pa\], eta \[Pa s\] of the density \[kg/m^3\], kinematic viscosity \[m^2/s\] and speed of sound \[m/s\].
pub fn constants(density: f64, viscosity: f64, speed: f64) -> Vec<f64> {
    let (eta, bulk) = (density * viscosity, density * speed * speed);
    vec![(eta / SHORTEST).max(LEAST_SHEAR * bulk), bulk, eta]
}

/// Returns the moduli.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// Keeps of the deviator what stands for the viscous stress, and of the volume what is compressed.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let third = (trace(trial) / 3.0).min(0.0);
    let kept = (c[2] / (c[0] * point.dt.max(f64::MIN_POSITIVE))).min(1.0);
    let case = if kept < 1.0 || trace(trial) > 0.0 { CASE_FLOW } else { CASE_ELASTIC };
    let hencky = deviator(trial).map(|e| kept * e + third);
    Projection { hencky, state: point.state, forget: kept, case }
}

#[cfg(test)]
mod tests {
    use tuff_material_sdk::elastic;

    use super::*;

    fn kirchhoff(constants: &[f64], hencky: [f64; 3], dt: f64) -> [f64; 3] {
        let point = Point { constants, state: [0.0; 4], hencky, dt };
        elastic::hencky_kirchhoff(moduli(constants), project(&point).hencky)
    }

    /// In simple shear at the rate g the stress is `eta g`, whatever the step.
    #[test]
    fn the_stress_is_that_of_newton() {
        let (density, viscosity, rate) = (1200.0, 1.0e-3, 7.0);
        let constants = constants(density, viscosity, 30.0);
        for dt in [1.0e-5, 1.0e-3, 0.1] {
            let e = 0.5 * rate * dt;
            let stress = kirchhoff(&constants, [e, 0.0, -e], dt);
            assert!((stress[0] - density * viscosity * rate).abs() < 1e-12 * stress[0], "{dt} {stress:?}");
        }
    }

    #[test]
    fn tension_is_not_borne() {
        let constants = constants(1000.0, 0.0, 10.0);
        assert_eq!(kirchhoff(&constants, [0.1; 3], 1e-3), [0.0; 3]);
        let pressed = kirchhoff(&constants, [-0.01; 3], 1e-3)[0];
        assert!((pressed + 1e5 * 0.03).abs() < 1e-9, "{pressed}");
    }
}
