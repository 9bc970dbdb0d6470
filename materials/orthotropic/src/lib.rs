//! Elasticity with fibers along three perpendicular directions: wood, muscle, reinforced rubber.
//!
//! This file describes the model; `reference.rs` and `orthotropic.glsl` contain its formulas in f64 and f32.

mod reference;

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{
    Moduli, ParameterError, Parameters, TensorModel, TensorPoint, TensorResponse, TensorUpdate, elastic,
    export_tensor_material,
};

struct Orthotropic;

impl TensorModel for Orthotropic {
    const GLSL_NAME: &'static str = "orthotropic.glsl";
    const GLSL: &'static str = include_str!("orthotropic.glsl");

    fn descriptor() -> Descriptor {
        let stiffness =
            |name, help| Parameter::number(name, "Pa", help).default_value(0.0).at_least(0.0).typical(1e5);
        let angle = |name, help| Parameter::number(name, "degrees", help).default_value(0.0).typical(30.0);
        let mut parameters = elastic::parameters();
        parameters.extend([
            stiffness(
                "fiber_stiffness_1",
                "Stiffness beta of fibers along direction 1: 2 beta is their Young's modulus",
            )
            .alias("beta_1"),
            stiffness("fiber_stiffness_2", "Stiffness beta of fibers along direction 2").alias("beta_2"),
            stiffness("fiber_stiffness_3", "Stiffness beta of fibers along direction 3").alias("beta_3"),
            angle(
                "fiber_rotate_x",
                "At rest the directions are x, y and z of the scene, turned about x by this angle ...",
            ),
            angle("fiber_rotate_y", "... then about y by this one ..."),
            angle("fiber_rotate_z", "... then about z by this one"),
        ]);
        Descriptor {
            id: "orthotropic".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            author: "Tuff".into(),
            help: "Wood, muscle, reinforced rubber: stiffer along three directions that turn with the matter"
                .into(),
            reference: "Cao et al., energy-based PBD, with the roles of stiffness and stretch put right"
                .into(),
            parameters,
            states: vec![],
            claims: Claims {
                isotropic: false,
                volume_preserving: true,
                rate_independent: true,
                dissipative: true,
            },
            variant: Variant::Tensor { branch: false, deformation: true },
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
        reference::stiffest(constants)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        elastic::wave_step(reference::stiffest(constants), density, spacing)
    }
}

export_tensor_material!(Orthotropic);
