//! Isotropic elasticity with a choice of energies: rubber, gelatine, and the limit of every plastic model.
//!
//! This file describes the model; `reference.rs` and `elastic.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::abi::CASE_ELASTIC;
use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
};

struct Elastic;

impl ConstitutiveModel for Elastic {
    const GLSL_NAME: &'static str = "elastic.glsl";
    const GLSL: &'static str = include_str!("elastic.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        parameters.push(Parameter::choice(
            "energy",
            &reference::ENERGIES,
            "Stored energy as a function of the stretches",
        ));
        Descriptor {
            id: "elastic".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Rubber, gelatine, anything that springs back".into(),
            reference: "Hencky: Xiao, Chen, Acta Mech. 157 (2002); neo-Hookean: Bonet, Wood (2008), eq. 6.27; split: Simo, \
                        Hughes (1998), eq. 9.2.3; fixed corotated: Stomakhin et al. (2012), eq. 4"
                .into(),
            parameters,
            states: vec![],
            claims: Claims { isotropic: true, volume_preserving: true, rate_independent: true, dissipative: true },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        Ok(reference::constants(elastic::moduli(parameters)?, parameters.need("energy")?))
    }

    fn project(point: &Point) -> Projection {
        Projection { hencky: point.hencky, state: point.state, forget: 1.0, case: CASE_ELASTIC }
    }

    fn energy(point: &Point) -> f64 {
        reference::energy(point.constants, point.hencky)
    }

    fn kirchhoff(point: &Point) -> [f64; 3] {
        reference::kirchhoff(point.constants, point.hencky)
    }

    fn moduli(point: &Point) -> Moduli {
        reference::moduli(point.constants)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(reference::moduli(constants), density, spacing)
    }
}

export_material!(Elastic);
