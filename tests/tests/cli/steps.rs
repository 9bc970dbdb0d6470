//! `time.max_substep = "auto"`.

use std::fs;

use serde_json::Value;

use crate::{Place, SCENE};

fn found() -> String {
    SCENE
        .replace("max_substep = 2.0e-3", "max_substep = \"auto\"\nsubstep_bounds = [2e-4, 1e-2]")
        .replace("iterations = 2\n", "")
        .replace("frames = [1, 3]", "frames = [1, 9]")
}

#[test]
fn steps_are_found_between_the_bounds_and_recorded() {
    let place = Place::with(&found());
    let check = place.tuff(&["check", "scene.toml"]);
    check.expect(0, &[]);
    let parts = [
        "per frame at first; then adaptive, 2.000e-4 to 1.000e-2 s",
        "newton_cg, at most 100 passes to a force residual of 0.01 (auto: ",
    ];
    assert!(parts.iter().all(|part| check.stdout.contains(part)), "{}", check.stdout);
    let run = |out: &str| {
        let run = ["run", "scene.toml", "--device", "reference", "--out", out, "--progress", "json"];
        place.tuff(&run).expect(0, &["\"substeps_per_frame\":null"]);
        let manifest = fs::read(place.path(out).join("run.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        assert_eq!(manifest["scene"]["time"]["max_substep"], "auto");
        assert_eq!(manifest["scene"]["time"]["substep_bounds"], serde_json::json!([2e-4, 1e-2]));
        let frames = manifest["frames"].as_array().unwrap();
        let reports = frames[1..].iter().map(|frame| &frame["report"]);
        let step =
            |report: &Value| (report["substep"].as_f64().unwrap(), report["substeps"].as_u64().unwrap());
        reports.map(step).collect::<Vec<_>>()
    };
    let steps = run("a");
    println!("{steps:?}");
    assert!(steps.iter().all(|&(dt, n)| (2e-4..=1e-2).contains(&dt) && (dt * n as f64 - 0.01).abs() < 1e-9));
    assert!(steps.iter().any(|step| *step != steps[0]), "no other step was tried: {steps:?}");
    assert_eq!(steps, run("b"));
}

#[test]
fn fixed_steps_that_cost_ten_times_as_much_are_doubted() {
    let place = Place::with(&SCENE.replace("max_substep = 2.0e-3\n", "").replace("iterations = 2\n", ""));
    let check = |set: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        place.tuff(&["check", "scene.toml"].into_iter().chain(set).collect::<Vec<_>>())
    };
    let dear = check(&["time.max_substep=2e-5"]);
    dear.expect(
        0,
        &["500 substeps of 2.000e-5 s a frame", "times the work of \"auto\", which would begin with"],
    );
    let open = check(&[]);
    assert!(open.code == 0 && open.stderr.is_empty(), "{open:?}");
    let first = |text: &str| text.split("begin with ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let begins = first(&dear.stderr);
    assert!(open.stdout.contains(&format!("{begins} of ")), "begins with {begins}: {open:?}");
}

#[test]
fn steps_that_cannot_be_found_are_refused() {
    let place = Place::with(&found());
    let refused = |set: &[&str], parts: &[&str]| {
        let check = ["check", "scene.toml"].into_iter().chain(set.iter().flat_map(|set| ["--set", set]));
        place.tuff(&check.collect::<Vec<_>>()).expect(2, parts);
    };
    refused(
        &["solver.scheme=gauss_seidel"],
        &[
            "`solver.residual_tolerance` is 0 with gauss_seidel",
            "give a solver.residual_tolerance, let solver.scheme be newton_cg",
        ],
    );
    refused(&["solver.iterations=5"], &["newton_cg needs room for 60 passes"]);
    refused(&["solver.matter=grains"], &["`solver.matter` = \"grains\" has no residual"]);
    refused(&["time.substep_bounds=[1e-3,1e-4]"], &["[0.001, 0.0001] is out of range"]);
    refused(&["time.substep_bounds=[0,1e-4]"], &["each at least 1e-8"]);
    refused(&["time.substep_bounds=1e-3"], &["`time.substep_bounds` must be an array"]);
    refused(&["time.max_substep=automatic"], &["\"automatic\" is not known", "a number [s] or \"auto\""]);
    refused(
        &["time.max_substep=1e-3"],
        &["`time.max_substep` is a fixed length", "needs `max_substep = \"auto\"`"],
    );
    let place = Place::with(&found());
    let set = ["check", "scene.toml", "--set", "solver.xsph=0.01"];
    place
        .tuff(&set)
        .expect(0, &["`solver.xsph` smooths once per substep", "`viscosity` smooths in proportion to time"]);
}
