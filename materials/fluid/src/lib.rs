//! Water and other Newtonian fluids: a pressure that resists compression and none that resists expansion, and a viscosity.
//!
//! This file describes the model; `reference.rs` and `fluid.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
};

struct Fluid;

impl ConstitutiveModel for Fluid {
    const GLSL_NAME: &'static str = "fluid.glsl";
    const GLSL: &'static str = include_str!("fluid.glsl");
    const FLUID: bool = true;

    fn descriptor() -> Descriptor {
        let sound = "Speed of sound c, which makes the density constraint compliant: pressures p compress the fluid by p / (rho c^2); \
                     by default ten times the largest speed to expect, which a scene's check tells";
        let tension = "Surface tension sigma: small amounts become round, and meet walls at 90 degrees";
        let parameters = vec![
            Parameter::number("density", "kg/m^3", "Rest density, that of the material")
                .above(0.0)
                .typical(1000.0),
            Parameter::number("viscosity", "m^2/s", "Kinematic viscosity")
                .default_value(1.0e-6)
                .at_least(0.0)
                .alias("nu"),
            Parameter::number("surface_tension", "N/m", tension)
                .default_value(0.0)
                .at_least(0.0)
                .alias("sigma"),
            Parameter::number("sound_speed", "m/s", sound).above(0.0).alias("c").typical(20.0),
        ];
        Descriptor {
            id: "fluid".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Water, oil, honey: flows, and keeps its volume".into(),
            reference: "Macklin, Mueller, Position based fluids (2013): a density constraint, here compliant and unilateral".into(),
            parameters,
            states: vec![],
            claims: Claims {
                isotropic: true,
                volume_preserving: false,
                rate_independent: false,
                dissipative: true,
            },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let [density, viscosity, speed] =
            ["density", "viscosity", "sound_speed"].map(|name| parameters.need(name));
        Ok(reference::constants(density?, viscosity?, speed?))
    }

    fn project(point: &Point) -> Projection {
        reference::project(point)
    }

    fn energy(point: &Point) -> f64 {
        elastic::hencky_energy(reference::moduli(point.constants), point.hencky)
    }

    fn kirchhoff(point: &Point) -> [f64; 3] {
        elastic::hencky_kirchhoff(reference::moduli(point.constants), point.hencky)
    }

    fn moduli(point: &Point) -> Moduli {
        reference::moduli(point.constants)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(reference::moduli(constants), density, spacing)
    }
}

export_material!(Fluid);
