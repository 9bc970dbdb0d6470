//! The scenes of the paper's Table 2 at its own sizes, which no test runs.

use std::fs;
use std::path::Path;

use crate::{Place, SCENE};

/// Loads each with few particles, and looks for it in the table of `configs/README.md`.
#[test]
fn scenes_of_the_paper_are_valid_and_listed() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let readme = fs::read_to_string(configs.join("README.md")).unwrap();
    let place = Place::with(SCENE);
    for scene in fs::read_dir(configs.join("scenes/paper")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = scene.file_stem().unwrap().to_str().unwrap();
        assert!(readme.contains(&format!("(scenes/paper/{name}.toml)")), "{name} is not listed");
        let scene = scene.to_str().unwrap();
        let check = place.tuff(&["check", scene, "--particles", "2000", "--device", "cpu"]);
        check.stdout_says(&format!("{name}.toml is valid"));
    }
}
