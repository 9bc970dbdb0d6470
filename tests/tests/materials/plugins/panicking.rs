//! A material library that panics for a large stretch, and in `prepare` for one value.

use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
use tuff_material_sdk::{ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection};

struct Panicking;

impl ConstitutiveModel for Panicking {
    const GLSL_NAME: &'static str = "panicking.glsl";
    const GLSL: &'static str = "panicking_project panicking_energy panicking_kirchhoff panicking_moduli";

    fn descriptor() -> Descriptor {
        Descriptor {
            id: "panicking".into(),
            version: "1.0.0".into(),
            author: "a studio".into(),
            help: "Panics".into(),
            reference: "none".into(),
            parameters: vec![Parameter::number("bulk_modulus", "Pa", "Stiffness").required().above(0.0)],
            states: vec![],
            claims: Claims::default(),
            variant: Variant::Principal,
            constant_count: 1,
        }
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        let bulk = parameters.need("bulk_modulus")?;
        assert!(bulk != 13.0, "thirteen");
        Ok(vec![bulk])
    }

    fn project(point: &Point) -> Projection {
        assert!(point.hencky[0] < 1.0, "too long");
        Projection { hencky: point.hencky, state: point.state, forget: 1.0, case: 0 }
    }

    fn energy(_: &Point) -> f64 {
        0.0
    }

    fn kirchhoff(_: &Point) -> [f64; 3] {
        [0.0; 3]
    }

    fn moduli(point: &Point) -> Moduli {
        Moduli { shear: 0.0, bulk: point.constants[0] }
    }

    fn stable_step(_: &[f64], _: f64, _: f64) -> f64 {
        1.0
    }
}

tuff_material_sdk::export_material!(Panicking);
