//! Scenes with ropes: what they may leave out, and every way to get them wrong.

use std::fs;

use crate::{Place, names};

const ROPE: &str = r#"format = 1
[scene]
name = "line"
[time]
frames = [1, 2]
[[rope]]
name = "line"
points = [[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]
spacing = 0.05
radius = 0.01
linear_density = 0.1
stretch_stiffness = 1000.0
[[pin]]
body = "line"
vertices = [0, -1]
[output]
preview = false
"#;

#[test]
fn a_rope_alone_needs_neither_bodies_nor_materials_nor_a_solver() {
    let place = Place::with(ROPE);
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              9\n");
    place.tuff(&["run", "scene.toml", "--device", "reference", "--out", "out"]).expect(0, &[]);
    assert_eq!(names(&place.path("out/particles")).len(), 2);
    let run = fs::read_to_string(place.path("out/run.json")).unwrap();
    for part in ["\"stretch_stiffness\": 1000.0", "\"vertices\": [", "\"auto\""] {
        assert!(run.contains(part), "{part} is missing in run.json");
    }
}

/// Points that return to the first one: as many particles as segments, each with two neighbors.
#[test]
fn a_closed_polyline_is_a_loop() {
    let line = "[[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]";
    let ring = "[[0.0, 1.0, 0.0], [0.4, 1.0, 0.0], [0.4, 1.4, 0.0], [0.0, 1.0, 0.0]]";
    let place = Place::with(&ROPE.replace(line, ring).replace("spacing = 0.05", "spacing = 0.1"));
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              14\n");
    let there_and_back = "[[0.0, 1.0, 0.0], [0.4, 1.0, 0.0], [0.0, 1.0, 0.0]]";
    let place = Place::with(&ROPE.replace(line, there_and_back).replace("spacing = 0.05", "spacing = 0.4"));
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              3\n");
}

#[test]
fn what_is_wrong_with_a_rope_is_said() {
    for (from, to, words) in [
        (
            "points = [[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]",
            "points = [[0.0, 1.0, 0.0]]",
            ["fewer than two", "two"],
        ),
        ("points = [[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]", "", ["points", "mesh"]),
        (
            "points = [[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]",
            "points = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]",
            ["segment 0", "zero length"],
        ),
        ("spacing = 0.05", "spacing = 0.0", ["spacing", "greater than 0"]),
        ("spacing = 0.05", "spacing = 1e-9", ["particles", "at least"]),
        ("spacing = 0.05", "", ["spacing", "distance of the rope's particles"]),
        ("radius = 0.01", "radius = -1", ["radius", "-1"]),
        ("linear_density = 0.1", "density = 0.1", ["density", "linear_density"]),
        ("stretch_stiffness = 1000.0", "", ["stretch_stiffness", "EA"]),
        (
            "stretch_stiffness = 1000.0",
            "stretch_stiffness = 1e3\nbending_stiffness = -1.0",
            ["bending_stiffness", "-1"],
        ),
        (
            "stretch_stiffness = 1000.0",
            "stretch_stiffness = 1e3\nmesh = { file = \"a.obj\" }",
            ["points", "exclude"],
        ),
        ("vertices = [0, -1]", "vertices = [0, 9]", ["vertices", "at most 8"]),
        ("vertices = [0, -1]", "vertices = [0.5]", ["0.5", "not a whole number"]),
        (
            "vertices = [0, -1]",
            "vertices = [0]\nregion = { sphere = { center = [0, 1, 0], radius = 1.0 } }",
            ["region", "exclude"],
        ),
        ("vertices = [0, -1]", "vertices = []", ["vertices", "empty"]),
        ("body = \"line\"", "body = \"lime\"", ["lime", "line"]),
        (
            "[[pin]]",
            "[[rope]]\nname = \"line\"\npoints = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]\nspacing = 0.1\nradius = 0.1\nlinear_density = 1\nstretch_stiffness = 1\n[[pin]]",
            ["\"line\" is taken", "differ"],
        ),
        ("[[rope]]", "[solver]\nkernel_radius = 0.05\nmatter = \"grains\"\n[[rope]]", ["grains", "ropes"]),
    ] {
        assert!(ROPE.contains(from), "{from}");
        Place::with(&ROPE.replacen(from, to, 1)).tuff(&["check", "scene.toml"]).expect(2, &words);
    }
    Place::with(ROPE)
        .tuff(&["run", "scene.toml", "--device", "mpm", "--set", "time.max_substep=1e-3"])
        .expect(2, &["mpm", "ropes"]);
}

#[test]
fn a_bending_stiffness_beyond_that_of_a_solid_rope_is_doubted() {
    let stiff =
        ROPE.replace("stretch_stiffness = 1000.0", "stretch_stiffness = 1e3\nbending_stiffness = 1.0");
    Place::with(&stiff).tuff(&["check", "scene.toml"]).expect(0, &["bending_stiffness", "2.500e-2"]);
}

const BLOCK: &str = r#"[solver]
kernel_radius = 0.02
[[material]]
name = "jelly"
model = "elastic"
density = 1000.0
youngs_modulus = 1e5
poisson_ratio = 0.3
[[body]]
name = "block"
material = "jelly"
shape = { box = { min = [0.1, 1.05, -0.05], max = [0.2, 1.1, 0.05] } }
[[rope]]
"#;

#[test]
fn ropes_that_matter_passes_through_are_doubted() {
    let scene = ROPE.replace("[[rope]]\n", BLOCK);
    let wide = ["slip through", "`line`", "at most solver.kernel_radius"];
    Place::with(&scene).tuff(&["check", "scene.toml"]).expect(0, &wide);
    let near = scene.replace("spacing = 0.05", "spacing = 0.02");
    let none = ["check", "scene.toml", "--set", "solver.position_correction={kind=\"none\"}"];
    Place::with(&near).tuff(&none).expect(0, &["`line`", "does not touch", "distance"]);
    let touching = Place::with(&near).tuff(&["check", "scene.toml"]);
    touching.expect(0, &[]);
    assert!(!touching.stderr.contains("`line`"), "{}", touching.stderr);
}

/// With adaptive steps, no particle of a falling rope travels farther than half a kernel radius in one substep; otherwise it would jump
/// through obstacles.
#[test]
fn a_falling_rope_bounds_the_substeps() {
    let pin = "[[pin]]\nbody = \"line\"\nvertices = [0, -1]\n";
    let place = Place::with(&ROPE.replace(pin, "").replace("frames = [1, 2]", "frames = [1, 13]"));
    place.tuff(&["run", "scene.toml", "--device", "reference", "--out", "out"]).expect(0, &[]);
    let run: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
    let report = &run["frames"].as_array().unwrap().last().unwrap()["report"];
    // After half a second it falls at 4.9 m/s; r is the spacing.
    let needed = 4.9 / 24.0 / (0.5 * 0.05);
    assert!(report["substeps"].as_f64().unwrap() > 0.9 * needed, "{report}");
}

#[test]
fn lines_of_a_file_become_ropes() {
    let file = ROPE
        .replace("points = [[0.0, 1.0, 0.0], [0.4, 1.0, 0.0]]", "mesh = { file = \"line.obj\", scale = 0.1 }")
        .replace("spacing = 0.05\n", "");
    let place = Place::with(&file.replace("[[rope]]", "[solver]\nkernel_radius = 0.1\n[[rope]]"));
    place.tuff(&["check", "scene.toml"]).expect(2, &["line.obj", "no file"]);
    fs::write(place.path("line.obj"), "v 9 9 9\nv 0 1 0\nv 1 1 0\nv 2 1 1\nl 2 3 4\n").unwrap();
    place.tuff(&["check", "scene.toml"]).stdout_says("particles              3\n");
    fs::write(place.path("line.obj"), "v 0 1 0\nv 1 1 0\nv 2 1 1\nf 1 2 3\n").unwrap();
    place.tuff(&["check", "scene.toml"]).expect(2, &["no lines"]);
}
