//! Closed-form cases that come with each model (materials/<id>/cases.toml).

use std::path::Path;

use crate::harness::{distance, model};

fn list(value: &toml::Value) -> [f64; 3] {
    let numbers: Vec<f64> = value.as_array().unwrap().iter().map(number).collect();
    numbers.try_into().unwrap()
}

fn number(value: &toml::Value) -> f64 {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64)).unwrap()
}

fn check(id: &str) {
    let model = model(id);
    let descriptor = model.descriptor();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../materials/{id}/cases.toml"));
    let file: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let cases = file["case"].as_array().unwrap();
    assert!(cases.len() >= 3);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let mut values: Vec<f64> =
            descriptor.parameters.iter().map(|p| p.default.unwrap_or(f64::NAN)).collect();
        for (key, value) in case["parameters"].as_table().unwrap() {
            let index =
                descriptor.parameter_index(key).unwrap_or_else(|| panic!("{name}: no parameter {key}"));
            values[index] = match (value, &descriptor.parameters[index].kind) {
                (toml::Value::Boolean(flag), _) => f64::from(u8::from(*flag)),
                (toml::Value::String(word), tuff_material_sdk::descriptor::ParameterKind::Choice(words)) => {
                    words.iter().position(|w| w == word).unwrap() as f64
                }
                (value, _) => number(value),
            };
        }
        let constants = model.prepare(&values).unwrap();
        let read_state = |key: &str| {
            let mut state = model.initial_state(&constants);
            for (word, value) in case.get(key).and_then(toml::Value::as_table).into_iter().flatten() {
                state[descriptor.state_index(word).unwrap()] = number(value);
            }
            state
        };
        let before = read_state("state");
        let expect = &case["expect"];
        let result = model.project(&constants, &before, 1e-3, list(&case["stretches"]).map(f64::ln));
        let error = distance(&result.hencky, &list(&expect["stretches"]).map(f64::ln));
        assert!(error <= 1e-10, "{id}, {name}: ln s' = {:?}, off by {error:e}", result.hencky);
        let stress = list(&expect["kirchhoff"]);
        let scale = stress.iter().fold(1.0, |scale: f64, s| scale.max(s.abs()));
        let found = model.kirchhoff(&constants, &before, result.hencky);
        assert!(distance(&found, &stress) <= 1e-9 * scale, "{id}, {name}: tau = {found:?}");
        let energy = model.energy(&constants, &before, result.hencky);
        assert!(
            (energy - number(&expect["energy"])).abs() <= 1e-9 * energy.max(1e-3),
            "{id}, {name}: psi = {energy:?}"
        );
        if let Some(state) = expect.get("state").and_then(toml::Value::as_table) {
            for (word, value) in state {
                let found = result.state[descriptor.state_index(word).unwrap()];
                let error = (found - number(value)).abs();
                assert!(error <= 1e-10 * found.abs().max(1.0), "{id}, {name}: {word} = {found:?}");
            }
        } else {
            assert_eq!(result.state, before, "{id}, {name}");
        }
    }
}

#[test]
fn elastic() {
    check("elastic");
}

#[test]
fn von_mises() {
    check("von_mises");
}

#[test]
fn drucker_prager() {
    check("drucker_prager");
}

#[test]
fn nacc() {
    check("nacc");
}

#[test]
fn fluid() {
    check("fluid");
}

#[test]
fn herschel_bulkley() {
    check("herschel_bulkley");
}

#[test]
fn snow() {
    check("snow");
}
