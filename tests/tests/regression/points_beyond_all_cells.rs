//! A file with a point so far away that its cell index overflows made the search for points that are too close panic (exit code 70).

use std::fs;

use tuff_tests::program::Place;

const SCENE: &str = r#"
format = 1
[scene]
name = "far"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.02
[[material]]
name = "sand"
preset = "dry_sand"
[[body]]
name = "grains"
material = "sand"
shape = { points = { file = "points.ply" } }
sampling = { kind = "lattice", spacing = 0.02 }
"#;

#[test]
fn are_refused() {
    for far in ["1e20 0 0", "0 -1e30 0", "0 0 1e37", "-1e19 1e19 1e19"] {
        let place = Place::with(SCENE);
        let head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
        fs::write(place.path("points.ply"), format!("{head}0 0 0\n0.1 0 0\n{far}\n")).unwrap();
        place.tuff(&["check", "scene.toml"]).expect(2, &["grains"]);
    }
}
