//! Shared by the tests of this crate.

use std::path::Path;

use tuff_material_sdk::descriptor::{
    Claims, Descriptor, Initial, Parameter, ParameterKind, StateWord, Variant,
};

use crate::{Loaded, Override, SceneError, parse};

/// A model with one parameter of each kind.
pub(crate) fn model() -> Descriptor {
    let parameter = |name: &str, kind, default: Option<f64>, required| Parameter {
        name: name.to_owned(),
        unit: "Pa".to_owned(),
        kind,
        default,
        required,
        min: 0.0,
        max: 1e12,
        min_exclusive: true,
        max_exclusive: false,
        help: "help".to_owned(),
        aliases: vec![format!("{name}_alias")],
        typical: None,
    };
    Descriptor {
        id: "test_sand".to_owned(),
        version: "1".to_owned(),
        author: String::new(),
        help: String::new(),
        reference: String::new(),
        parameters: vec![
            parameter("youngs_modulus", ParameterKind::Number, None, true),
            parameter("cohesion", ParameterKind::Number, None, false),
            parameter("hardening", ParameterKind::Boolean, Some(1.0), false),
            parameter(
                "energy",
                ParameterKind::Choice(vec!["hencky".into(), "neo_hookean".into()]),
                Some(0.0),
                false,
            ),
        ],
        states: vec![StateWord {
            name: "hardening_state".to_owned(),
            unit: "-".to_owned(),
            initial: Initial::Value(0.0),
            exported: true,
            help: String::new(),
            aliases: Vec::new(),
        }],
        claims: Claims::default(),
        variant: Variant::Principal,
        constant_count: 0,
    }
}

/// Returns a small valid scene with one body of this shape and sampling, followed by `rest`.
pub(crate) fn text(shape: &str, sampling: &str, rest: &str) -> String {
    format!(
        r#"format = 1
[scene]
name = "test"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.1
[[material]]
name = "sand"
model = "test_sand"
density = 1600
youngs_modulus = 1e5
[[body]]
name = "first"
material = "sand"
shape = {shape}
sampling = {sampling}
{rest}
"#
    )
}

/// Parses a text as the file `folder/scene.toml`.
pub(crate) fn parse_in(folder: &Path, text: &str, overrides: &[&str]) -> Result<Loaded, SceneError> {
    let overrides: Vec<Override> = overrides.iter().map(|o| Override::parse(o).unwrap()).collect();
    parse(text, &folder.join("scene.toml"), &overrides, &[&model()])
}

/// The valid scene of [`text`], loaded.
pub(crate) fn scene(shape: &str, sampling: &str, rest: &str) -> crate::Scene {
    parse_in(Path::new(""), &text(shape, sampling, rest), &[]).unwrap_or_else(|e| panic!("{e}")).scene
}
