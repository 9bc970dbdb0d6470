//! `--device cpu`.

use std::fs;

use crate::{Place, SCENE};

/// Returns the last frame of a scene on this number of threads.
fn frame(place: &Place, scene: &str, threads: &str, settings: &[&str]) -> Vec<u8> {
    let mut command =
        place.command(&["run", scene, "--device", "cpu", "--out", threads, "--quiet", "--overwrite"]);
    let outcome = command.args(settings).env("RAYON_NUM_THREADS", threads).output().unwrap();
    assert!(outcome.status.success(), "{scene} {settings:?}: {outcome:?}");
    let last = fs::read_dir(place.path(threads).join("particles")).unwrap();
    let last = last.map(|entry| entry.unwrap().path()).max().unwrap();
    fs::read(last).unwrap()
}

/// Sweeps of so many particles that a color has cells for several threads, and sums that have several blocks.
#[test]
fn sweeps_do_not_depend_on_the_number_of_threads() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/scenes/sand_column.toml");
    let place = Place::with(SCENE);
    let short = ["--frames", "1-2", "--particles", "4000", "--set", "time.frame_rate=500"];
    let step = ["--set", "time.max_substep=1e-3", "--set", "solver.iterations=4"];
    for scheme in ["scheme=\"gauss_seidel\"", "scheme=\"jacobi\"", "matter=\"grains\""] {
        let scheme = format!("solver.{scheme}");
        let density = "solver.position_correction={ kind = \"density\" }";
        let more: &[&str] = if scheme.contains("gauss") { &["--set", density] } else { &[] };
        let settings = [&short[..], &step, &["--set", &scheme], more].concat();
        let one = frame(&place, scene, "1", &settings);
        assert!(one == frame(&place, scene, "2", &settings), "{scheme} differs with 2 threads");
        assert!(one == frame(&place, scene, "4", &settings), "{scheme} differs with 4 threads");
    }
}

/// Two bodies that keep their first neighbors and touch: contacts reach across the cells in which they started.
const TOTAL_BODIES: &str = r#"
format = 1
[scene]
name = "total"
[time]
frame_rate = 50.0
frames = [1, 2]
max_substep = 2e-4
[solver]
kernel_radius = 0.0125
iterations = 6
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "bar"
material = "jelly"
kinematics = "total"
shape = { box = { min = [0.0, 0.0, 0.0], max = [0.2, 0.04, 0.04] } }
sampling = { kind = "poisson_disk", spacing = 0.0125 }
angular_velocity = [0.0, 9.0, 3.0]
[[body]]
name = "rod"
material = "jelly"
kinematics = "total"
shape = { box = { min = [0.0, 0.042, 0.0], max = [0.2, 0.08, 0.05] } }
sampling = { kind = "lattice", spacing = 0.0125 }
velocity = [0.0, -0.6, 0.2]
"#;

#[test]
fn sweeps_of_total_bodies_do_not_depend_on_the_number_of_threads() {
    let place = Place::with(TOTAL_BODIES);
    for scheme in ["gauss_seidel", "jacobi"] {
        let scheme = format!("solver.scheme=\"{scheme}\"");
        let one = frame(&place, "scene.toml", "1", &["--set", &scheme]);
        for threads in ["2", "4", "2", "4"] {
            let more = frame(&place, "scene.toml", threads, &["--set", &scheme]);
            assert!(one == more, "{scheme} differs with {threads} threads");
        }
    }
}

/// Runs every shipped scene with few particles on 1, 2 and 4 threads and compares the bytes of the frames; not those of `paper`, which
/// take hundreds of substeps a frame.
#[test]
fn frames_do_not_depend_on_the_number_of_threads() {
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/scenes");
    let scenes = fs::read_dir(scenes).unwrap().map(|entry| entry.unwrap().path());
    for scene in scenes.filter(|path| path.is_file()) {
        let place = Place::with(SCENE);
        let name = scene.file_stem().unwrap().to_str().unwrap();
        let scene = scene.to_str().unwrap();
        let frame = |threads| frame(&place, scene, threads, &["--frames", "1-2", "--particles", "300"]);
        let one = frame("1");
        assert!(one == frame("2"), "{name} differs with 2 threads");
        assert!(one == frame("4"), "{name} differs with 4 threads");
    }
}
