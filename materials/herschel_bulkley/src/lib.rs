//! Herschel-Bulkley flow on split neo-Hookean elasticity: paste, cream, mud, paint.
//!
//! This file describes the model; `reference.rs` and `herschel_bulkley.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
    plastic, split,
};

/// Range of powers for which the device finds the root to 4e-5 of the viscous stress, and to f32 rounding within 0.2 to 5.
const POWERS: [f64; 2] = [0.1, 10.0];

struct HerschelBulkley;

impl ConstitutiveModel for HerschelBulkley {
    const GLSL_NAME: &'static str = "herschel_bulkley.glsl";
    const GLSL: &'static str = include_str!("herschel_bulkley.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        parameters.extend(plastic::yield_parameters());
        for parameter in parameters.iter_mut().filter(|p| p.name == "yield_stress") {
            parameter.aliases.push("sigma_y".into());
        }
        let power = "Power h of the shear rate: below 1 it thins when stirred, 1 is a Bingham fluid, above 1 it thickens";
        let consistency = "Viscous stress K at a shear rate of 1/s, as a rheometer reports it (tau = tau_Y + K rate^h); \
                           exactly one of consistency, plastic_viscosity, eta";
        let viscosity = "Viscosity of a Bingham fluid beyond its yield stress, in place of consistency; with power = 1 alone";
        let eta = "Consistency of the tensor law, K 2^((h + 1) / 2), in place of consistency";
        parameters.extend([
            Parameter::number("power", "-", power)
                .default_value(1.0)
                .at_least(POWERS[0])
                .at_most(POWERS[1])
                .alias("h"),
            Parameter::number("consistency", "Pa s^h", consistency).at_least(0.0),
            Parameter::number("plastic_viscosity", "Pa s", viscosity).at_least(0.0),
            Parameter::number("eta", "Pa s^h", eta).at_least(0.0),
        ]);
        Descriptor {
            id: "herschel_bulkley".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Paste, cream, mud, paint: holds its shape up to a stress, flows beyond it".into(),
            reference: "Yue et al., Continuum Foam (2015): flow of the deviator; returned with det bb = 1"
                .into(),
            parameters,
            states: vec![],
            claims: Claims {
                isotropic: true,
                volume_preserving: true,
                rate_independent: false,
                dissipative: true,
            },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let moduli = elastic::moduli(parameters)?;
        let yield_stress = plastic::frobenius_yield_stress(parameters)?;
        let power = parameters.need("power")?;
        let names = ["consistency", "plastic_viscosity", "eta"];
        let eta = match parameters.exactly_one("viscosity", &names)? {
            ("eta", eta) => eta,
            ("plastic_viscosity", _) if power != 1.0 => {
                let message = format!(
                    "plastic_viscosity needs power = 1, but power = {power}; give consistency instead"
                );
                return Err(ParameterError::of("plastic_viscosity", message));
            }
            (_, consistency) => reference::eta_of(consistency, power),
        };
        Ok(reference::constants(moduli, yield_stress, power, eta))
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

export_material!(HerschelBulkley);
