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
