//! `--device cpu`.

use std::fs;

use crate::{Place, SCENE};

/// Runs every shipped scene with few particles on 1, 2 and 4 threads and compares the bytes of the frames.
#[test]
fn frames_do_not_depend_on_the_number_of_threads() {
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/scenes");
    for scene in fs::read_dir(scenes).unwrap().map(|entry| entry.unwrap().path()) {
        let place = Place::with(SCENE);
        let name = scene.file_stem().unwrap().to_str().unwrap();
        let frame = |threads: &str| {
            let scene = scene.to_str().unwrap();
            let range = ["--frames", "1-2", "--particles", "300"];
            let mut command = place.command(&["run", scene, "--device", "cpu", "--out", threads, "--quiet"]);
            let outcome = command.args(range).env("RAYON_NUM_THREADS", threads).output().unwrap();
            assert!(outcome.status.success(), "{name}: {outcome:?}");
            let last = fs::read_dir(place.path(threads).join("particles")).unwrap();
            let last = last.map(|entry| entry.unwrap().path()).max().unwrap();
            fs::read(last).unwrap()
        };
        let one = frame("1");
        assert!(one == frame("2"), "{name} differs with 2 threads");
        assert!(one == frame("4"), "{name} differs with 4 threads");
    }
}
