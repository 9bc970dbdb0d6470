//! Elasticity with a relaxing branch: stiff under impact, soft under slow pressure, back in shape after a while.
//!
//! This file describes the model; `reference.rs` and `viscoelastic.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{
    Moduli, ParameterError, Parameters, TensorModel, TensorPoint, TensorResponse, TensorUpdate, elastic,
    export_tensor_material,
};

struct Viscoelastic;

impl TensorModel for Viscoelastic {
    const GLSL_NAME: &'static str = "viscoelastic.glsl";
    const GLSL: &'static str = include_str!("viscoelastic.glsl");

    fn descriptor() -> Descriptor {
        let number = Parameter::number;
        let mut parameters = elastic::parameters();
        parameters.extend([
            number("branch_shear_modulus", "Pa", "Shear modulus that the branch adds before it relaxes")
                .required()
                .above(0.0)
                .alias("mu_N"),
            number(
                "branch_bulk_modulus",
                "Pa",
                "Bulk modulus that the branch adds before it relaxes; 0 when absent",
            )
            .at_least(0.0)
            .alias("kappa_N"),
            number(
                "branch_lambda",
                "Pa",
                "Instead of branch_bulk_modulus: Lame's first parameter of the branch",
            )
            .alias("lambda_N"),
            number(
                "shear_viscosity",
                "Pa s",
                "Viscosity eta_D: shear relaxes over eta_D / branch_shear_modulus",
            )
            .at_least(0.0),
            number(
                "shear_relaxation_time",
                "s",
                "Instead of shear_viscosity: time in which shear stress falls to 1/e",
            )
            .at_least(0.0),
            number("deviatoric_viscosity", "Pa s", "Instead of shear_viscosity: 2 eta_D")
                .at_least(0.0)
                .alias("v_d"),
            number(
                "bulk_viscosity",
                "Pa s",
                "Viscosity eta_V: pressure relaxes over eta_V / branch_bulk_modulus",
            )
            .at_least(0.0),
            number(
                "bulk_relaxation_time",
                "s",
                "Instead of bulk_viscosity: time in which pressure falls to 1/e",
            )
            .at_least(0.0),
            number("volumetric_viscosity", "Pa s", "Instead of bulk_viscosity: 2 eta_V")
                .at_least(0.0)
                .alias("v_v"),
        ]);
        Descriptor {
            id: "viscoelastic".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Memory foam, flesh: an elastic solid and a Maxwell branch beside it".into(),
            reference: "Reese and Govindjee (1998), one non-equilibrated branch, in Hencky strains".into(),
            parameters,
            states: vec![],
            claims: Claims {
                isotropic: true,
                volume_preserving: false,
                rate_independent: false,
                dissipative: true,
            },
            variant: Variant::Tensor { branch: true, deformation: false },
            constant_count: reference::CONSTANTS,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        reference::prepare(parameters)
    }

    fn respond(point: &TensorPoint) -> TensorResponse {
        reference::respond(point)
    }

    fn advance(point: &TensorPoint) -> TensorUpdate {
        reference::advance(point)
    }

    fn energy(point: &TensorPoint) -> f64 {
        reference::energy(point)
    }

    fn moduli(constants: &[f64], _state: [f64; 4]) -> Moduli {
        reference::unrelaxed(constants)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(reference::unrelaxed(constants), density, spacing)
    }
}

export_tensor_material!(Viscoelastic);
