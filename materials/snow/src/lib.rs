//! Stomakhin's snow: stretches bounded on both sides, stiffer as it is compacted.
//!
//! This file describes the model; `reference.rs` and `snow.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, StateWord, Variant};
use tuff_material_sdk::{
    ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection, elastic, export_material,
};

struct Snow;

impl ConstitutiveModel for Snow {
    const GLSL_NAME: &'static str = "snow.glsl";
    const GLSL: &'static str = include_str!("snow.glsl");

    fn descriptor() -> Descriptor {
        let mut parameters = elastic::parameters();
        let compression =
            "Compression along an axis beyond which it crumbles, 0.025 = 2.5 %; smaller is chunkier powder";
        let stretch =
            "Stretch along an axis beyond which it breaks, 0.0075 = 0.75 %; smaller is more brittle";
        let hardening =
            "Hardening xi: compacted to the plastic volume Jp, it is e^(xi (1 - Jp)) times as stiff";
        parameters.extend([
            Parameter::number("critical_compression", "-", compression)
                .default_value(2.5e-2)
                .above(0.0)
                .below(1.0)
                .alias("theta_c"),
            Parameter::number("critical_stretch", "-", stretch)
                .default_value(7.5e-3)
                .above(0.0)
                .alias("theta_s"),
            Parameter::number("hardening", "-", hardening).default_value(10.0).at_least(0.0).alias("xi"),
        ]);
        let help =
            "Volume change by plastic flow: below 1 it is compacted and stiffer, above 1 loosened and softer";
        Descriptor {
            id: "snow".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Snow: packs and hardens under pressure, breaks into chunks under tension".into(),
            reference:
                "Stomakhin et al., A material point method for snow simulation (2013), sections 5 and 7"
                    .into(),
            parameters,
            states: vec![StateWord::new("plastic_volume", "-", 1.0, help).alias("Jp")],
            // (J - 1)^2 can grow while a stretch is clamped.
            claims: Claims {
                isotropic: true,
                volume_preserving: false,
                rate_independent: true,
                dissipative: false,
            },
            variant: Variant::Principal,
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let moduli = elastic::moduli(parameters)?;
        let compression = parameters.need("critical_compression")?;
        let stretch = parameters.need("critical_stretch")?;
        Ok(reference::constants(moduli, compression, stretch, parameters.need("hardening")?))
    }

    fn project(point: &Point) -> Projection {
        reference::project(point)
    }

    fn energy(point: &Point) -> f64 {
        reference::energy(point)
    }

    fn kirchhoff(point: &Point) -> [f64; 3] {
        reference::kirchhoff(point)
    }

    fn moduli(point: &Point) -> Moduli {
        reference::moduli(point)
    }

    /// Returns the step of snow in its initial state: waves in compacted snow are `e^(xi (1 - Jp) / 2)` times as fast.
    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(Moduli { shear: constants[0], bulk: constants[1] }, density, spacing)
    }
}

export_material!(Snow);
