//! Presets: listed, printed, used, overridden, and refused with the reason.

use std::fs;

use crate::{Place, SCENE};

/// The keys of [`SCENE`]'s material after its name.
const GIVEN: &str = "model = \"drucker_prager\"\ndensity = 1600.0\nyoungs_modulus = 1.0e5\npoisson_ratio = 0.3\n\
    friction_angle = 35.0\n";

/// Creates a folder with [`SCENE`], with these keys for its material.
fn with(keys: &str) -> Place {
    Place::changed(GIVEN, &format!("{keys}\n"))
}

/// Returns the names of the presets that ship.
fn names() -> Vec<String> {
    let list = Place::with(SCENE).tuff(&["presets"]);
    list.stdout.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_preset_that_ships_is_accepted_by_its_model() {
    let names = names();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let check = with(&format!("preset = \"{name}\"")).tuff(&["check", "scene.toml"]);
        check.expect(0, &[]);
        assert!(check.stdout.contains("64"), "{name}: {check:?}");
    }
}

#[test]
fn presets_are_listed_and_printed() {
    let place = Place::with(SCENE);
    let models = place.tuff(&["materials"]);
    assert!(models.stdout.contains("presets: dry_sand, table2_dam_breach"), "{models:?}");
    let model = place.tuff(&["materials", "snow"]);
    assert!(model.stdout.contains("packed_snow") && !model.stdout.contains("dry_sand"), "{model:?}");
    let preset = place.tuff(&["presets", "dry_sand"]);
    for word in ["help = ", "source = ", "model = \"drucker_prager\"", "friction_angle = 35.0"] {
        assert!(preset.stdout.contains(word), "{word}: {preset:?}");
    }
    place.tuff(&["presets", "granite"]).expect(2, &["granite", "dry_sand, figure19_snow"]);
    place.tuff(&["materials", "dry_sand"]).expect(2, &["`dry_sand` is a preset: tuff presets dry_sand"]);
}

#[test]
fn a_printed_preset_is_a_file_to_start_from() {
    let place = with("preset = \"my_sand.toml\"\nfriction_angle = 20.0");
    let printed = place.tuff(&["presets", "wet_sand"]).stdout;
    fs::write(place.path("my_sand.toml"), printed.replace("1800.0", "1900.0")).unwrap();
    place.tuff(&["run", "scene.toml", "--device", "reference", "--frames", "1-1"]).expect(0, &[]);
    let manifest = fs::read_to_string(place.path("out/cube/run.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let material = &manifest["scene"]["material"][0];
    assert_eq!(material["density"], 1900.0, "{manifest:#}");
    assert_eq!(material["friction_angle"], 20.0);
    assert_eq!(material["cohesion"], 1000.0);

    let broken = printed.replace("friction_angle = 35.0", "friction_angle = 35.0\nfriction_angel = 30.0");
    let line = broken.lines().position(|line| line.starts_with("friction_angel")).unwrap() + 1;
    fs::write(place.path("my_sand.toml"), broken).unwrap();
    let at = format!("my_sand.toml:{line}");
    place.tuff(&["check", "scene.toml"]).expect(2, &[&at, "did you mean `friction_angle`?"]);
}

#[test]
fn presets_that_cannot_be_used_say_why() {
    let check = ["check", "scene.toml"];
    let words = ["scene.toml:14", "unknown preset \"dry_snad\"", "did you mean `dry_sand`?", "`wet_sand`"];
    with("preset = \"dry_snad\"").tuff(&check).expect(2, &words);
    let words = ["scene.toml:15", "for the model \"drucker_prager\", not \"elastic\""];
    with("preset = \"dry_sand\"\nmodel = \"elastic\"").tuff(&check).expect(2, &words);
    // A yield stress under another name would add to the preset's own.
    let words = ["yield_stress_shear", "the preset `plasticine` gives every parameter"];
    with("preset = \"plasticine\"\nyield_stress_shear = 1e3").tuff(&check).expect(2, &words);
    let words = ["--set:1", "did you mean `foam`?"];
    let set = ["check", "scene.toml", "--set", "material.sand.preset=foma"];
    with("preset = \"rubber\"").tuff(&set).expect(2, &words);
    let set = ["check", "scene.toml", "--set", "material.sand.preset=foam"];
    with("preset = \"rubber\"").tuff(&set).expect(0, &[]);
}
