//! Presets in scenes, and every way to get them wrong.

use std::fs;

use super::*;
use crate::Loaded;
use crate::testing::{parse_in, text};

const MUD: &str = "help = \"Mud\"\nsource = \"by eye\"\nmodel = \"test_sand\"\ndensity = 1900\n\
    youngs_modulus = 2e5\ncohesion = 50\nenergy = \"neo_hookean\"\n";

/// Loads a scene whose material has these keys besides its name, next to the preset `mud.toml` with the text `mud`.
fn scene(mud: &str, keys: &str, overrides: &[&str]) -> Result<Loaded, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("presets")).unwrap();
    fs::write(folder.path().join("presets/mud.toml"), mud).unwrap();
    let shape = "{ box = { min = [0, 0, 0], max = [1, 2, 1] } }";
    let scene = text(shape, "{ kind = \"lattice\", spacing = 0.1 }", "");
    let written = "model = \"test_sand\"\ndensity = 1600\nyoungs_modulus = 1e5\n";
    assert!(scene.contains(written));
    parse_in(folder.path(), &scene.replace(written, &format!("{keys}\n")), overrides)
}

#[track_caller]
fn refused(mud: &str, keys: &str, overrides: &[&str], parts: &[&str]) {
    let error = scene(mud, keys, overrides).map(|_| ()).expect_err(keys).to_string();
    for part in parts {
        assert!(error.contains(part), "`{part}` is missing in:\n{error}");
    }
}

#[test]
fn the_folder_ships_and_every_preset_says_what_it_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/materials");
    let stem = |e: fs::DirEntry| e.path().file_stem().unwrap().to_string_lossy().into_owned();
    let mut files: Vec<String> = fs::read_dir(folder).unwrap().map(|e| stem(e.unwrap())).collect();
    files.sort();
    assert_eq!(files, names().collect::<Vec<_>>());
    for preset in presets() {
        let document = Document::parse(preset.name, preset.text).unwrap();
        check(&document, preset.name, &document.root).unwrap();
        assert!(document.root.get("density").is_some(), "{}", preset.name);
        let words = [preset.model(), preset.help(), preset.source()];
        assert!(words.iter().all(|w| !w.is_empty()) && preset.help().len() < 80, "{}", preset.name);
    }
}

#[test]
fn a_material_has_the_keys_of_its_preset_but_for_its_own() {
    let keys = "preset = \"presets/mud.toml\"\ncohesion = 70";
    let material = scene(MUD, keys, &[]).unwrap().scene.materials.remove(0);
    assert_eq!((material.model.as_str(), material.density), ("test_sand", 1900.0));
    assert_eq!(material.parameters, [2e5, 70.0, 1.0, 1.0]);
    let given: Vec<&str> = material.given.iter().map(|g| g.0.as_str()).collect();
    assert_eq!(given, ["cohesion", "youngs_modulus", "energy"]);

    let set = ["material.sand.density=1000", "material.sand.energy=hencky"];
    let material = scene(MUD, keys, &set).unwrap().scene.materials.remove(0);
    assert_eq!((material.density, material.parameters[3]), (1000.0, 0.0));
    // The model may be repeated, and a preset chosen on the command line.
    let set = ["material.sand.preset=presets/mud.toml"];
    assert!(scene(MUD, "model = \"test_sand\"", &set).is_ok());
}

#[test]
fn a_preset_that_is_not_there_is_told_from_those_that_are() {
    let parts = ["scene.toml:10", "unknown preset \"dry_snad\"", "did you mean `dry_sand`?", "`wet_sand`"];
    refused(MUD, "preset = \"dry_snad\"", &[], &parts);
    let set = ["material.sand.preset=wetsand"];
    refused(MUD, "preset = \"dry_sand\"", &set, &["--set:1", "did you mean `wet_sand`?"]);
    refused(MUD, "preset = \"presets/mud\"", &[], &["did you mean `presets/mud.toml`?"]);
    refused(MUD, "preset = \"none.toml\"", &[], &["scene.toml:10", "cannot read", "a file relative to"]);
    refused(MUD, "preset = 3", &[], &["scene.toml:10", "must be a string, not an integer"]);
}

#[test]
fn a_preset_does_not_change_the_model() {
    let keys = "preset = \"presets/mud.toml\"\nmodel = \"elastic\"";
    let parts = ["scene.toml:11", "for the model \"test_sand\", not \"elastic\"", "leave out `model`"];
    refused(MUD, keys, &[], &parts);
    let set = ["material.sand.model=elastic"];
    refused(MUD, "preset = \"presets/mud.toml\"", &set, &["--set:1", "for the model \"test_sand\""]);
}

#[test]
fn what_is_wrong_in_a_preset_is_shown_in_the_preset() {
    let keys = "preset = \"presets/mud.toml\"";
    for (from, to, line, part) in [
        ("1900", "= 1900", 4, "malformed TOML"),
        ("1900", "-1900", 4, "`material.sand.density` = -1900 is out of range"),
        ("cohesion", "cohesoin", 6, "did you mean `cohesion`?"),
        ("neo_hookean", "neo_hokean", 7, "did you mean `neo_hookean`?"),
        ("test_sand", "test_snad", 3, "did you mean `test_sand`?"),
        ("help", "name", 1, "a preset has no `name`"),
        ("help", "preset", 1, "a preset has no `preset`"),
        ("\"by eye\"", "2016", 2, "`source` must be a string, not an integer"),
        ("model = \"test_sand\"\n", "", 1, "has no `model`"),
    ] {
        refused(&MUD.replace(from, to), keys, &[], &[&format!("presets/mud.toml:{line}"), part]);
    }
}

#[test]
fn a_model_that_refuses_points_into_the_preset_and_says_why() {
    let scene = scene(MUD, "preset = \"presets/mud.toml\"\nhardening = false", &[]).unwrap().scene;
    let error = scene.refuse_material(0, Some("cohesion"), "too much").to_string();
    assert!(
        error.contains("presets/mud.toml:6") && error.contains("the preset `presets/mud.toml` gives"),
        "{error}"
    );
    let error = scene.refuse_material(0, Some("hardening"), "needed").to_string();
    assert!(error.contains("scene.toml:11"), "{error}");
}
