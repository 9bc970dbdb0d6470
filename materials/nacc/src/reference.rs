//! The return mapping in f64, in units of kappa: pressure p (compression positive), `q = sqrt(3/2) mu |dev bb|`, and the
//! ellipse `(1 + 2 beta) q^2 + M^2 (p + beta p0)(p - p0) = 0`.

use tuff_material_sdk::abi::{CASE_COMPRESSION_TIP, CASE_ELASTIC, CASE_FLOW, CASE_TIP};
use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Point, Projection, plastic, split};

/// Number of prepared constants.
pub const CONSTANTS: usize = 10;

/// Words of the parameter `variant`; the index is the prepared constant.
pub const VARIANTS: [&str; 2] = ["exact", "published"];

/// p0 of uncompacted matter, in units of kappa: without it the ellipse would be a point.
const POWDER_PRESSURE: f64 = 1e-5;

/// Largest argument of sinh.
const HARDENING_LIMIT: f64 = 1.5;

/// Parameters besides the stiffness.
pub struct Surface {
    /// Initial log volume state.
    pub alpha: f64,
    /// Ratio of the strength in tension to that in compression.
    pub beta: f64,
    /// Hardening factor.
    pub xi: f64,
    /// Slope of the critical state line.
    pub slope: f64,
    /// Largest p0, in units of kappa.
    pub cap: f64,
    /// True if alpha follows plastic volume changes.
    pub hardening: bool,
    /// True if the flow conserves tr(b), as published, instead of the volume.
    pub published: bool,
}

/// Returns mu \[Pa\], kappa \[Pa\], beta, xi, M, cap of p0, initial alpha, hardening (0 or 1), published (0 or 1), `sqrt(3/2) mu
/// / kappa`.
pub fn constants(moduli: Moduli, s: &Surface) -> Vec<f64> {
    let [hardening, published] = [s.hardening, s.published].map(|flag| f64::from(u8::from(flag)));
    let shear = 1.5_f64.sqrt() * moduli.shear / moduli.bulk;
    vec![moduli.shear, moduli.bulk, s.beta, s.xi, s.slope, s.cap, s.alpha, hardening, published, shear]
}

/// Returns the critical state slope of a friction angle in radians: `M = 6 sin(phi) / (3 - sin(phi))`.
pub fn slope_of(friction: f64) -> f64 {
    let sine = friction.sin();
    6.0 * sine / (3.0 - sine)
}

/// Returns the small-strain moduli.
pub fn moduli(constants: &[f64]) -> Moduli {
    Moduli { shear: constants[0], bulk: constants[1] }
}

/// Returns the pressure at which isotropic compression crushes the matter, in units of kappa.
fn crushing_pressure(constants: &[f64], alpha: f64) -> f64 {
    let compaction = (constants[3] * (-alpha).max(0.0)).min(HARDENING_LIMIT);
    (POWDER_PRESSURE + compaction.sinh()).min(constants[5])
}

/// Returns half of `ln J^2` at a pressure in units of kappa: `p = (1 - J^2) / 2`.
fn log_volume(pressure: f64) -> f64 {
    0.5 * (-2.0 * pressure).max(1e-12 - 1.0).ln_1p()
}

/// Tests the tips before the ellipse. `alpha` gains the plastic volume change up to the pressure `p_x`: that of the tip, or where
/// the line from the center of the ellipse to the trial state intersects the ellipse.
pub fn project(point: &Point) -> Projection {
    let (c, trial) = (point.constants, point.hencky);
    let (beta, slope) = (c[2], c[4]);
    let p0 = crushing_pressure(c, point.state[0]);
    let lowest = -beta * p0;
    let theta = trace(trial);
    let p = -0.5 * (2.0 * theta).exp_m1();
    let with_volume_of = |p_x: f64| {
        let mut state = point.state;
        state[0] += c[7] * (theta - log_volume(p_x));
        state
    };
    if p > p0 || p < lowest {
        let (tip, case) = if p > p0 { (p0, CASE_COMPRESSION_TIP) } else { (lowest, CASE_TIP) };
        let hencky = [log_volume(tip) / 3.0; 3];
        return Projection { hencky, state: with_volume_of(tip), forget: 0.0, case };
    }
    let shape = split::shape(trial);
    let d = deviator(shape);
    let q = c[9] * norm(d);
    let width = 1.0 + 2.0 * beta;
    if width * q * q + slope * slope * (p - lowest) * (p - p0) <= 0.0 {
        return Projection { hencky: trial, state: point.state, forget: 1.0, case: CASE_ELASTIC };
    }
    let scale = slope * ((p - lowest) * (p0 - p) / width).sqrt() / q;
    let hencky = if c[8] != 0.0 {
        // b' = J^(2/3) (tr(bb)/3 + scale d): its determinant is not J^2.
        let mean = trace(shape) / 3.0;
        d.map(|d| 0.5 * (mean + scale * d).ln_1p() + theta / 3.0)
    } else {
        split::hencky_deviator(shape.map(|b| scale * b)).map(|e| e + theta / 3.0)
    };
    let off_centre = slope * (p - 0.5 * (p0 + lowest));
    let reach = 0.5 * (p0 - lowest) / (off_centre * off_centre + width * q * q).sqrt();
    let state = with_volume_of(0.5 * (p0 + lowest) + reach * off_centre);
    Projection { hencky, state, forget: plastic::forget_factor(trial, hencky), case: CASE_FLOW }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULI: Moduli = Moduli { shear: 1.0, bulk: 2.5 };

    fn snow(hardening: bool) -> Vec<f64> {
        let surface = Surface {
            alpha: -0.01,
            beta: 0.3,
            xi: 10.0,
            slope: 1.85,
            cap: 0.49,
            hardening,
            published: false,
        };
        constants(MODULI, &surface)
    }

    fn trials() -> impl Iterator<Item = [f64; 3]> {
        let steps = || (-4..=4).map(|i| 0.06 * f64::from(i));
        steps().flat_map(move |x| steps().map(move |y| [x + 0.1 * y, y, -0.5 * x]))
    }

    /// The projected state is on the surface or inside, is unchanged by a second projection, and holds less energy.
    #[test]
    fn exact_projection_lands_on_the_surface_once_and_loses_energy() {
        let constants = snow(false);
        let mut flows = 0;
        for hencky in trials() {
            let point = Point { constants: &constants, state: [-0.01, 0.0, 0.0, 0.0], hencky, dt: 1e-4 };
            let first = project(&point);
            let again = project(&Point { hencky: first.hencky, ..point });
            for i in 0..3 {
                assert!(
                    (again.hencky[i] - first.hencky[i]).abs() < 1e-13,
                    "{hencky:?}: {first:?}, {again:?}"
                );
            }
            assert!(split::energy(MODULI, first.hencky) <= split::energy(MODULI, hencky) + 1e-15);
            assert_eq!(first.state, point.state);
            flows += usize::from(first.case == CASE_FLOW);
            if first.case == CASE_FLOW {
                assert!((trace(first.hencky) - trace(hencky)).abs() < 1e-14);
            }
        }
        assert!(flows > 10, "{flows}");
    }

    /// Expansion beyond the dry side softens, compression beyond the wet side hardens, and the center line does neither.
    #[test]
    fn alpha_follows_the_side_of_the_ellipse() {
        let constants = snow(true);
        let alpha = |theta: f64| {
            let hencky = [theta / 3.0 + 0.1, theta / 3.0 - 0.1, theta / 3.0];
            let point = Point { constants: &constants, state: [-0.01, 0.0, 0.0, 0.0], hencky, dt: 1e-4 };
            let result = project(&point);
            assert_eq!(result.case, CASE_FLOW);
            result.state[0]
        };
        let centre = log_volume(0.35 * crushing_pressure(&constants, -0.01));
        assert!(alpha(centre - 0.01) < -0.0101 && alpha(centre + 0.01) > -0.0099);
        assert!((alpha(centre) + 0.01).abs() < 1e-15);
    }
}
