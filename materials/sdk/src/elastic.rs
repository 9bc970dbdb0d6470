//! Isotropic elasticity: the common parameters, and the Hencky model that plastic models build on.

use crate::descriptor::Parameter;
use crate::principal::{deviator, norm, trace};
use crate::{Moduli, ParameterError, Parameters};

/// Largest Poisson ratio: beyond it the bulk modulus makes every formula ill-conditioned.
pub const MAX_POISSON_RATIO: f64 = 0.495;

/// Returns the four common parameters: `youngs_modulus` with `poisson_ratio`, or `shear_modulus` with `bulk_modulus`.
pub fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::number("youngs_modulus", "Pa", "Young's modulus; needs poisson_ratio")
            .above(0.0)
            .alias("E"),
        Parameter::number("poisson_ratio", "-", "Poisson's ratio; needs youngs_modulus")
            .at_least(0.0)
            .at_most(MAX_POISSON_RATIO)
            .alias("nu"),
        Parameter::number("shear_modulus", "Pa", "Shear modulus mu; needs bulk_modulus")
            .above(0.0)
            .alias("mu"),
        Parameter::number("bulk_modulus", "Pa", "Bulk modulus kappa; needs shear_modulus")
            .above(0.0)
            .alias("kappa"),
    ]
}

/// Returns the moduli from either pair of parameters: `mu = E / (2 (1 + nu))`, `kappa = E / (3 (1 - 2 nu))`.
///
/// # Errors
/// Neither pair or both are given, a pair is incomplete, or mu and kappa imply a Poisson ratio outside 0 to 0.495.
pub fn moduli(parameters: &Parameters) -> Result<Moduli, ParameterError> {
    let get = |name| parameters.get(name);
    let (young, poisson) = (get("youngs_modulus"), get("poisson_ratio"));
    let (shear, bulk) = (get("shear_modulus"), get("bulk_modulus"));
    let both = "give either youngs_modulus and poisson_ratio, or shear_modulus and bulk_modulus";
    match (young, poisson, shear, bulk) {
        (Some(young), Some(poisson), None, None) => Ok(from_young(young, poisson)),
        (None, None, Some(shear), Some(bulk)) => {
            let poisson = poisson_ratio(shear, bulk);
            // Exact pairs such as kappa = 2 mu / 3 meet the bounds of nu only up to rounding.
            if (-1e-12..=MAX_POISSON_RATIO + 1e-12).contains(&poisson) {
                return Ok(Moduli { shear, bulk });
            }
            let highest = from_young(1.0, MAX_POISSON_RATIO);
            let (low, high) = (shear * 2.0 / 3.0, shear * highest.bulk / highest.shear);
            Err(ParameterError::of(
                "bulk_modulus",
                format!(
                    "bulk_modulus = {bulk} Pa with shear_modulus = {shear} Pa is a Poisson ratio of {poisson:.4}, allowed \
                     is 0 to {MAX_POISSON_RATIO}: bulk_modulus between {low:.6} and {high:.6} Pa"
                ),
            ))
        }
        (None, None, None, None) => {
            Err(ParameterError::of("youngs_modulus", format!("no stiffness is given; {both}")))
        }
        (Some(_), None, None, None) => {
            Err(ParameterError::of("poisson_ratio", format!("youngs_modulus needs poisson_ratio; {both}")))
        }
        (None, Some(_), None, None) => {
            Err(ParameterError::of("youngs_modulus", format!("poisson_ratio needs youngs_modulus; {both}")))
        }
        (None, None, Some(_), None) => {
            Err(ParameterError::of("bulk_modulus", format!("shear_modulus needs bulk_modulus; {both}")))
        }
        (None, None, None, Some(_)) => {
            Err(ParameterError::of("shear_modulus", format!("bulk_modulus needs shear_modulus; {both}")))
        }
        (_, _, shear, _) => {
            let extra = if shear.is_some() { "shear_modulus" } else { "bulk_modulus" };
            Err(ParameterError::of(extra, format!("the stiffness is given twice; {both}")))
        }
    }
}

/// Returns the moduli \[Pa\] from Young's modulus \[Pa\] and Poisson's ratio.
pub fn from_young(young: f64, poisson: f64) -> Moduli {
    Moduli { shear: young / (2.0 * (1.0 + poisson)), bulk: young / (3.0 * (1.0 - 2.0 * poisson)) }
}

/// Returns Poisson's ratio of a pair of moduli: `(3 kappa - 2 mu) / (2 (3 kappa + mu))`.
pub fn poisson_ratio(shear: f64, bulk: f64) -> f64 {
    (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear))
}

/// Returns the Hencky energy density `mu |e|^2 + kappa/2 theta^2` \[Pa\].
pub fn hencky_energy(moduli: Moduli, hencky: [f64; 3]) -> f64 {
    let (e, theta) = (norm(deviator(hencky)), trace(hencky));
    moduli.shear * e * e + 0.5 * moduli.bulk * theta * theta
}

/// Returns the principal Kirchhoff stresses of the Hencky model, `2 mu e_i + kappa theta` \[Pa\].
pub fn hencky_kirchhoff(moduli: Moduli, hencky: [f64; 3]) -> [f64; 3] {
    let theta = trace(hencky);
    deviator(hencky).map(|e| 2.0 * moduli.shear * e + moduli.bulk * theta)
}

/// Returns the step \[s\] in which a pressure wave, `c^2 = (kappa + 4/3 mu) / density`, crosses `spacing` \[m\].
pub fn wave_step(moduli: Moduli, density: f64, spacing: f64) -> f64 {
    spacing / ((moduli.bulk + 4.0 / 3.0 * moduli.shear) / density).sqrt()
}
