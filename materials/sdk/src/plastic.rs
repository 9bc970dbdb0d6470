//! Shared by plastic models: yield stresses and the forget factor.

use crate::descriptor::Parameter;
use crate::principal::{deviator, norm};
use crate::{ParameterError, Parameters};

/// Deviatoric trial strain below which nothing is forgotten \[-\].
const REST_STRAIN: f64 = 1e-7;

/// The three ways to give a yield stress; a scene uses exactly one.
const YIELD_NAMES: [&str; 3] = ["yield_stress", "yield_stress_shear", "yield_stress_frobenius"];

/// Returns the parameters `yield_stress`, `yield_stress_shear` and `yield_stress_frobenius`.
pub fn yield_parameters() -> Vec<Parameter> {
    let helps = [
        "Yield stress in uniaxial tension",
        "Yield stress in simple shear",
        "Yield stress as norm of the deviatoric Kirchhoff stress",
    ];
    let parameter = |(name, help)| {
        let help = format!("{help}; exactly one of {}", YIELD_NAMES.join(", "));
        Parameter::number(name, "Pa", &help).at_least(0.0)
    };
    YIELD_NAMES.into_iter().zip(helps).map(parameter).collect()
}

/// Returns the yield stress as the Frobenius norm of the deviatoric Kirchhoff stress \[Pa\]: `sqrt(2/3)` times the uniaxial one,
/// `sqrt(2)` times the one in shear.
///
/// # Errors
/// Not exactly one of the three is given.
pub fn frobenius_yield_stress(parameters: &Parameters) -> Result<f64, ParameterError> {
    let (name, stress) = parameters.exactly_one("yield stress", &YIELD_NAMES)?;
    Ok(match name {
        "yield_stress" => (2.0_f64 / 3.0).sqrt() * stress,
        "yield_stress_shear" => 2.0_f64.sqrt() * stress,
        _ => stress,
    })
}

/// Returns the share of the remembered non-affine displacement that survives a projection away from a tip: `min(1, |dev
/// projected| / |dev trial|)`, and 1 if the trial strain has practically no deviator.
pub fn forget_factor(trial: [f64; 3], projected: [f64; 3]) -> f64 {
    let size = norm(deviator(trial));
    if size < REST_STRAIN { 1.0 } else { (norm(deviator(projected)) / size).min(1.0) }
}
