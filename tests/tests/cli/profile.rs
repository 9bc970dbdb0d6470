//! `tuff profile` without a device: help, refusals, and comparisons of two profiles.

use std::fs;

use serde_json::{Value, json};

use crate::{Place, SCENE};

/// A profile of 20 substeps with two stages, as written by `--json`; the sweep takes `sweep` ms, with occasional disturbances.
fn profile(sweep: f64) -> Value {
    let times = |ms: f64| -> Vec<f64> {
        (0..20)
            .map(|i| 1e-3 * ms * (1.0 + 0.004 * f64::from(i % 5)) * if i % 9 == 4 { 1.5 } else { 1.0 })
            .collect()
    };
    let stage = |name: &str, part: &str, ms: f64| json!({ "name": name, "part": part, "dispatches": 1.0, "threads": 64.0, "bytes": 1e6, "seconds": times(ms) });
    let substep = json!({
        "wall_seconds": 2e-3, "device_seconds": 1.5e-3, "iterations": 2, "pairs": 936, "submissions": 1,
    });
    json!({
        "tuff_profile": 1,
        "tuff": "0.2.0",
        "scene": {
            "name": "cube", "frame": 1, "particles": 64, "substep_seconds": 2e-3, "kernel_radius": 0.025, "iterations": 2,
            "residual_tolerance": 0.0, "solver": "GaussSeidel", "materials": ["sand (drucker_prager)"],
        },
        "device": { "name": "a device", "driver": "a driver 1.0", "kind": "software" },
        "memory_bytes": 70000,
        "stages": [
            stage("find_neighbors", "neighbour search", 0.3),
            stage("solve_inelastic", "solve inelasticity", sweep),
        ],
        "substeps": vec![substep; 20],
        "plain": {
            "substeps": 20, "wall_seconds": 0.03, "processor_seconds": null, "pair_iterations_per_second": 1e6,
        },
        "residuals": [],
        "residual_cost": 0.3,
        "materials": [],
        "spread": {
            "particles_by_neighbors": [], "cells_by_particles": [], "cells_of_color": [], "particles_of_color": [],
        },
    })
}

/// Creates a folder with the profiles `a.json` and `b.json`.
fn two(a: &Value, b: &Value) -> Place {
    let place = Place::with(SCENE);
    for (name, profile) in [("a.json", a), ("b.json", b)] {
        fs::write(place.path(name), profile.to_string()).unwrap();
    }
    place
}

const COMPARE: [&str; 4] = ["profile", "compare", "a.json", "b.json"];

/// Returns the row of a table whose first word is `name`.
fn row<'a>(table: &'a str, name: &str) -> &'a str {
    table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in:\n{table}"))
}

#[test]
fn help_says_what_the_columns_mean() {
    let place = Place::with(SCENE);
    assert!(place.tuff(&["--help"]).stdout.contains("  profile "));
    let help = place.tuff(&["profile", "--help"]);
    let words = [
        "share",
        "dispatches",
        "threads",
        "moved",
        "bandwidth",
        "between stages",
        "law",
        "Fig. 17",
        "perfetto",
    ];
    for word in words {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    assert!(help.code == 0 && help.stdout.starts_with("Measure where"), "{}", help.stdout);
    let compare = place.tuff(&["profile", "compare", "--help"]);
    assert!(compare.code == 0 && compare.stdout.contains("--fail-slower"), "{compare:?}");
}

#[test]
fn wrong_arguments_of_a_profile_exit_with_2() {
    let place = Place::with(SCENE);
    let refused = |arguments: &[&str], words: &[&str]| {
        place.tuff(&[&["profile"], arguments].concat()).expect(2, words);
    };
    refused(&[], &["SCENE"]);
    refused(&["nowhere.toml"], &["nowhere.toml"]);
    refused(&["scene.toml", "--substeps", "0"], &["--substeps", "1..=10000"]);
    refused(&["scene.toml", "--substeps", "many"], &["--substeps", "many"]);
    refused(&["scene.toml", "--device", "mpm"], &["--device mpm", "cpu"]);
    refused(&["scene.toml", "--compile", "gtx"], &["gtx", "navi21"]);
    refused(&["scene.toml", "--compile", "navi21", "--json", "a.json"], &["--compile", "--json"]);
    refused(&["nowhere.toml", "--compile"], &["nowhere.toml"]);
    refused(&["scene.toml", "--at-frame", "9"], &["--at-frame 9", "1 to 3"]);
    refused(&["scene.toml", "--set", "solver.iteration=3"], &["iteration", "iterations"]);
    refused(&["compare", "a.json"], &["B.json"]);
    refused(&["compare", "a.json", "b.json", "--threshold", "-3"], &["--threshold", "percentage"]);
}

#[test]
fn files_that_are_no_profiles_are_refused() {
    let good = profile(1.0);
    let refused = |text: &str, words: &[&str]| {
        let place = two(&good, &good);
        fs::write(place.path("b.json"), text).unwrap();
        place.tuff(&COMPARE).expect(2, words);
    };
    refused("not json", &["b.json", "not JSON", "--json FILE"]);
    refused("{\"stages\": []}", &["b.json", "tuff_profile"]);
    refused("[1, 2]", &["b.json", "tuff_profile"]);
    refused(&json!({ "tuff_profile": 2 }).to_string(), &["b.json", "format 2", "format 1"]);
    refused(&json!({ "tuff_profile": "x" }).to_string(), &["b.json", "format"]);
    let mut damaged = good.clone();
    damaged["stages"][0]["seconds"] = json!("soon");
    refused(&damaged.to_string(), &["b.json", "damaged"]);
    Place::with(SCENE).tuff(&COMPARE).expect(2, &["a.json", "cannot read"]);
}

#[test]
fn a_slower_stage_is_named_and_can_fail_a_script() {
    let place = two(&profile(1.0), &profile(1.2));
    let compare = place.tuff(&COMPARE);
    compare.expect(0, &[]);
    assert!(row(&compare.stdout, "solve_inelastic").ends_with("slower"), "{}", compare.stdout);
    assert!(row(&compare.stdout, "  solve inelasticity").ends_with("slower"), "{}", compare.stdout);
    assert!(row(&compare.stdout, "all stages").ends_with("slower"), "{}", compare.stdout);
    assert!(row(&compare.stdout, "find_neighbors").ends_with('%'), "{}", compare.stdout);
    let with = |more: &[&str]| place.tuff(&[&COMPARE[..], more].concat());
    with(&["--fail-slower", "10"]).expect(1, &["solve_inelastic", "10 %"]);
    with(&["--fail-slower", "30"]).expect(0, &[]);
    with(&["--fail-slower", "10", "--threshold", "25"]).expect(0, &[]);
    let back = two(&profile(1.2), &profile(1.0)).tuff(&[&COMPARE[..], &["--fail-slower", "0"]].concat());
    assert!(back.code == 0 && row(&back.stdout, "solve_inelastic").ends_with("faster"), "{back:?}");
}

#[test]
fn profiles_of_different_things_are_compared_only_by_force() {
    let mut other = profile(1.0);
    other["device"]["name"] = json!("another device");
    other["scene"]["particles"] = json!(128);
    let place = two(&profile(1.0), &other);
    place
        .tuff(&COMPARE)
        .expect(2, &["device: a device and another device", "particles: 64 and 128", "--force"]);
    let forced = place.tuff(&[&COMPARE[..], &["--force"]].concat());
    assert!(forced.code == 0 && forced.stdout.contains("particles: 64 and 128"), "{forced:?}");

    let mut newer = profile(1.0);
    newer["device"]["driver"] = json!("a driver 2.0");
    let newer = two(&profile(1.0), &newer).tuff(&COMPARE);
    assert!(newer.code == 0 && newer.stdout.contains("a driver 1.0 and a driver 2.0"), "{newer:?}");
}

#[test]
fn too_few_substeps_are_no_comparison() {
    let mut short = profile(1.0);
    let four: Vec<Value> = short["substeps"].as_array().unwrap()[..4].to_vec();
    short["substeps"] = four.into();
    two(&profile(1.0), &short).tuff(&COMPARE).expect(2, &["b.json", "4 substeps", "--substeps 5"]);
}

/// The path of a shipped scene.
pub fn shipped(name: &str) -> String {
    format!("{}/../configs/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_processor_has_a_profile() {
    let place = Place::with(SCENE);
    let scene = shipped("sand_column");
    let few = ["--substeps", "5", "--warm-up", "0"];
    let run = [&["profile", &scene, "--device", "cpu", "--particles", "500"][..], &few].concat();
    let outcome = place.tuff(&[&run[..], &["--json", "p.json", "--trace", "t.json"]].concat());
    outcome.expect(0, &[]);
    for name in ["find_neighbors", "linearize", "product", "commit", "XSPH", "threads busy"] {
        assert!(outcome.stdout.contains(name), "{name}: {}", outcome.stdout);
    }
    let record: Value = serde_json::from_str(&fs::read_to_string(place.path("p.json")).unwrap()).unwrap();
    assert!(record["device"]["driver"].as_str().unwrap().contains("threads of"), "{}", record["device"]);
    let stages = record["stages"].as_array().unwrap();
    for (index, substep) in record["substeps"].as_array().unwrap().iter().enumerate() {
        let sum: f64 = stages.iter().map(|stage| stage["seconds"][index].as_f64().unwrap()).sum();
        let [device, wall] = ["device_seconds", "wall_seconds"].map(|key| substep[key].as_f64().unwrap());
        // Loops follow each other, and little lies between them.
        assert!(sum <= device && device <= wall && sum > 0.8 * device, "{sum} {device} {wall}");
    }
    place.tuff(&["profile", "compare", "p.json", "p.json"]).stdout_says("linearize");
}

/// Needs Mesa's AMD driver, not a card.
#[test]
fn stages_do_not_spill_and_hide_latency_on_two_families() {
    let place = Place::with(SCENE);
    let sweeps = ["--set", "solver.scheme=\"gauss_seidel\""];
    let scenes: [(&str, &[&str]); 4] =
        [("sand_column", &[]), ("elastic_beam", &[]), ("foam_on_ropes", &[]), ("memory_foam", &sweeps)];
    for (name, settings) in scenes {
        let scene = shipped(name);
        let run = ["profile", &scene, "--particles", "500", "--compile", "navi21,navi10"];
        let outcome = place.tuff(&[&run[..], settings].concat());
        if outcome.code == 3 && std::env::var_os("TUFF_REQUIRE_GPU").is_none() {
            eprintln!("skipped: {}", outcome.stderr);
            return;
        }
        outcome.expect(0, &[]);
        for word in ["RADV NAVI21", "RADV NAVI10", "find_neighbors"] {
            assert!(outcome.stdout.contains(word), "{word}: {}", outcome.stdout);
        }
        // Links of up to six particles take registers in the two stages that add up their forces.
        let slow = if name == "foam_on_ropes" { "newton_forces, newton_blocks" } else { "none" };
        for verdict in ["spill or use scratch   none", &format!("fewer than 8 waves    {slow}")] {
            assert_eq!(outcome.stdout.matches(verdict).count(), 2, "{name}: {}", outcome.stdout);
        }
    }
}
