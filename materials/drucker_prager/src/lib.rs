//! Drucker-Prager plasticity on Hencky elasticity: sand, soil, grain.
//!
//! This file describes the model; `reference.rs` and `drucker_prager.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, StateWord, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
};

struct DruckerPrager;

impl ConstitutiveModel for DruckerPrager {
    const GLSL_NAME: &'static str = "drucker_prager.glsl";
    const GLSL: &'static str = include_str!("drucker_prager.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        let help = "Angle of internal friction phi; exactly one of friction_angle, M";
        let friction = Parameter::number("friction_angle", "degrees", help);
        let help =
            "Slope of the cone, shear borne per pressure in triaxial compression, in place of friction_angle";
        let slope = Parameter::number("M", "-", help);
        let cohesion = Parameter::number("cohesion", "Pa", "Mohr-Coulomb cohesion; none when absent");
        let help = "Cohesion as Hencky strain per axis at the tip of the cone, in place of cohesion";
        let cohesion_strain = Parameter::number("cohesion_strain", "-", help);
        let help = "Let compression recover the volume that was gained at the tip of the cone";
        parameters.extend([
            friction.at_least(0.0).below(90.0).alias("phi_deg"),
            slope.at_least(0.0).below(3.0),
            cohesion.at_least(0.0),
            cohesion_strain.at_least(0.0).alias("c0"),
            Parameter::boolean("volume_correction", true, help),
        ]);
        let wetting = StateWord::new(
            "wetting",
            "Pa",
            0.0,
            "Cohesion by a fluid in the pores, added to that of the material",
        );
        let help = "Logarithm of the volume gained at the tip and not yet recovered";
        Descriptor {
            id: "drucker_prager".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Sand, soil, grain: dry friction, cohesion if wanted".into(),
            reference: "Klar et al., Drucker-Prager Elastoplasticity for Sand Animation (2016), eq. 27-31; cohesion as in \
                        Li et al. (2022), eq. 3.35; volume correction after Tampubolon et al. (2017)"
                .into(),
            parameters,
            states: vec![StateWord::new("volume_gain", "-", 0.0, help).alias("vc"), wetting],
            claims: Claims { isotropic: true, volume_preserving: false, rate_independent: true, dissipative: true },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let moduli = elastic::moduli(parameters)?;
        let friction = match parameters.exactly_one("friction", &["friction_angle", "M"])? {
            ("M", slope) => (3.0 * slope / (6.0 + slope)).asin(),
            (_, degrees) => degrees.to_radians(),
        };
        let tip = match parameters.at_most_one(&["cohesion", "cohesion_strain"])? {
            None | Some((_, 0.0)) => 0.0,
            Some(("cohesion_strain", strain)) => strain,
            Some((_, stress)) if friction > 0.0 => reference::tip_strain(moduli, friction, stress),
            Some(_) => {
                let message = "cohesion needs a friction_angle above 0 (the cone has no tip without friction); \
                               give cohesion_strain instead";
                return Err(ParameterError::of("cohesion", message));
            }
        };
        Ok(reference::constants(moduli, friction, tip, parameters.flag("volume_correction")?))
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

export_material!(DruckerPrager);
