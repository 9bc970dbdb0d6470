//! Faulty rigid bodies: every message names the file, the line, the key, the value and what is allowed.

use std::fs;

use tuff_tests::meshes::Triangles;

use crate::Place;

/// A ball above a floor; what is wrong takes the place of a line.
const BALL: &str = r#"format = 1
[scene]
name = "ball"
[time]
frames = [1, 2]
[solver]
kernel_radius = 0.01
[[rigid]]
name = "ball"
shape = { sphere = { center = [0.0, 0.1, 0.0], radius = 0.02 } }
density = 2500.0
friction = 0.5
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;

const DENSITY: &str = "density = 2500.0\n";

fn refused(from: &str, to: &str, words: &[&str]) {
    assert_eq!(BALL.matches(from).count(), 1, "{from}");
    let place = Place::with(&BALL.replace(from, to));
    fs::write(place.path("open.obj"), Triangles::sheet(0.1, 0.1, 1).obj()).unwrap();
    let outcome = place.tuff(&["check", "scene.toml"]);
    outcome.expect(2, words).expect(2, &["scene.toml:"]);
}

#[test]
fn numbers_out_of_range_are_named() {
    let beside = |line: &str| format!("{DENSITY}{line}\n");
    for (to, words) in [
        ("density = -1.0\n".to_owned(), ["`rigid.ball.density` = -1.0", "greater than 0", "scene.toml:11"]),
        ("mass = -1.0\n".to_owned(), ["`rigid.ball.mass` = -1.0", "at least 1e-18", "[kg]"]),
        ("mass = 1e300\n".to_owned(), ["`rigid.ball.mass` = 1", "at least 1e-18 and at most 1e18", "[kg]"]),
        (beside("mass = 1.0"), ["`density` and `mass` exclude", "give one", "scene.toml:12"]),
        (String::new(), ["has no `density`", "or `mass`", "[[rigid]]"]),
        (beside("restitution = 2.0"), ["`rigid.ball.restitution` = 2.0", "at least 0 and at most 1", "12"]),
        (beside("velocity = [nan, 0.0, 0.0]"), ["`rigid.ball.velocity.0` = nan", "finite number", "[m/s]"]),
        (
            beside("velocity = [1e30, 0.0, 0.0]"),
            ["rigid body `ball` starts at 1.000e30 m/s", "at most 1e6", "8"],
        ),
        (beside("angular_velocity = [0.0, 1e9, 0.0]"), ["starts at 2.000e7 m/s", "turning", "at most 1e6"]),
    ] {
        refused(DENSITY, &to, &words);
    }
    refused(
        "friction = 0.5",
        "friction = 11.0",
        &["`rigid.ball.friction` = 11.0", "at least 0 and at most 10"],
    );
}

#[test]
fn shapes_without_a_volume_are_named() {
    let shape = "shape = { sphere = { center = [0.0, 0.1, 0.0], radius = 0.02 } }";
    let cut = "shape = { sphere = { center = [0.0, 0.1, 0.0], radius = 0.02 }, subtract = [{ sphere = { center = [0.0, 0.1, 0.0], radius = 0.03 } }] }";
    for (to, words) in [
        ("shape = { mesh = { file = \"open.obj\" } }", ["`open.obj`", "flat", "encloses nothing"]),
        (cut, ["`rigid.ball.shape` has no volume", "leave some of the solid", "scene.toml:10"]),
        (
            "shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }",
            ["cannot be of kind `plane`", "`sphere`", "10"],
        ),
        ("", ["`rigid.ball` has no `shape`", "the solid", "scene.toml:8"]),
    ] {
        refused(shape, to, &words);
    }
}

#[test]
fn what_holds_and_moves_other_things_is_told_from_what_holds_rigid_bodies() {
    let pin = "[[pin]]\nbody = \"ball\"\nregion = { sphere = { center = [0, 0, 0], radius = 1.0 } }\n";
    let collider = "[[collider]]\n";
    let words = ["\"ball\" is a rigid body, and pins hold particles", "`hold`", "`motion`"];
    refused(collider, &format!("{pin}{collider}"), &words);
    let twice = refused_text(collider, &format!("{pin}{pin}{collider}"));
    assert_eq!(twice.matches("is a rigid body").count(), 2, "{twice}");
    let unknown = pin.replace("\"ball\"", "\"bal\"");
    let text = refused_text(collider, &format!("{unknown}{collider}"));
    assert!(
        text.contains("`pin.0.body` = \"bal\" is not known") && !text.contains("must be nothing"),
        "{text}"
    );
    let motion = format!("{DENSITY}motion = {{ keyframes = [{{ time = 0.0 }}] }}\n");
    refused(
        DENSITY,
        &motion,
        &["unknown key `rigid.ball.motion`", "a `[[collider]]` moves as its `motion` says"],
    );
    let material = format!("{DENSITY}material = \"steel\"\n");
    refused(DENSITY, &material, &["unknown key `rigid.ball.material`", "in place of a material"]);
    let joints = format!(
        "{DENSITY}hold = {{ ball = [0, 0, 0], hinge = {{ point = [0, 0, 0], axis = [0, 1, 0] }} }}\n"
    );
    refused(DENSITY, &joints, &["`ball` and `hinge` exclude each other", "scene.toml:12"]);
}

/// Returns the message about a scene.
fn refused_text(from: &str, to: &str) -> String {
    let outcome = Place::with(&BALL.replace(from, to)).tuff(&["check", "scene.toml"]);
    outcome.expect(2, &[]);
    outcome.stderr
}

#[test]
fn a_table_in_place_of_an_array_is_one_fault() {
    let text = refused_text("[[rigid]]", "[rigid]");
    assert!(text.contains("write `[[rigid]]`") && !text.contains("material"), "{text}");
}

#[test]
fn bodies_that_start_in_something_are_told() {
    let center = "center = [0.0, 0.1, 0.0]";
    let inside = ["rigid body `ball`", "starts in collider `floor`", "at most half of it", "scene.toml:8"];
    refused(center, "center = [0.0, -0.1, 0.0]", &inside);
    let twin = "[[rigid]]\nname = \"twin\"\nmass = 1.0\nshape = { sphere = { center = [0.0, 0.105, 0.0], radius = 0.02 } }\n";
    let words = ["rigid body `twin`", "starts in rigid body `ball`", "move one of them"];
    refused("[[collider]]\n", &format!("{twin}[[collider]]\n"), &words);
    let touching = Place::with(&BALL.replace(center, "center = [0.0, 0.012, 0.0]"));
    touching
        .tuff(&["check", "scene.toml"])
        .expect(0, &["warning", "starts in collider `floor`", "without gaining speed"]);
    let resting =
        Place::with(&BALL.replace(center, "center = [0.0, 0.02, 0.0]")).tuff(&["check", "scene.toml"]);
    assert!(resting.code == 0 && resting.stderr.is_empty(), "{resting:?}");
}

#[test]
fn a_cut_that_removes_nothing_is_told() {
    let body = |cut: &str| {
        let scene = crate::SCENE.replace(
            "max = [0.1, 0.1, 0.1] } }",
            &format!("max = [0.1, 0.1, 0.1] }}, subtract = [{cut}] }}"),
        );
        Place::with(&scene).tuff(&["check", "scene.toml"])
    };
    for idle in [
        "{ sphere = { center = [0.5, 0.0, 0.0], radius = 0.1 } }",
        "{ plane = { point = [0.0, -0.5, 0.0], normal = [0.0, 1.0, 0.0] } }",
    ] {
        body(idle).expect(0, &["warning", "`body.cube.shape.subtract.0` cuts nothing", "scene.toml:22"]);
    }
    let cut = body("{ sphere = { center = [0.0, 0.0, 0.0], radius = 0.04 } }");
    assert!(cut.code == 0 && !cut.stderr.contains("cuts nothing"), "{cut:?}");
}

#[test]
fn a_fault_of_an_emitter_is_told_once_and_by_its_kind() {
    let hose = |keys: &str| {
        let table = "[[emitter]]\nname = \"hose\"\nmaterial = \"sand\"\nshape = { box = { min = [0.0, 1.0, 0.0], max = [0.1, 1.1, 0.1] } }\n\
                     sampling = { kind = \"lattice\", spacing = 0.025 }\n";
        let scene = crate::SCENE.replace("[[collider]]\n", &format!("{table}{keys}\n[[collider]]\n"));
        let outcome = Place::with(&scene).tuff(&["check", "scene.toml"]);
        outcome.expect(2, &[]);
        outcome.stderr
    };
    let twice = hose("velocity = \"down\"");
    assert_eq!(twice.matches("`emitter.hose.velocity` must be an array").count(), 1, "{twice}");
    let cup = "velocity = [0.0, -1.0, 0.0]\n[[collider]]\nname = \"ball\"\nthickness = 0.2\n\
               shape = { sphere = { center = [0.05, 1.05, 0.05], radius = 0.01 } }";
    let text = hose(cup);
    assert!(text.contains("emitter `hose`: 64 of 64") && text.contains("this emitter"), "{text}");
    assert!(text.contains("collider `ball` and its `thickness` of 2e-1 m"), "{text}");
}

#[test]
fn a_number_sign_in_a_folder_does_not_count() {
    let place = Place::with(&crate::SCENE.replace(
        "shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }",
        "shape = { mesh_sequence = { files = \"floor.##.obj\" } }",
    ));
    let folder = place.path("take #2");
    fs::create_dir(&folder).unwrap();
    fs::rename(place.path("scene.toml"), folder.join("scene.toml")).unwrap();
    for number in 1..=2 {
        let text = Triangles::sheet(1.0, -0.01, 2).obj();
        fs::write(folder.join(format!("floor.{number:02}.obj")), text).unwrap();
    }
    place.tuff(&["check", "take #2/scene.toml"]).expect(0, &[]);
}
