//! Two simultaneous runs into one folder both ended with 0, and their frames were mixed.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tuff_tests::program::{Place, SCENE};

const RUN: [&str; 7] = ["run", "scene.toml", "--device", "reference", "--frames", "1-100000", "--overwrite"];

/// Waits for `file` in the output folder.
fn wait_for(place: &Place, file: &str) {
    let path = place.path("out/cube").join(file);
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {file}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_second_is_refused_and_told_by_whom() {
    let place = Place::with(SCENE);
    let mut first = place.command(&RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&place, "particles/cube.0002.ply");
    let owner = format!("process {}", first.id());
    for arguments in [&RUN[..6], &RUN[..]] {
        place.tuff(arguments).expect(5, &["out/cube", "--out"]);
    }
    place.tuff(&RUN).expect(5, &["is in use", &owner]);
    // A killed run leaves its lock file behind, which locks nothing.
    first.kill().unwrap();
    first.wait().unwrap();
    let short = ["run", "scene.toml", "--device", "reference", "--overwrite"];
    place.tuff(&short).expect(0, &["3 frames"]);
    assert!(!place.path("out/cube/.tuff-lock").exists());
}
