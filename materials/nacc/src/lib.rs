//! Non-associated Cam Clay on split neo-Hookean elasticity: snow, bread, soft rock, soil that crushes and fractures.
//!
//! This file describes the model; `reference.rs` and `nacc.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, StateWord, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material, split,
};

/// Returns the volume state in which a pressure \[Pa\] crushes: `p0 = kappa sinh(-xi alpha)`.
fn alpha_of(pressure: f64, bulk: f64, xi: f64, cap: f64) -> Result<f64, ParameterError> {
    let refuse = |message| Err(ParameterError::of("preconsolidation_pressure", message));
    if xi == 0.0 {
        return refuse("preconsolidation_pressure needs an xi above 0".to_owned());
    }
    let largest = cap * bulk;
    if pressure > largest {
        return refuse(format!(
            "preconsolidation_pressure = {pressure} Pa is above {largest} Pa, which p0_cap = {cap} of the bulk modulus allows"
        ));
    }
    Ok(-(pressure / bulk).asinh() / xi)
}

struct Nacc;

impl ConstitutiveModel for Nacc {
    const GLSL_NAME: &'static str = "nacc.glsl";
    const GLSL: &'static str = include_str!("nacc.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        let alpha = "Initial log volume change: the further below 0, the more compacted and stronger the matter; 0 is powder, \
                     -0.005 when absent";
        let pressure = "Pressure that crushes it at first, in place of alpha0";
        let beta = "Cohesion: tension borne, as share of the pressure that crushes it; 0 is none";
        let xi = "Hardening factor: how fast strength grows with compaction and is lost as it opens";
        let slope =
            "Slope of the critical state line: shear borne per pressure; exactly one of M, friction_angle";
        let friction = "Angle of internal friction, in place of M";
        let cap = "Largest pressure that crushes it, as share of the bulk modulus; 0.5 cannot be reached by any compression";
        let hardening = "Let strength follow compaction and expansion; off keeps the initial strength";
        let variant =
            "How shear returns: \"exact\" keeps the volume, \"published\" the trace of b, for comparison";
        parameters.extend([
            Parameter::number("alpha0", "-", alpha),
            Parameter::number("preconsolidation_pressure", "Pa", pressure).above(0.0),
            Parameter::number("beta", "-", beta).default_value(0.05).at_least(0.0),
            Parameter::number("xi", "-", xi).default_value(30.0).at_least(0.0),
            Parameter::number("M", "-", slope).above(0.0),
            Parameter::number("friction_angle", "degrees", friction).above(0.0).below(90.0),
            Parameter::number("p0_cap", "-", cap).default_value(0.49).above(0.0),
            Parameter::boolean("hardening", true, hardening),
            Parameter::choice("variant", &reference::VARIANTS, variant),
        ]);
        let help = "Log volume state: falls as it is compacted (harder), grows as it opens (softer)";
        Descriptor {
            id: "nacc".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Snow, bread, soft rock, soil: crushes, hardens, breaks apart".into(),
            reference: "Wolper et al., CD-MPM (2019), supplement; hardening law of Gaume et al., Dynamic anticrack \
                        propagation in snow (2018); the exact flow keeps det b where the published one keeps tr(b)"
                .into(),
            parameters,
            states: vec![StateWord::new("alpha", "-", 0.0, help).from_constant(6)],
            // The published flow can gain energy, so the model as a whole cannot promise dissipation.
            claims: Claims { isotropic: true, volume_preserving: false, rate_independent: true, dissipative: false },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let moduli = elastic::moduli(parameters)?;
        let slope = match parameters.exactly_one("friction", &["M", "friction_angle"])? {
            ("friction_angle", degrees) => reference::slope_of(degrees.to_radians()),
            (_, slope) => slope,
        };
        let (xi, cap) = (parameters.need("xi")?, parameters.need("p0_cap")?);
        let alpha = match parameters.at_most_one(&["alpha0", "preconsolidation_pressure"])? {
            None => -0.005,
            Some(("preconsolidation_pressure", pressure)) => alpha_of(pressure, moduli.bulk, xi, cap)?,
            Some((_, alpha)) => alpha,
        };
        let surface = reference::Surface {
            alpha,
            beta: parameters.need("beta")?,
            xi,
            slope,
            cap,
            hardening: parameters.flag("hardening")?,
            published: parameters.flag("variant")?,
        };
        Ok(reference::constants(moduli, &surface))
    }

    fn project(point: &Point) -> Projection {
        reference::project(point)
    }

    fn energy(point: &Point) -> f64 {
        split::energy(reference::moduli(point.constants), point.hencky)
    }

    fn kirchhoff(point: &Point) -> [f64; 3] {
        split::kirchhoff(reference::moduli(point.constants), point.hencky)
    }

    fn moduli(point: &Point) -> Moduli {
        reference::moduli(point.constants)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(reference::moduli(constants), density, spacing)
    }
}

export_material!(Nacc);
