//! Faulty rigid bodies: every message names the file, the line, the key, the value and what is allowed.

use std::fs;

use tuff_tests::meshes::Triangles;

use crate::Place;

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
