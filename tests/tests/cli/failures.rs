//! Failing simulations: exit code 4, a correct report, and another try with half the substep.

use std::fs;

use glam::DVec3;
use serde_json::Value;
use tuff_problem::{Control, SimulationError};
use tuff_run::Simulation;
use tuff_tests::ply;
use tuff_tests::program::OVERSTEPPED;

use crate::{Place, SCENE, names};

const RUN: [&str; 4] = ["run", "scene.toml", "--device", "reference"];
const RADIUS: f64 = 0.025;

fn json(place: &Place, file: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(file)).unwrap()).unwrap()
}

#[test]
fn the_report_tells_what_the_last_frame_shows() {
    let place = Place::with(OVERSTEPPED);
    // Fails in the first half of the substep, so the failed substep began with the state in the last frame.
    let run = place.tuff(&[&RUN[..], &["--set", "material.sand.friction_angle=31"]].concat());
    run.expect(4, &["a neighborhood folded", "frame 4, substep 0", "of the material `sand`"]);
    run.expect(
        4,
        &["began", "principal stretches", "they span 3 directions", "`floor`", "in the previous frame:"],
    );
    run.expect(4, &["out/sand/failure/failure.json", "--retry N"]);
    let report = json(&place, "out/sand/failure/failure.json");
    let id = report["particle"]["id"].as_u64().unwrap() as usize;

    // The earlier frames are complete and listed.
    let manifest = json(&place, "out/sand/run.json");
    assert_eq!(manifest["status"]["state"], "failed");
    assert_eq!(manifest["status"]["exit_code"], 4);
    let files = ["failure/failure.json", "failure/surroundings.ply"];
    assert_eq!(manifest["status"]["failure"], serde_json::json!(files));
    assert!(manifest["status"]["message"].as_str().unwrap().contains(&format!("particle {id}")));
    let frames = ["sand.0001.ply", "sand.0002.ply", "sand.0003.ply"];
    assert_eq!(names(&place.path("out/sand/particles")), frames);
    assert_eq!(manifest["frames"].as_array().unwrap().len(), 3);

    // The failed substep began with the last of them, so everything can be checked against its file.
    assert_eq!((&report["frame"], &report["substep"]), (&Value::from(4), &Value::from(0)));
    assert_eq!((&report["time"], &report["substep_length"]), (&Value::from(0.08), &Value::from(0.02)));
    let last = ply::read(&place.path("out/sand/particles/sand.0003.ply"));
    let positions = ply::positions(&last);
    let center = positions[id];
    let distance = |i: usize| positions[i].distance(center) / RADIUS;
    let within = |reach: f64| (0..positions.len()).filter(move |&i| distance(i) < reach);
    assert_eq!(report["neighborhood"]["neighbors"], within(2.0).count() - 1);
    let nearest =
        within(2.0).filter(|&i| i != id).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap();
    assert_eq!(report["neighborhood"]["nearest"]["id"], nearest);
    let told = report["neighborhood"]["nearest"]["kernel_radii"].as_f64().unwrap();
    assert!((told - distance(nearest)).abs() < 1e-5, "{told}");
    assert!((report["particle"]["volume_ratio"].as_f64().unwrap() - last["J"][id]).abs() < 1e-6);
    // Half a spacing of the lattice: the distance at which particles touch.
    assert_eq!(report["collider"]["name"], "floor");
    assert!((report["collider"]["gap"].as_f64().unwrap() - (center.y - 0.0125)).abs() < 1e-6);
    assert_eq!(report["limiters"]["in_the_last_frame"], manifest["frames"][2]["report"]["counters"]);
    assert!(report["limiters"]["in_this_substep"]["position_corrected"].as_u64().unwrap() > 0);

    let around = ply::read(&place.path("out/sand/failure/surroundings.ply"));
    let expected: Vec<f64> = within(6.0).map(|i| i as f64).collect();
    assert_eq!(around["id"], expected);
    assert!(around["id"].contains(&(id as f64)) && around.contains_key("volume_gain"));
    for (x, &i) in ply::positions(&around).iter().zip(&around["id"]) {
        assert_eq!(*x, positions[i as usize]);
    }
}

/// Shorter substeps cure particles that move too far in one, and nothing else.
#[test]
fn advice_fits_the_cause() {
    let place = Place::with(OVERSTEPPED);
    let failed = |set: &[&str], parts: &[&str]| {
        let set = set.iter().flat_map(|set| ["--set", set]);
        let run = RUN.into_iter().chain(["--overwrite"]).chain(set);
        place.tuff(&run.collect::<Vec<_>>()).expect(4, parts);
    };
    failed(&[], &["try half of time.max_substep (--retry N", "solver.scheme = \"newton_cg\" with 60"]);
    let fast = "body.column.velocity=[0,-3,0]";
    let sunk = "body.column.shape.box.min=[0,-0.006,0]";
    let too_far = "is too far: give a shorter time.max_substep; --retry N";
    failed(&[fast], &["the particle moves 2.4", too_far]);
    failed(&[fast, sunk], &["kernel radii in a substep of 2.000e-2 s", too_far]);

    // A failure in the first frame, in which nothing moves far, of a column that starts inside the floor.
    let problem =
        tuff_tests::problem(&OVERSTEPPED.replace("min = [0.0, 0.0, 0.0]", "min = [0.0, -0.006, 0.0]"));
    let mut simulation = tuff_tests::reference(&problem);
    let failure = (0..8).find_map(|_| simulation.advance(&Control::default()).err());
    let Some(SimulationError::Failed(mut failure)) = failure else { panic!("{failure:?}") };
    failure.evidence.as_mut().unwrap().surroundings.frame.velocity.fill([0.0; 3]);
    failure.frame = 2;
    let advice = problem.advice(&failure);
    assert!(
        advice.contains("starts up to 3.000e-3 m deep in `floor`, and shorter substeps will not help"),
        "{advice}"
    );
    failure.frame = 3;
    assert!(problem.advice(&failure).starts_with("try half of time.max_substep"));
    // Adaptive steps have no upper bound to report.
    let mut found = problem.clone();
    found.scene.time.substep_bounds = Some([1e-5, 1e-2]);
    assert!(found.advice(&failure).starts_with("try --retry N"));
    failure.evidence.as_mut().unwrap().surroundings.frame.velocity.fill([0.0, -9.0, 0.0]);
    assert!(found.advice(&failure).contains("lower the first value of time.substep_bounds"));
}

#[test]
fn nan_is_traced_to_the_row_that_gave_it() {
    let floor = "[[collider]]\nname = \"floor\"\n\
        shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }\n[output]";
    let scene =
        tuff_tests::watched::PROBE_SCENE.replace("[output]", floor).replace("gravity = [0.0, 0.0, 0.0]", "");
    let place = Place::with(&scene);
    fs::create_dir(place.path("plugins")).unwrap();
    tuff_tests::libraries::compile_probe(&place.path("plugins"), "probe", &["FAULT_NAN_LATER"]);
    let run = [&RUN[..], &["--material-path", "plugins", "--frames", "1-20"]].concat();
    let run = place.tuff(&run);
    run.expect(4, &["not finite", "solve_inelastic, iteration 2, color", "by the impulse"]);
    run.expect(4, &["the law of its material may return NaN", "tuff material check", "probe"]);
    let report = json(&place, "out/drop/failure/failure.json");
    assert_eq!(report["began"]["quantity"], "impulse");
    assert_eq!(report["particle"]["model"], "probe");
    assert!(report["particle"]["state"]["a"].as_f64().unwrap() >= 0.5);
    // In one of the lowest layers: it falls freely in the first iteration, then the floor holds it and the second compresses it.
    let y = report["particle"]["position"][1].as_f64().unwrap();
    assert!(y < 0.025, "{report}");
    let around = ply::read(&place.path("out/drop/failure/surroundings.ply"));
    assert!(around["id"].contains(&report["particle"]["id"].as_f64().unwrap()));
    assert!(
        ply::positions(&around).iter().all(|x: &DVec3| x.is_finite()),
        "the start of the substep is whole"
    );
}

#[test]
fn a_retry_goes_on_from_the_last_frame_with_half_the_substep() {
    let place = Place::with(OVERSTEPPED);
    // One retry is not enough.
    let retry =
        |out: &str, n: &str| place.tuff(&[&RUN[..], &["--retry", n, "--out", out, "--overwrite"]].concat());
    retry("a", "3").expect(
        0,
        &[
            "frame 0004 failed: a neighborhood folded",
            "repeating from frame 0003 with substeps of 2.000e-2 s",
        ],
    );
    let manifest = json(&place, "a/run.json");
    let retries = manifest["retries"].as_array().unwrap();
    assert_eq!((&retries[0]["frame"], &retries[0]["halved"]), (&Value::from(4), &Value::from(0.02)));
    let mut substeps = 1;
    for frame in manifest["frames"].as_array().unwrap().iter().skip(1) {
        substeps <<= retries.iter().filter(|r| r["frame"] == frame["frame"]).count();
        let halved = frame["report"]["counters"]["substeps_halved"].as_u64().unwrap();
        assert_eq!(frame["report"]["substeps"], substeps + halved, "{frame}");
    }
    assert!(!place.path("a/failure").exists());
    retry("b", "3").expect(0, &[]);
    for name in names(&place.path("a/particles")) {
        let read = |out: &str| fs::read(place.path(out).join("particles").join(&name)).unwrap();
        assert!(read("a") == read("b"), "{name} differs");
    }

    // Too few retries: the last failure is reported, and the next run leaves no trace of it.
    retry("c", "1").expect(4, &["c/failure/surroundings.ply"]);
    assert_eq!(json(&place, "c/run.json")["retries"].as_array().unwrap().len(), 1);
    let failed = json(&place, "c/failure/failure.json")["frame"].as_u64().unwrap();
    assert!((4..=8).contains(&failed), "{failed}");
    let events = place.tuff(&[&RUN[..], &["--retry", "1", "--progress", "json", "--out", "d"]].concat());
    for (event, frame) in [("retry", 4), ("failure", failed)] {
        let line = format!("\"event\":\"{event}\",\"frame\":{frame}");
        assert!(events.stderr.contains(&line), "{line}: {events:?}");
    }
    retry("c", "3").expect(0, &[]);
    assert!(!place.path("c/failure/failure.json").exists());
}

#[test]
fn a_run_that_needs_no_retry_is_the_same_with_it() {
    let place = Place::with(SCENE);
    for (out, n) in [("a", "0"), ("b", "2")] {
        place.tuff(&[&RUN[..], &["--retry", n, "--out", out]].concat()).expect(0, &[]);
    }
    for name in names(&place.path("a/particles")) {
        let read = |out: &str| fs::read(place.path(out).join("particles").join(&name)).unwrap();
        assert!(read("a") == read("b"), "{name} differs");
    }
    assert!(json(&place, "b/run.json")["retries"].is_null());
}

#[test]
fn retries_are_counted_in_small_numbers() {
    let place = Place::with(SCENE);
    for wrong in ["-1", "1000", "often"] {
        place.tuff(&[&RUN[..], &["--retry", wrong]].concat()).expect(2, &["--retry", wrong]);
    }
    assert!(!place.path("out").exists());
}

#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_does_not_hide_the_failure() {
    let place = Place::with(OVERSTEPPED);
    fs::create_dir_all(place.path("out/sand/failure")).unwrap();
    let temporary = place.path("out/sand/failure/.tuff-partial-surroundings.ply");
    std::os::unix::fs::symlink("/dev/full", temporary).unwrap();
    place.tuff(&RUN).expect(4, &["a neighborhood folded", "surroundings.ply", "No space left"]);
    assert!(names(&place.path("out/sand/failure")).is_empty());
    assert!(json(&place, "out/sand/run.json")["status"]["failure"].is_null());
}
