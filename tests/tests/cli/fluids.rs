//! Scenes with fluids: what they may leave out, and what they may not ask for.

use std::fs;

use crate::Place;

fn scene(keys: &str, body: &str) -> String {
    format!(
        r#"format = 1
[scene]
name = "pool"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.02
{keys}
[[material]]
name = "water"
model = "fluid"
density = 1000.0
[[body]]
name = "pool"
material = "water"
shape = {{ box = {{ min = [0.0, 0.1, 0.0], max = [0.1, 0.2, 0.1] }} }}
{body}
[[collider]]
name = "tank"
side = "inside"
shape = {{ box = {{ min = [0.0, 0.0, 0.0], max = [0.2, 0.4, 0.1] }} }}
"#
    )
}

#[test]
fn a_speed_of_sound_is_ten_times_that_of_the_deepest_fall() {
    let place = Place::with(&scene("", ""));
    // 10 sqrt(2 g h) from the top of the pool to the bottom of the tank, and 10 m/s on top of it.
    place.tuff(&["check", "scene.toml"]).stdout_says("19.809 m/s");
    fs::write(place.path("scene.toml"), scene("", "velocity = [1.0, 0.0, 0.0]")).unwrap();
    place.tuff(&["check", "scene.toml"]).stdout_says("22.190 m/s");
}

#[test]
fn what_a_fluid_cannot_do_is_refused() {
    Place::with(&scene("plasticity = \"semi_implicit\"", ""))
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:8", "plasticity", "a fluid would be a solid", "\"implicit\""]);
    Place::with(&scene("", "kinematics = \"total\""))
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:13", "body `pool`", "kinematics", "leave"]);
    for (key, value, allowed) in [
        ("viscosity", "-1e-6", "0"),
        ("viscosity", "nan", "0"),
        ("surface_tension", "-0.07", "0"),
        ("sound_speed", "0.0", "0"),
        ("sound_speed", "-3.0", "0"),
    ] {
        let text = scene("", "").replace("density = 1000.0", &format!("density = 1000.0\n{key} = {value}"));
        Place::with(&text).tuff(&["check", "scene.toml"]).expect(2, &["scene.toml:13", key, allowed]);
    }
}

#[test]
fn a_surface_tension_that_a_step_cannot_follow_is_told() {
    let tense = |time: &str, spacing: &str| {
        scene("", &format!("sampling = {{ kind = \"lattice\", spacing = {spacing} }}"))
            .replace("density = 1000.0", "density = 1000.0\nsurface_tension = 1e3")
            .replace("frames = [1, 2]", &format!("frames = [1, 2]\n{time}"))
    };
    let check = |time: &str, spacing: &str| Place::with(&tense(time, spacing)).tuff(&["check", "scene.toml"]);
    check("max_substep = 2e-3", "0.02")
        .expect(0, &["body `pool`", "`surface_tension` = 1000 N/m swings up", "`max_substep` of "]);
    check("substep_bounds = [2e-3, 1e-2]", "0.02")
        .expect(0, &["`surface_tension` = 1000 N/m swings up", "`substep_bounds` of "]);
    check("", "0.035").expect(0, &["body `pool`", "too few neighbors for `surface_tension`", "spacing"]);
    let default = check("", "0.02");
    default.stdout_says("scene.toml is valid");
    assert!(!default.stderr.contains("surface_tension"), "{}", default.stderr);
}

fn soaked(mixture: &str) -> String {
    let sand = "[[material]]\nname = \"sand\"\npreset = \"dry_sand\"\n[[material]]\nname = \"jelly\"\nmodel = \"elastic\"\ndensity = 900.0\n\
                youngs_modulus = 1e5\npoisson_ratio = 0.3\n[[body]]\nname = \"bed\"\nmaterial = \"sand\"\n\
                shape = { box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.2, 0.1] } }\n";
    format!("{}{sand}[[mixture]]\n{mixture}\n", scene("", ""))
}

const MIXTURE: &str = "fluid = \"water\"\ngrains = \"sand\"\ngrain_diameter = 3e-4\nporosity = 0.4";

#[test]
fn what_starts_in_pores_is_told() {
    let place = Place::with(&soaked(MIXTURE));
    place
        .tuff(&["check", "scene.toml"])
        .expect(0, &["body `pool`", "seeps too slowly"])
        .stdout_says("particles of fluids start among grains, which leave them");
    place.tuff(&["run", "scene.toml", "--frames", "1-1", "--device", "cpu"]).expect(0, &[]);
    let manifest = fs::read_to_string(place.path("out/pool/run.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let left = manifest["soaked"]["volume_left"].as_f64().unwrap();
    assert!(manifest["soaked"]["particles"].as_u64().unwrap() > 0 && (0.2..1.0).contains(&left), "{left}");
}

#[test]
fn mixtures_that_make_no_sense_are_refused() {
    for (from, to, words) in [
        ("\"water\"", "\"watr\"", &["scene.toml:36", "watr", "did you mean `water`"][..]),
        ("grains = \"sand\"", "grains = \"water\"", &["scene.toml:35", "water", "has no pores"]),
        ("fluid = \"water\"", "fluid = \"jelly\"", &["scene.toml:35", "jelly", "is no fluid"]),
        ("porosity = 0.4", "porosity = 1.2", &["scene.toml:39", "porosity", "0.99"]),
        ("porosity = 0.4", "", &["scene.toml:35", "porosity", "0.4"]),
        ("3e-4", "0.0", &["scene.toml:38", "grain_diameter", "1e-7"]),
        ("0.4", "0.4\ncohesion = [[0.0, 1.0], [1.5, 0.0]]", &["scene.toml:40", "1.5", "at most 1"]),
        ("0.4", "0.4\ncohesion = [[0.5, 1.0], [0.5, 0.0]]", &["scene.toml:40", "0.5", "ascend"]),
        ("0.4", "0.4\ncohesion = [[0.5, -1.0]]", &["scene.toml:40", "-1", "0"]),
        ("0.4", "0.4\ncohesion = []", &["scene.toml:40", "empty"]),
        ("0.4", "0.4\ncohesion = [[0.5, 1.0, 2.0]]", &["scene.toml:40", "3 numbers"]),
        ("0.4", "0.4\npermeability = 1.0", &["scene.toml:40", "permeability", "grain_diameter"]),
        (
            "grains = \"sand\"\ngrain_diameter = 3e-4",
            "grains = \"jelly\"\ngrain_diameter = 3e-4\ncohesion = [[0.0, 1.0]]",
            &["scene.toml:35", "elastic", "drucker_prager"],
        ),
    ] {
        let text = soaked(&MIXTURE.replacen(from, to, 1));
        Place::with(&text).tuff(&["check", "scene.toml"]).expect(2, words);
    }
    let twice = soaked(&format!("{MIXTURE}\n[[mixture]]\n{MIXTURE}"));
    Place::with(&twice)
        .tuff(&["check", "scene.toml"])
        .expect(2, &["scene.toml:40", "have a mixture already"]);
    let place = Place::with(&soaked(MIXTURE));
    place.tuff(&["run", "scene.toml", "--device", "mpm"]).expect(2, &["mixtures"]);
}

/// 0.1 m deep with r = 2 cm: p dt^2 / (rho r^2) is a third in substeps of 11.7 ms.
#[test]
fn a_step_in_which_a_pool_boils_is_told() {
    let check = |time: &str| {
        let text = scene("", "").replace("frames = [1, 2]", &format!("frames = [1, 2]\n{time}"));
        Place::with(&text).tuff(&["check", "scene.toml"])
    };
    check("max_substep = 1.4e-2")
        .expect(0, &["scene.toml:14", "body `pool`", "boils", "time.max_substep of 1.17e-2"]);
    check("substep_bounds = [1.4e-2, 4e-2]")
        .expect(0, &["boils", "a first value of time.substep_bounds of 1.17e-2"]);
    for calm in ["max_substep = 1.1e-2", ""] {
        let checked = check(calm);
        assert!(!checked.stderr.contains("boils"), "{calm}: {}", checked.stderr);
    }
}
