//! Frames as other programs read them: VTK's and Pixar's own readers against our PLY files, number by number.
//!
//! The readers come from PyPI (`vtk`, `usd-core`, `numpy`): `cargo xtask test` installs them beside the build and passes their Python in
//! `TUFF_CLIENTS`. Without it the tests are ignored.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use tuff_tests::program::{Place, SCENE};

/// Every quantity, every format, every kind of collider, a rigid body; elastic, so that det F is J.
fn scene() -> String {
    let colliders = r#"
[[collider]]
name = "block"
shape = { box = { min = [0.5, 0.0, 0.0], max = [0.7, 0.1, 0.4] } }
[[collider]]
name = "ball"
shape = { sphere = { center = [0.0, 0.5, 0.0], radius = 0.1 } }
motion = { keyframes = [{ time = 0.0 }, { time = 0.02, translate = [0.2, 0.0, 0.0] }] }
[[collider]]
name = "pill"
shape = { capsule = { from = [1.0, 0.0, 0.0], to = [1.4, 0.0, 0.0], radius = 0.1 } }
[[collider]]
name = "can"
shape = { cylinder = { from = [2.0, 0.0, 0.0], to = [2.0, 0.3, 0.0], radius = 0.1 } }
[[collider]]
name = "bowl"
shape = { revolve = { from = [3.0, 0.0, 0.0], to = [3.0, 0.2, 0.0], profile = [[0.0, 0.0], [0.1, 0.0], [0.2, 0.2], [0.0, 0.2]] } }
[[rigid]]
name = "brick"
mass = 1.0
velocity = [10.0, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 78.53981633974483]
shape = { box = { min = [4.0, 1.0, 0.0], max = [4.4, 1.2, 0.2] } }
[output]
particles = ["ply", "vtk", "usd"]
attributes = ["velocity", "id", "material", "body", "J", "density", "strain", "stress", "pressure", "von_mises", "deformation"]
preview = { width = 64, height = 36, color_by = "von_mises", camera = { eye = [1.0, 0.6, 1.0], target = [0.0, 0.1, 0.0] } }
"#;
    let (before, _) = SCENE.split_once("[output]").unwrap();
    let elastic = before.replace("model = \"drucker_prager\"", "model = \"elastic\"");
    elastic.replace("friction_angle = 35.0\n", "") + colliders
}

fn readers_agree(python: &str) {
    let place = Place::with(&scene());
    place.tuff(&["run", "scene.toml", "--device", "reference"]).expect(0, &[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/compare.py");
    // At the end of the motion; walls are a segment's sagitta inside of the circle.
    let bounds = [
        "block=0.5,0.0,0.0,0.7,0.1,0.4",
        "ball=0.1,0.4,-0.1,0.3,0.6,0.1",
        "pill=0.9,-0.1,-0.1,1.5,0.1,0.1",
        "can=1.9,0.0,-0.1,2.1,0.3,0.1",
        "bowl=2.8,0.0,-0.2,3.2,0.2,0.2",
        // After ten substeps of 2 ms: turned by a quarter about its center, displaced by 0.2 m, fallen by g dt^2 (1 + 2 + ... + 10).
        "brick=4.3,0.8978418,0.0,4.5,1.2978418,0.2",
    ];
    let output = Command::new(python)
        .arg(script)
        .args([place.path("out/cube").to_str().unwrap(), "cube", "3"])
        .args(bounds)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("64 particles alike"), "{out}\n{err}");
}

fn main() -> ExitCode {
    let python = std::env::var("TUFF_CLIENTS").ok();
    let absent = python.is_none();
    if absent {
        eprintln!("no readers: TUFF_CLIENTS names no Python that has vtk, usd-core and numpy");
    }
    let python = python.unwrap_or_default();
    let test = Trial::test("readers_agree", move || {
        readers_agree(&python);
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![test.with_ignored_flag(absent)]).exit_code()
}
