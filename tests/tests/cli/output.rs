//! Output that cannot be written: exit code 5, and nothing half-written.

use std::fs;

use crate::{Place, SCENE, names};

const RUN: [&str; 4] = ["run", "scene.toml", "--device", "reference"];

#[test]
fn a_folder_that_holds_frames_is_refused_unless_overwritten() {
    let place = Place::with(SCENE);
    place.tuff(&RUN).expect(0, &[]);
    let before = fs::read(place.path("out/cube/particles/cube.0003.ply")).unwrap();
    place.tuff(&RUN).expect(5, &["out/cube", "6 frame", "--overwrite", "--out"]);
    assert_eq!(fs::read(place.path("out/cube/particles/cube.0003.ply")).unwrap(), before);

    let shorter = [&RUN[..], &["--overwrite", "--frames", "1-2"]].concat();
    place.tuff(&shorter).expect(0, &[]);
    assert_eq!(names(&place.path("out/cube/particles")), ["cube.0001.ply", "cube.0002.ply"]);
    assert_eq!(names(&place.path("out/cube/preview")), ["cube.0001.png", "cube.0002.png"]);
}

#[test]
fn a_path_through_a_file_is_named() {
    let place = Place::with(SCENE);
    let run = [&RUN[..], &["--out", "scene.toml/run"]].concat();
    place.tuff(&run).expect(5, &["scene.toml/run", "--out"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_named() {
    let place = Place::with(SCENE);
    std::os::unix::fs::symlink("gone/away", place.path("link")).unwrap();
    let run = [&RUN[..], &["--out", "link/run"]].concat();
    let said = place.tuff(&run);
    said.expect(5, &["link is a link to something that does not exist", "--out"]);
    assert!(!said.stderr.contains("is a file"), "{said:?}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_leaves_no_half_file() {
    let place = Place::with(SCENE);
    fs::create_dir(place.path("full")).unwrap();
    // Writing to /dev/full fails like a full disk; the temporary name of a file points there.
    std::os::unix::fs::symlink("/dev/full", place.path("full/.tuff-partial-run.json")).unwrap();
    let run = [&RUN[..], &["--out", "full"]].concat();
    place.tuff(&run).expect(5, &["full/run.json", "No space left", "free some space"]);
    assert_eq!(names(&place.path("full")), ["particles", "preview"]);
    assert!(names(&place.path("full/particles")).is_empty());
}

#[test]
fn a_refused_scene_or_device_touches_no_frames() {
    let place = Place::with(SCENE);
    place.tuff(&RUN).expect(0, &[]);
    let before = names(&place.path("out/cube/particles"));
    let run = ["run", "scene.toml", "--overwrite", "--device", "no such device"];
    place.tuff(&run).expect(3, &[]);
    place
        .tuff(&["run", "scene.toml", "--overwrite", "--set", "solver.iterations=-1"])
        .expect(2, &["iterations"]);
    assert_eq!(names(&place.path("out/cube/particles")), before);
}

#[cfg(unix)]
#[test]
fn a_run_does_not_need_a_reader_of_its_messages() {
    let place = Place::with(SCENE);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = place.command(&RUN).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(0), "{status}");
}
