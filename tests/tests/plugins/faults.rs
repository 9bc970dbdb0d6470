//! Libraries with faulty GLSL.

use std::fs;

use serde_json::Value;
use tuff_tests::libraries::compile_probe;
use tuff_tests::program::Place;
use tuff_tests::watched::{PROBE_SCENE, run as run_on};

use crate::run;

/// A second body, of another material.
const SAND: &str = "[[material]]\nname = \"sand\"\nmodel = \"drucker_prager\"\ndensity = 1600.0\nyoungs_modulus = 1.0e5\n\
        poisson_ratio = 0.3\nfriction_angle = 35.0\n[[body]]\nname = \"heap\"\nmaterial = \"sand\"\n\
        shape = { box = { min = [0.2, 0.0, 0.0], max = [0.3, 0.1, 0.1] } }\n\
        sampling = { kind = \"lattice\", spacing = 0.025 }\n[output]";

fn place(scene: &str, macros: &[&str]) -> Place {
    let place = Place::with(scene);
    fs::create_dir(place.path("plugins")).unwrap();
    compile_probe(&place.path("plugins"), "probe", macros);
    place
}

pub fn glsl_that_does_not_compile_names_the_library_and_the_line() {
    let place = place(PROBE_SCENE, &["FAULT_GLSL_SYNTAX"]);
    let words =
        ["plugins/libtuff_probe", "the GLSL of model `probe` does not compile: probe.glsl:2:", "banana"];
    run(&place, &[]).expect(2, &words);
}

/// `moduli` takes a different state than the engine passes: the compiler complains about the engine's call.
pub fn glsl_that_does_not_fit_names_the_model_that_is_called() {
    let place = place(&PROBE_SCENE.replace("[output]", SAND), &["FAULT_GLSL_SIGNATURE"]);
    let words = [
        "plugins/libtuff_probe",
        "model `probe` does not compile: materials.glsl:",
        "calls it: `if (material == 0u) return probe_moduli(0u, state);`",
    ];
    run(&place, &[]).expect(2, &words);
}

/// A text with the name of another would replace it or never be used.
pub fn glsl_with_the_name_of_another_source_is_refused() {
    for name in ["material.glsl", "materials.glsl", "attributes.glsl"] {
        let place = place(PROBE_SCENE, &[&format!("PROBE_GLSL_NAME=\"{name}\"")]);
        let name = format!("is named `{name}`, as a source of the engine");
        run(&place, &[]).expect(2, &["plugins/libtuff_probe", "model `probe`", &name]);
    }
    let place = place(&PROBE_SCENE.replace("[output]", SAND), &["PROBE_GLSL_NAME=\"drucker_prager.glsl\""]);
    run(&place, &[])
        .expect(2, &["is named `drucker_prager.glsl`, as that of `probe` in plugins/libtuff_probe"]);
}

/// Creates the scene on a floor, with a model that has this fault.
fn fallen(fault: &str) -> Place {
    let floor = "[[collider]]\nname = \"floor\"\n\
        shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }\n[output]";
    let scene = PROBE_SCENE.replace("[output]", floor).replace("gravity = [0.0, 0.0, 0.0]", "");
    place(&scene, &[fault])
}

fn report(place: &Place, out: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(out).join("failure/failure.json")).unwrap()).unwrap()
}

pub fn nan_from_glsl_names_the_material_and_the_library() {
    let place = fallen("FAULT_GLSL_NAN");
    let words = ["not finite", "of the material `water`: model `probe` of plugins/libtuff_probe"];
    run(&place, &["--frames", "1-20"]).expect(4, &words);
    // A strain without energy counts as at rest, so the sweeps leave it alone.
    let began = &report(&place, "out/drop")["began"];
    assert_eq!((&began["stage"], &began["quantity"]), (&Value::from("commit"), &Value::from("strain")));
}

pub fn nan_stress_is_traced_to_the_same_row_as_in_f64() {
    let place = fallen("FAULT_NAN_STRESS");
    let words = ["not finite", "solve_inelastic, iteration 2, color", "by the impulse"];
    run(&place, &["--frames", "1-20"]).expect(4, &words);
    run_on(&place, &["--frames", "1-20", "--device", "reference", "--out", "twin"]).expect(4, &words);
    let (ours, theirs) = (report(&place, "out/drop"), report(&place, "twin"));
    for key in ["stage", "iteration", "color", "quantity"] {
        assert_eq!(ours["began"][key], theirs["began"][key], "{key}");
    }
    let id = &ours["particle"]["id"];
    assert_eq!((id, &ours["frame"]), (&theirs["particle"]["id"], &theirs["frame"]));
    let around = tuff_tests::ply::read(&place.path("out/drop/failure/surroundings.ply"));
    assert!(around["id"].contains(&id.as_f64().unwrap()), "{around:?}");
}
