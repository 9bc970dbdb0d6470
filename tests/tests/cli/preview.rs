//! Pictures of frames that are on disk.

use std::fs;

use crate::{Place, SCENE, names};

const RUN: [&str; 4] = ["run", "scene.toml", "--device", "reference"];

fn place() -> Place {
    let place = Place::with(&format!("{SCENE}attributes = [\"velocity\", \"material\", \"J\"]\n"));
    place.tuff(&RUN).expect(0, &[]);
    place
}

#[test]
fn what_a_run_drew_is_drawn_again_alike() {
    let camera = "height = 36, camera = { eye = [0.4, 0.3, 0.5], target = [0.05, 0.05, 0.05] } }";
    let scene = SCENE.replace("height = 36 }", camera);
    let place = Place::with(&format!("{scene}attributes = [\"velocity\", \"material\", \"J\"]\n"));
    place.tuff(&RUN).expect(0, &[]);
    let pictures = names(&place.path("out/cube/preview"));
    assert_eq!(pictures.len(), 3);
    place.tuff(&["preview", "out/cube", "--out", "again"]).stdout_says("again: 3 pictures");
    assert_eq!(names(&place.path("again")), pictures);
    // Positions are in single precision: an edge may fall on another sample.
    let pixels = |folder: &str| image(&fs::read(place.path(folder).join(&pictures[2])).unwrap());
    let (first, again) = (pixels("out/cube/preview"), pixels("again"));
    let differ = first.iter().zip(&again).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    assert!(first.len() == again.len() && differ < first.len() / 500, "{differ} of {}", first.len());
    let other = ["preview", "out/cube", "--attribute", "J", "--size", "64x36", "--camera", "1,1,1:0,0,0"];
    place.tuff(&[&other[..], &["--frames", "2-3", "--out", "other"]].concat()).stdout_says("2 pictures");
    assert_eq!(names(&place.path("other")), pictures[1..]);
    assert_eq!(image(&fs::read(place.path("other").join(&pictures[2])).unwrap()).len(), 3 * 64 * 36);
}

/// Matter moves sideways, which could not be expected.
#[test]
fn pictures_that_lack_matter_are_told_and_drawn_again_with_all_of_it() {
    let place = Place::with(&SCENE.replace("frames = [1, 3]", "frames = [1, 30]"));
    let aside = ["--set", "scene.gravity=[60,-10,0]"];
    let run = place.tuff(&[&RUN[..], &aside].concat());
    run.expect(0, &["do not show all matter", "tuff preview out/cube"]);
    place.tuff(&["preview", "out/cube", "--frames", "30-30"]).expect(0, &[]);
    // Warm, like the color of the first material.
    let drawn = image(&fs::read(place.path("out/cube/preview/cube.0030.png")).unwrap());
    assert!(drawn.chunks(3).any(|pixel| pixel[0] > pixel[2].saturating_add(50)));
    let still = place.tuff(&[&RUN[..], &["--overwrite"]].concat());
    assert!(still.code == 0 && !still.stderr.contains("all matter"), "{still:?}");
}

/// Returns the pixels of a PNG file.
fn image(png: &[u8]) -> Vec<u8> {
    image::load_from_memory(png).unwrap().to_rgb8().into_raw()
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = place();
    let preview = |arguments: &[&str]| place.tuff(&[&["preview"], arguments].concat());
    preview(&["nowhere"]).expect(2, &["nowhere", "run.json", "tuff run"]);
    preview(&["out/cube", "--attribute", "density"]).expect(2, &["no column `density`", "vx", "J"]);
    preview(&["out/cube", "--attribute", "sped"]).expect(2, &["\"sped\"", "velocity"]);
    preview(&["out/cube", "--frames", "7-9"]).expect(2, &["--frames", "1-3"]);
    preview(&["out/cube", "--camera", "1,2,3"]).expect(2, &["EYE:TARGET"]);
    preview(&["out/cube", "--size", "8"]).expect(2, &["WIDTHxHEIGHT"]);
    fs::rename(place.path("scene.toml"), place.path("moved.toml")).unwrap();
    preview(&["out/cube"]).expect(2, &["scene.toml", "--scene"]);
    preview(&["out/cube", "--scene", "moved.toml"]).stdout_says("3 pictures");
    let changed = fs::read_to_string(place.path("moved.toml")).unwrap() + "\n# changed\n";
    fs::write(place.path("moved.toml"), changed).unwrap();
    let warned = preview(&["out/cube", "--scene", "moved.toml"]);
    assert!(warned.code == 0 && warned.stderr.contains("has changed since the run"), "{warned:?}");
    let frame = place.path("out/cube/particles/cube.0002.ply");
    fs::write(&frame, &fs::read(&frame).unwrap()[..400]).unwrap();
    preview(&["out/cube", "--scene", "moved.toml"]).expect(2, &["cube.0002.ply", "damaged"]);
    fs::write(place.path("out/cube/run.json"), "{").unwrap();
    preview(&["out/cube"]).expect(2, &["run.json is damaged"]);
}

/// Without ffmpeg the pictures are drawn, and the missing movie is an error.
#[test]
fn a_movie_needs_ffmpeg() {
    let place = place();
    let mut command = place.command(&["preview", "out/cube", "--movie", "cube.mp4"]);
    let output = command.env("PATH", place.path("")).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("ffmpeg") && said.contains("out/cube/preview"), "{said}");
    assert!(!place.path("cube.mp4").exists());
}

#[test]
fn a_frame_says_what_its_numbers_mean() {
    let place = place();
    let frame = fs::read(place.path("out/cube/particles/cube.0002.ply")).unwrap();
    let header = String::from_utf8_lossy(&frame);
    for line in
        ["comment tuff frame 2 time ", "comment up y\n", "comment units m s kg\n", "comment material 0 "]
    {
        assert!(header.contains(line), "{line} is missing");
    }
}
