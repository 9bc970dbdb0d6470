//! Whole runs with the reference solver.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Outcome, Place, SCENE, names};

const RUN: [&str; 4] = ["run", "scene.toml", "--device", "reference"];
/// Kernel radius of `SCENE` [m].
const KERNEL_RADIUS: f64 = 0.025;

#[test]
fn a_run_writes_all_frames_pictures_and_the_manifest() {
    let place = Place::with(SCENE);
    let run = place.tuff(&RUN);
    run.expect(0, &["frame 0003 (3/3)"]);
    assert!(run.stdout.contains("out/cube: 3 frames of 64 particles"), "{run:?}");
    let frames = ["cube.0001", "cube.0002", "cube.0003"];
    let with = |extension: &str| frames.map(|f| format!("{f}.{extension}"));
    assert_eq!(names(&place.path("out/cube/particles")), with("ply"));
    assert_eq!(names(&place.path("out/cube/preview")), with("png"));

    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    assert_eq!(manifest["status"]["state"], "finished");
    assert_eq!(manifest["status"]["exit_code"], 0);
    assert_eq!(manifest["materials"][0]["plugin"]["id"], "drucker_prager");
    assert_eq!(manifest["scene"]["body"][0]["sampling"]["spacing"], 0.025);
    assert_eq!(manifest["frames"].as_array().unwrap().len(), 3);
    assert!(manifest["frames"][0]["report"].is_null(), "the first frame is the initial state");
    let report = &manifest["frames"][2]["report"];
    assert_eq!(report["substeps"], 5);
    // Free fall has barely begun: the cube rests on the floor, which bears most of its weight.
    let impulse = report["collider_impulse"][0][1].as_f64().unwrap();
    let weight = 1600.0 * 1e-3 * 9.81 * 0.01;
    assert!(impulse < 0.0 && impulse > -3.0 * weight, "{impulse} N s against {weight} N s");
}

#[test]
fn the_scheme_is_chosen_by_the_step_or_by_the_residual_asked_for() {
    let place = Place::with(SCENE);
    let says = |set: &[&str], parts: &[&str]| {
        let auto = ["check", "scene.toml"].into_iter();
        let check = place.tuff(&auto.chain(set.iter().flat_map(|set| ["--set", set])).collect::<Vec<_>>());
        check.expect(0, &[]);
        assert!(parts.iter().all(|part| check.stdout.contains(part)), "{parts:?} in {}", check.stdout);
    };
    says(&[], &["gauss_seidel, 2 iterations", "newton_cg needs room for 60 passes"]);
    let room = ["solver.iterations=100"];
    says(
        &room,
        &["newton_cg, at most 100 passes", "sound crosses 0.73 particle spacings per substep in body `cube`"],
    );
    says(&["solver.iterations=100", "time.max_substep=2e-4"], &["gauss_seidel, ", "newton_cg from 0.2 on"]);
    let asked = ["solver.iterations=100", "time.max_substep=2e-4", "solver.residual_tolerance=0.05"];
    says(&asked, &["to a force residual of 0.05", "`solver.residual_tolerance` = 0.05 is requested"]);
    says(&["solver.matter=grains"], &["spheres, "]);
    says(
        &["solver.iterations=100", "solver.multiplier=tensor"],
        &["gauss_seidel, ", "`solver.multiplier` is given"],
    );

    let run =
        [&RUN[..], &["--frames", "1-2", "--set", "solver.scheme=auto", "--set", "solver.iterations=100"]]
            .concat();
    place.tuff(&run).expect(0, &[]);
    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    assert_eq!(manifest["scene"]["solver"]["scheme"], "newton_cg");
    assert_eq!(manifest["scene"]["solver"]["residual_tolerance"], 0.01);
    let reason = manifest["scheme_choice"].as_str().unwrap();
    assert!(reason.starts_with("sound crosses "), "{reason}");
    assert!(manifest["frames"][1]["report"]["residual"]["force"].as_f64().unwrap() <= 0.01, "{manifest}");
}

#[test]
fn the_first_frame_is_the_sampled_lattice() {
    let place = Place::with(SCENE);
    place.tuff(&[&RUN[..], &["--frames", "0001-0001", "--quiet"]].concat()).expect(0, &[]);
    let bytes = fs::read(place.path("out/cube/particles/cube.0001.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    for line in ["element vertex 64", "property float vx", "property uint id", "property uint material"] {
        assert!(header.contains(line), "{header}");
    }
    assert_eq!(bytes.len() - end, 64 * 32);
    let at = |particle: usize, word: usize| {
        let first = end + 32 * particle + 4 * word;
        f32::from_le_bytes(bytes[first..first + 4].try_into().unwrap())
    };
    let mut seen: Vec<[i64; 3]> =
        (0..64).map(|p| [0, 1, 2].map(|axis| (at(p, axis) / 0.0125).round() as i64)).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 64, "all lattice points differ");
    assert!(
        seen.iter().flatten().all(|c| [1, 3, 5, 7].contains(c)),
        "lattice points are cell centers: {seen:?}"
    );
}

/// A block of 4 x 4 x 4, summed by hand.
#[test]
fn packing_is_the_density_of_particles_over_that_at_rest() {
    let place = Place::changed("[output]", "[output]\nattributes = [\"packing\"]");
    place.tuff(&[&RUN[..], &["--frames", "1-1", "--quiet"]].concat()).expect(0, &[]);
    let bytes = fs::read(place.path("out/cube/particles/cube.0001.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    assert!(String::from_utf8_lossy(&bytes[..end]).contains("property float packing"));
    let rows: Vec<[f32; 4]> = bytes[end..]
        .chunks_exact(16)
        .map(|row| [0, 1, 2, 3].map(|i| f32::from_le_bytes(row[4 * i..4 * i + 4].try_into().unwrap())))
        .collect();
    assert_eq!(rows.len(), 64);
    let density = |p: &[f32; 4]| -> f64 {
        let apart = |b: &[f32; 4]| (0..3).map(|a| f64::from(p[a] - b[a]).powi(2)).sum::<f64>().sqrt();
        let near = |q: f64| (1.0 - 0.5 * q).max(0.0).powi(4) * (1.0 + 2.0 * q);
        rows.iter().map(|b| near(apart(b) / KERNEL_RADIUS)).sum()
    };
    let densest = rows.iter().max_by(|a, b| a[3].total_cmp(&b[3])).unwrap();
    // The body at rest is the denser half: the points inside and on faces.
    assert!((1.0..1.1).contains(&densest[3]), "{densest:?}");
    for row in &rows {
        let (wanted, got) = (density(row) / density(densest), f64::from(row[3] / densest[3]));
        assert!((wanted - got).abs() < 1e-5, "{row:?}: {wanted}");
    }
}

#[test]
fn two_runs_write_the_same_bytes() {
    let place = Place::with(SCENE);
    for out in ["a", "b"] {
        place.tuff(&[&RUN[..], &["--out", out, "--progress", "none"]].concat()).expect(0, &[]);
    }
    for folder in ["particles", "preview"] {
        for name in names(&place.path("a").join(folder)) {
            let read = |out: &str| fs::read(place.path(out).join(folder).join(&name)).unwrap();
            assert!(read("a") == read("b"), "{folder}/{name} differs");
        }
    }
}

#[test]
fn progress_goes_to_stderr_in_the_form_that_was_asked_for() {
    let place = Place::with(SCENE);
    let run = |extra: &[&str]| place.tuff(&[&RUN[..], &["--overwrite"], extra].concat());
    let json = run(&["--progress", "json"]);
    let events: Vec<Value> = json.stderr.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "frame", "frame", "frame", "end"]);
    assert!(events[2]["eta_seconds"].is_number() && events[4]["exit_code"] == 0, "{events:?}");
    let silent = run(&["--quiet"]);
    assert!(silent.stderr.is_empty() && silent.stdout.is_empty(), "{silent:?}");
    let verbose = run(&["--verbose"]);
    for words in ["force residual", "energies: kinetic ", " J, elastic ", " J, gravity "] {
        assert!(verbose.stderr.contains(words), "{words:?} is missing: {verbose:?}");
    }
    let bar = run(&["--progress", "bar"]);
    assert!(bar.stderr.contains("frame 0002 (2/3)"), "a bar without a terminal is lines: {bar:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_whole_frames_and_exits_75() {
    let place = Place::with(SCENE);
    let arguments = [&RUN[..], &["--frames", "1-100000", "--particles", "500"]].concat();
    let child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let second = place.path("out/cube/particles/cube.0002.ply");
    let start = Instant::now();
    while !second.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no second frame");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    Outcome::of(child.wait_with_output().unwrap()).expect(75, &["interrupted"]);

    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    assert_eq!(manifest["status"]["state"], "interrupted");
    let files = names(&place.path("out/cube/particles"));
    assert_eq!(files.len(), manifest["frames"].as_array().unwrap().len());
    let sizes: Vec<u64> =
        files.iter().map(|f| fs::metadata(place.path("out/cube/particles").join(f)).unwrap().len()).collect();
    // Headers differ in the digits of the frame and the time.
    assert!(sizes.iter().all(|s| s.abs_diff(sizes[0]) < 24), "{sizes:?}");
}

#[test]
fn baselines_run_and_refuse_what_they_lack() {
    let place = Place::with(SCENE);
    let mpm = ["run", "scene.toml", "--device", "mpm"];
    place.tuff(&mpm).expect(0, &["frame 0003 (3/3)"]);
    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    let report = &manifest["frames"][2]["report"];
    assert!(report["collider_impulse"][0][1].as_f64().unwrap() < 0.0, "the floor is pressed down: {report}");
    let grains = ["--set", "solver.matter=grains"];
    place
        .tuff(&[&mpm[..], &["--overwrite"], &grains].concat())
        .expect(2, &["mpm", "\"grains\" has no stress"]);
    place
        .tuff(&[&RUN[..], &["--overwrite"], &grains].concat())
        .expect(0, &["ignored: models and parameters of materials"]);
    let manifest: Value =
        serde_json::from_slice(&fs::read(place.path("out/cube/run.json")).unwrap()).unwrap();
    assert_eq!(manifest["scene"]["solver"]["matter"], "grains");
    assert_eq!(manifest["scene"]["solver"]["grain_friction"], 0.5);
    assert_eq!(manifest["frames"][2]["report"]["energies"]["elastic"], 0.0);

    let pin = "[[pin]]\nbody = \"cube\"\nregion = { sphere = { center = [0.0, 0.0, 0.0], radius = 0.05 } }\n";
    Place::changed("[output]", &format!("{pin}[output]")).tuff(&mpm).expect(2, &["mpm: pins"]);
    let foam = "model = \"viscoelastic\"\nbranch_shear_modulus = 1e5\nbranch_bulk_modulus = 1e5\nshear_relaxation_time = 1.0";
    let scene = SCENE.replace("model = \"drucker_prager\"", foam).replace("friction_angle = 35.0\n", "");
    Place::with(&scene).tuff(&mpm).expect(2, &["material `sand` works on whole tensors"]);
}
