//! Filling an open mesh with Poisson disks took minutes, or never ended: where the winding number is near one half throughout a volume,
//! the number of cells to examine grew eightfold with every halving.

use std::fmt::Write as _;
use std::fs;

use tuff_tests::program::Place;

const SCENE: &str = r#"
format = 1
[scene]
name = "open"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.1
[[material]]
name = "sand"
preset = "dry_sand"
[[body]]
name = "heap"
material = "sand"
shape = { mesh = { file = "open.obj" } }
sampling = { kind = "poisson_disk", spacing = 0.1 }
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, -2.0, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;

fn check(obj: &str) {
    let place = Place::with(SCENE);
    fs::write(place.path("open.obj"), obj).unwrap();
    let outcome = place.tuff(&["check", "scene.toml"]);
    outcome.stdout_says("scene.toml is valid");
    assert!(outcome.stderr.contains("not closed"), "{outcome:?}");
}

#[test]
fn a_fan() {
    let mut obj = "v 0 0.3 0\n".to_owned();
    for i in 0..12 {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 12.0).sin_cos();
        let _ = writeln!(obj, "v {cos} {} {sin}\nf 1 {} {}", 0.1 * f64::from(i % 2), 2 + (i + 1) % 12, 2 + i);
    }
    check(&obj);
}

#[test]
fn triangles_at_random() {
    let mut state = 3_u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let mut obj = String::new();
    for i in 0..300 {
        for _ in 0..3 {
            let _ = writeln!(obj, "v {} {} {}", draw(), draw(), draw());
        }
        let _ = writeln!(obj, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    check(&obj);
}
