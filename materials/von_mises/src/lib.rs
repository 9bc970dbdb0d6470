//! von Mises plasticity with linear hardening on Hencky elasticity: metals, plasticine, clay.
//!
//! This file describes the model; `reference.rs` and `von_mises.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, StateWord, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
    plastic,
};

struct VonMises;

impl ConstitutiveModel for VonMises {
    const GLSL_NAME: &'static str = "von_mises.glsl";
    const GLSL: &'static str = include_str!("von_mises.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        parameters.extend(plastic::yield_parameters());
        for parameter in parameters.iter_mut().filter(|p| p.name == "yield_stress_frobenius") {
            parameter.aliases.push("tau_y0".into());
        }
        let help = "Hardening ratio xi = H / (2 mu + H), H the slope of the yield stress over the plastic strain, as norms; 0 when absent";
        let hardening = Parameter::number("hardening", "-", help).at_least(0.0).below(1.0);
        let slope =
            "Slope of the yield stress over the plastic strain in uniaxial tension, in place of hardening";
        parameters.push(hardening.alias("xi"));
        parameters.push(Parameter::number("hardening_modulus", "Pa", slope).at_least(0.0));
        let help = "Yield stress now, as norm of the deviatoric Kirchhoff stress";
        Descriptor {
            id: "von_mises".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Metal, plasticine, clay: yields at a shear stress, keeps its volume".into(),
            reference:
                "Li et al., Energetically Consistent Inelasticity for Optimization Time Integration (2022), \
                        eq. A.42-A.43: |dev tau| <= tau_Y, implicit linear hardening"
                    .into(),
            parameters,
            states: vec![StateWord::new("yield_stress", "Pa", 0.0, help).from_constant(2).alias("tau_y")],
            claims: Claims {
                isotropic: true,
                volume_preserving: true,
                rate_independent: true,
                dissipative: true,
            },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let moduli = elastic::moduli(parameters)?;
        let yield_stress = plastic::frobenius_yield_stress(parameters)?;
        let hardening = match parameters.at_most_one(&["hardening", "hardening_modulus"])? {
            None => 0.0,
            // The norms of stress and strain are sqrt(2/3) and sqrt(3/2) times the uniaxial ones.
            Some(("hardening_modulus", slope)) => slope / (3.0 * moduli.shear + slope),
            Some((_, ratio)) => ratio,
        };
        Ok(reference::constants(moduli, yield_stress, hardening))
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

export_material!(VonMises);
