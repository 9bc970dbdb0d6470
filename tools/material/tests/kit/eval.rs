//! `tuff material eval` in f64, and what it refuses. No device is needed.

use std::fs;
use std::path::Path;

use crate::common::{kit, run, vectors};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Evaluates `model` on a file in f64 alone.
fn eval(model: &str, file: &Path) -> crate::common::Outcome {
    run(&["eval", model, "--vectors", file.to_str().unwrap(), "--device", "none"])
}

/// Writes `von_mises.json` with a change to a folder of its own.
fn changed(change: impl Fn(&mut Value)) -> (TempDir, std::path::PathBuf) {
    let folder = TempDir::new().unwrap();
    let mut root: Value = serde_json::from_str(&fs::read_to_string(vectors("von_mises")).unwrap()).unwrap();
    change(&mut root);
    let file = folder.path().join("changed.json");
    fs::write(&file, root.to_string()).unwrap();
    (folder, file)
}

#[test]
fn a_law_is_chosen_by_the_name_in_the_file() {
    let cases = [
        ("elastic", "neo_hookean_split", "energy = neo_hookean_split"),
        ("elastic", "fixed_corotated", "297 items, 3 more have no logarithm"),
        ("nacc", "nacc_published", "variant = published"),
        ("snow", "snow", "plastic_volume"),
    ];
    for (model, file, word) in cases {
        eval(model, &vectors(file)).expect(0, &[word, "f64 is within all tolerances"]);
    }
    // Under another name, a file tests the default, which is another law.
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("other.json");
    let text = fs::read_to_string(vectors("neo_hookean")).unwrap();
    fs::write(&file, text.replace("\"model\":\"neo_hookean\"", "\"model\":\"another\"")).unwrap();
    eval("elastic", &file).expect(1, &["meta.model is \"another\"", "tau", "<- above"]);
}

#[test]
fn the_worst_item_of_each_field_is_named() {
    let (_folder, file) = changed(|root| {
        root["vectors"][37]["tau"][1] = json!(root["vectors"][37]["tau"][1].as_f64().unwrap() * 1.001 + 1.0);
        let word = &mut root["vectors"][40]["state_out"]["tau_y"];
        *word = json!(word.as_f64().unwrap() + 1.0);
    });
    let json = file.with_file_name("report.json");
    let path = file.to_str().unwrap();
    let outcome =
        run(&["eval", "von_mises", "--vectors", path, "--device", "none", "--json", json.to_str().unwrap()]);
    outcome.expect(1, &["2 fields are above their tolerances"]);
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let row = |name: &str| {
        report["f64"].as_array().unwrap().iter().find(|row| row["field"] == name).unwrap().clone()
    };
    assert_eq!((&report["passed"], &report["device"]), (&json!(false), &Value::Null));
    for (field, item) in [("tau", "37"), ("yield_stress", "40")] {
        assert!(
            row(field)["passed"] == false && row(field)["item"].as_str().unwrap().starts_with(item),
            "{report}"
        );
    }
    assert!(row("ln s'")["passed"] == true && row("psi")["passed"] == true, "{report}");
    run(&["eval", "von_mises", "--vectors", path, "--device", "none", "--tolerance-f64", "1"]).expect(0, &[]);
}

/// E = 1 Pa and nu = 0 give mu = 1/2 and kappa = 1/3; a strain of ln 2 in one direction has the stress ln 2 there. An error of 1.6e-3 Pa
/// counts as 1.6e-3 / (2 mu + 3 kappa) / s^2 = 2e-4 for s = 2. A ratio such as snow's volume counts relative to its own size, here 0.5.
#[test]
fn deviations_have_the_units_of_the_help() {
    let folder = TempDir::new().unwrap();
    let one = |model: &str, item: Value, row: &str| {
        let file = folder.path().join("one.json");
        fs::write(&file, json!({ "vectors": [item] }).to_string()).unwrap();
        eval(model, &file).expect(1, &[row, "1 item", "1 field is above"]);
    };
    let stretch = [2.0, 1.0, 1.0];
    let stretched = json!({ "sigma_trial": stretch, "sigma": stretch, "params": { "E": 1.0, "nu": 0.0 }, "dt": 0.0,
        "tau": [2f64.ln() + 1.6e-3, 0.0, 0.0] });
    one("elastic", stretched, "tau                           2.0e-4");
    let packed = json!({ "sigma_trial": [1.0, 1.0, 1.0], "sigma": [1.0, 1.0, 1.0],
        "params": { "E": 1e5, "nu": 0.3, "theta_c": 0.1, "theta_s": 0.1 }, "dt": 0.0,
        "state": { "Jp": 0.5 }, "state_out": { "Jp": 0.5 / (1.0 + 1e-4) } });
    one("snow", packed, "plastic_volume                1.0e-4");
}

#[test]
fn keys_for_other_programs_are_listed() {
    let (_folder, file) = changed(|root| {
        root["meta"]["other"] = json!(["temperature"]);
        root["vectors"][5]["temperature"] = json!(300.0);
    });
    eval("von_mises", &file).expect(0, &[]);
}

#[test]
fn bad_files_are_refused_with_item_and_key() {
    let refuse = |change: fn(&mut Value), words: &[&str]| {
        let (_folder, file) = changed(change);
        eval("von_mises", &file).expect(2, words).expect(2, &["changed.json"]);
    };
    refuse(|root| root["vectors"] = json!([]), &["vectors", "empty"]);
    refuse(|root| root["vectors"] = json!(3), &["vectors", "list"]);
    refuse(|root| root["vectors"][5] = json!(3), &["every item is an object"]);
    refuse(|root| root["vectors"][5]["sigma"] = json!([1.0, 1.0]), &["item 5", "sigma", "three numbers"]);
    refuse(|root| root["vectors"][5]["tau"] = json!("x"), &["item 5", "tau", "\"x\""]);
    refuse(
        |root| {
            let item = root["vectors"][5].as_object_mut().unwrap();
            let stress = item.remove("tau").unwrap();
            item.insert("tua".into(), stress);
        },
        &["item 5", "tua", "did you mean \"tau\"?"],
    );
    refuse(|root| root["vectors"][5]["temperature"] = json!(300.0), &["item 5", "temperature", "meta.other"]);
    refuse(|root| root["meta"]["other"] = json!("temperature"), &["meta.other", "expected a list of keys"]);
    refuse(
        |root| root["vectors"][5]["params"]["speed"] = json!(1.0),
        &["item 5", "params.speed", "hardening (xi)"],
    );
    refuse(|root| root["vectors"][5]["params"]["nu"] = json!(0.7), &["item 5", "poisson_ratio", "0.495"]);
    refuse(|root| root["vectors"][5]["params"]["nu"] = json!([]), &["item 5", "params.nu", "[]"]);
    refuse(
        |root| root["vectors"][5]["state"]["vc"] = json!(0.0),
        &["item 5", "state.vc", "yield_stress (tau_y)"],
    );
    refuse(|root| root["meta"]["constants"]["SIGMA_MIN"] = json!(-1.0), &["SIGMA_MIN", "0 < "]);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("broken.json");
    fs::write(&file, "{\n  \"vectors\": [NaN]\n}").unwrap();
    eval("von_mises", &file).expect(2, &["broken.json:2:15"]);
    eval("von_mises", &folder.path().join("none.json")).expect(2, &["none.json", "cannot read"]);
}

/// Without its time step, a rate-dependent law would be compared at 0.
#[test]
fn a_rate_dependent_law_needs_dt() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("paint.json");
    let item = json!({ "sigma_trial": [1.0, 1.0, 1.0], "sigma": [1.0, 1.0, 1.0],
        "params": { "E": 1e5, "nu": 0.3, "sigma_y": 1.0, "h": 1.0, "eta": 1.0 } });
    fs::write(&file, json!({ "vectors": [item] }).to_string()).unwrap();
    eval("herschel_bulkley", &file).expect(2, &["item 0", "dt", "missing"]);
}

#[test]
fn models_that_are_not_there_are_refused() {
    let file = vectors("von_mises");
    eval("von_moses", &file).expect(2, &["von_moses", "von_mises"]);
    eval("./nowhere/libtuff_x.so", &file).expect(2, &["nowhere"]);
    eval(file.to_str().unwrap(), &file).expect(2, &["not a material library"]);
    eval(file.parent().unwrap().to_str().unwrap(), &file).expect(2, &["contains no material library"]);
    run(&["eval", "von_mises"]).expect(2, &["--vectors"]);
    run(&["eval", "von_mises", "--vectors", "x", "--tolerance", "speed=1"])
        .expect(2, &["strain, stress, energy"]);
}

#[test]
fn without_a_device_f64_is_printed_and_the_exit_code_is_3() {
    let file = vectors("von_mises");
    let mut command = kit(&["eval", "von_mises", "--vectors", file.to_str().unwrap()]);
    let outcome = command.env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none").output().unwrap();
    crate::common::Outcome::from(outcome)
        .expect(3, &["yield_stress", "f64 is within all tolerances", "GLSL not evaluated: no Vulkan driver"]);
}
