//! Faulty rigid bodies: every message names the file, the line, the key, the value and what is allowed.

use std::fs;

use tuff_tests::meshes::Triangles;

use crate::Place;

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
