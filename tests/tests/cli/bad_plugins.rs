//! Material libraries that give false information, fail or never return: an exit code and a message that names the file.

use std::fs;

use tuff_tests::libraries::compile_probe;
use tuff_tests::program::{Outcome, Place};

const SCENE: &str = r#"
format = 1
[scene]
name = "drop"
[time]
frames = [1, 20]
frame_rate = 100.0
max_substep = 2.0e-3
[solver]
kernel_radius = 0.025
iterations = 2
[[material]]
name = "water"
model = "probe"
density = 1000.0
bulk_modulus = 5000.0
[[body]]
name = "drop"
material = "water"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] } }
sampling = { kind = "lattice", spacing = 0.025 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
[output]
"#;

fn place(macros: &[&str]) -> Place {
    let place = Place::with(SCENE);
    fs::create_dir(place.path("plugins")).unwrap();
    compile_probe(&place.path("plugins"), "probe", macros);
    place
}

fn tuff(place: &Place, command: &[&str]) -> Outcome {
    place.tuff(&[command, &["--material-path", "plugins"]].concat())
}

/// Asserts that `tuff run` and `check` refuse a scene that needs the library, with its name and these words, and that `materials` and
/// scenes that do not need it print the same as a warning.
fn refused_by_all(macros: &[&str], words: &[&str]) {
    let place = place(macros);
    let words = [&["plugins/libtuff_probe", "left out"], words].concat();
    for command in [&["run", "scene.toml"][..], &["check", "scene.toml"]] {
        tuff(&place, command).expect(2, &[&words[..], &["unknown model \"probe\""]].concat());
    }
    assert!(!place.path("out").exists());
    let elastic = SCENE
        .replace("\"probe\"", "\"elastic\"")
        .replace("bulk_modulus = 5000.0", "youngs_modulus = 5000.0\npoisson_ratio = 0.3");
    fs::write(place.path("elastic.toml"), elastic).unwrap();
    for command in [&["materials"][..], &["check", "elastic.toml"]] {
        let outcome = tuff(&place, command);
        outcome.expect(0, &[]);
        for words in &words {
            assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
        }
    }
}

#[test]
fn lies_about_sizes_and_versions_are_refused_by_every_command() {
    refused_by_all(
        &["FAULT_ENTRY"],
        &["tuff_material_entry_v2", "expected the symbol `tuff_material_entry_v1`"],
    );
    refused_by_all(&["PROBE_SIZE_ERROR=64"], &["the material table", "found a struct of 344 bytes"]);
    refused_by_all(&["FAULT_LONG_ID"], &["the id is 1099511627776 bytes long; at most 16777216"]);
    refused_by_all(&["PROBE_STATES=4000000000u"], &["4000000000 state words are declared"]);
}

#[test]
fn two_files_with_one_id_are_both_named() {
    let place = place(&[]);
    compile_probe(&place.path("plugins"), "twin", &["PROBE_RATE=2.0"]);
    for command in [&["run", "scene.toml"][..], &["check", "scene.toml"], &["materials"]] {
        tuff(&place, command).expect(2, &["`probe`", "libtuff_probe", "libtuff_twin", "remove one"]);
    }
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    let place = place(&[]);
    let file = fs::read_dir(place.path("plugins")).unwrap().next().unwrap().unwrap().path();
    let content = fs::read(&file).unwrap();
    fs::write(&file, &content[..content.len() / 2]).unwrap();
    tuff(&place, &["check", "scene.toml"])
        .expect(2, &["libtuff_probe", "is not a material library", "cut off"]);
}

#[test]
fn code_that_loops_forever_is_left_behind() {
    refused_by_all(&["FAULT_HANG_ENTRY"], &["`tuff_material_entry_v1` did not end within 5 s"]);
    let place = place(&["FAULT_HANG_PREPARE"]);
    for command in ["run", "check"] {
        tuff(&place, &[command, "scene.toml"]).expect(
            2,
            &["`prepare` of model `probe` in", "plugins/libtuff_probe", "did not return within 5 s"],
        );
    }
    // A listing does not prepare anything.
    tuff(&place, &["materials"]).expect(0, &[]);
}

#[test]
fn answers_at_rest_and_initialisers_are_watched_too() {
    let words = ["scene.toml:12", "`project` of model `probe` in", "plugins/libtuff_probe", "5 s"];
    tuff(&place(&["FAULT_HANG_PROJECT"]), &["check", "scene.toml"]).expect(2, &words);
    tuff(&place(&["FAULT_HANG_LOAD"]), &["check", "scene.toml"])
        .expect(2, &["plugins/libtuff_probe", "loading it"]);
    let words = ["scene.toml:12", "plugins/libtuff_probe", "has the energy NaN Pa at rest"];
    tuff(&place(&["FAULT_NAN_ENERGY"]), &["check", "scene.toml"]).expect(2, &words);
}

#[test]
fn nan_in_a_run_names_the_material_and_the_library() {
    let run = tuff(&place(&["FAULT_NAN_LATER"]), &["run", "scene.toml", "--device", "reference"]);
    run.expect(
        4,
        &["not finite", "frame 2", "of the material `water`: model `probe` of plugins/libtuff_probe"],
    );
    let run = tuff(&place(&["FAULT_PROJECT_LATER"]), &["run", "scene.toml", "--device", "reference"]);
    assert_eq!(run.code, 4);
    for words in ["of the material `water`", "`project` of model `probe` in plugins/libtuff_probe"] {
        assert!(run.stderr.contains(words), "{run:?}");
    }
}
