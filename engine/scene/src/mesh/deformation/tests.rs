//! Tests of sequences of files, and of scenes with meshes that deform.

use std::path::Path;

use glam::{DAffine3, DMat3, DVec3};

use super::*;
use crate::testing::{parse_in, text};
use crate::{Geometry, Scene};

/// An octahedron in a folder's file, stretched along y by a factor and moved.
fn write(folder: &Path, name: &str, stretch: f64, by: DVec3) {
    let vertices: String =
        corners(stretch, by).iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z)).collect();
    std::fs::write(folder.join(name), vertices + FACES).unwrap();
}

fn corners(stretch: f64, by: DVec3) -> [DVec3; 6] {
    let size = DVec3::new(1.0, stretch, 1.0);
    [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(|v| v * size + by)
}

const FACES: &str = "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

fn load(folder: &Path, files: &str, first: u64) -> Result<LoadedMesh, MeshFault> {
    let pattern = Pattern::parse(&folder.join(files)).unwrap();
    Mesh::load_sequence(&pattern, first, DAffine3::IDENTITY, 10.0)
}

fn refusal(folder: &Path, files: &str, first: u64) -> String {
    load(folder, files, first).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn every_file_is_a_knot() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)];
    for (number, by) in (9..).zip(steps) {
        write(folder.path(), &format!("drop.{number:02}.obj"), 1.0, by);
    }
    // Before the first one, and of other sequences.
    for name in [
        "drop.07.obj",
        "drop.9.obj",
        "drop.012.obj",
        "drop.+12.obj",
        "drop.1a.obj",
        "drop.12.stl",
        "dro.12.obj",
    ] {
        std::fs::write(folder.path().join(name), "nothing").unwrap();
    }
    let place = DAffine3::from_mat3_translation(DMat3::from_rotation_z(0.7) * 0.5, DVec3::new(0.0, 4.0, 0.0));
    let pattern = Pattern::parse(&folder.path().join("drop.##.obj")).unwrap();
    let loaded = Mesh::load_sequence(&pattern, 9, place, 10.0).unwrap();
    let deformation = loaded.mesh.deformation().unwrap();
    assert_eq!(deformation.last(), 2);
    assert_eq!(deformation.knot(0), loaded.mesh.vertices);
    assert!((loaded.center - DVec3::Y * 4.0).length() < 1e-15);
    for (time, by) in [
        (-1.0, steps[0]),
        (0.0, steps[0]),
        (0.05, DVec3::X * 0.5),
        (0.1, steps[1]),
        (0.175, DVec3::new(1.0, 0.75, 0.0)),
        (7.0, steps[2]),
    ] {
        let expected = corners(1.0, by).map(|corner| place.transform_point3(corner) - loaded.center);
        for (found, expected) in std::iter::zip(deformation.positions(time), expected) {
            assert!((found - expected).length() < 1e-7, "{time} s: {found}, not {expected}");
        }
    }
    assert_eq!(deformation.span(0.1), (1, 0.0));
    assert_eq!(deformation.span(0.2), (2, 0.0));
}

#[test]
fn one_file_is_a_sequence_too() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "10000.obj", 1.0, DVec3::ZERO);
    let loaded = load(folder.path(), "####.obj", 10_000).unwrap();
    let deformation = loaded.mesh.deformation().unwrap();
    assert_eq!((deformation.last(), deformation.span(3.0)), (0, (0, 0.0)));
    assert_eq!(deformation.positions(3.0), loaded.mesh.vertices);
}

/// STL files have no common vertices: those that coincide at time 0 are joined, others are not, wherever they go.
#[test]
fn vertices_are_welded_as_at_time_0() {
    let folder = tempfile::tempdir().unwrap();
    let stl = |name: &str, shift: f64| {
        let corner = |v: usize| corners(1.0, DVec3::ZERO)[v];
        let faces = FACES.split(['f', '\n']).filter(|face| !face.is_empty()).map(|face| {
            let corners: Vec<DVec3> =
                face.split_whitespace().map(|v| corner(v.parse::<usize>().unwrap() - 1)).collect();
            let moved = corners.iter().map(|v| *v + DVec3::Y * if v.y > 0.5 { shift } else { 0.0 });
            let lines: String = moved.map(|v| format!("vertex {} {} {}\n", v.x, v.y, v.z)).collect();
            format!("facet normal 0 0 1\nouter loop\n{lines}endloop\nendfacet\n")
        });
        let text = format!("solid a\n{}endsolid a\n", faces.collect::<String>());
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    stl("a1.stl", 0.0);
    stl("a2.stl", 2.0);
    // Here the highest corner lies on the lowest one.
    stl("a3.stl", -2.0);
    let loaded = load(folder.path(), "a#.stl", 1).unwrap();
    assert!(loaded.mesh.is_closed() && loaded.mesh.vertices.len() == 6);
    let deformation = loaded.mesh.deformation().unwrap();
    let top = loaded.mesh.vertices.iter().position(|v| *v == DVec3::Y).unwrap();
    assert_eq!([1, 2].map(|knot| deformation.knot(knot)[top].y), [3.0, -1.0]);
}

#[test]
fn files_must_be_numbered_without_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(
        refusal(at, "a.###.obj", 1)
            .starts_with("there is no file `a.001.obj`, and no other file of the sequence in")
    );
    assert!(refusal(&at.join("none"), "a.###.obj", 1).contains("folder `"));
    for number in [3, 4, 6] {
        write(at, &format!("a.{number:03}.obj"), 1.0, DVec3::ZERO);
    }
    for (first, message) in [
        (1, "there is no file `a.001.obj`; the numbers of the sequence go from 3 to 6, `first` is 1"),
        (7, "there is no file `a.007.obj`; the numbers of the sequence go from 3 to 6, `first` is 7"),
        (5, "there is no file `a.005.obj`; the numbers of the sequence go from 3 to 6, `first` is 5"),
        (3, "there is no file `a.005.obj` between `a.004.obj` and `a.006.obj`"),
    ] {
        assert_eq!(refusal(at, "a.###.obj", first), message);
    }
    assert_eq!(load(at, "a.###.obj", 6).unwrap().mesh.deformation().unwrap().last(), 0);
}

#[test]
fn files_must_have_the_same_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "a.1.obj", 1.0, DVec3::ZERO);
    write(at, "a.3.obj", 1.0, DVec3::ZERO);
    let whole = std::fs::read_to_string(at.join("a.1.obj")).unwrap();
    for (second, message) in [
        (format!("{whole}v 1 1 1\n"), "`a.2.obj`: it has 7 vertices, but the first file has 6"),
        (format!("{whole}f 1 2 3\n"), "`a.2.obj`: it has 9 triangles, but the first file has 8"),
        (
            whole.replace("f 2 4 5", "f 4 5 2"),
            "`a.2.obj`: triangle 2 joins the vertices [3, 4, 1], but in the first file [1, 3, 4]",
        ),
        (whole.replace("v 0 1 0", "v 0 x 0"), "`a.2.obj`: line 3, `v 0 x 0`: a vertex is"),
        (whole.replace("v 0 1 0", "v 0 1e31 0"), "`a.2.obj`: vertex 2 is 1.000e31 m from the origin"),
    ] {
        std::fs::write(at.join("a.2.obj"), second).unwrap();
        let found = refusal(at, "a.#.obj", 1);
        assert!(found.starts_with(message), "{found}");
    }
    std::fs::write(at.join("a.1.obj"), "v 0 0 0\n").unwrap();
    assert_eq!(refusal(at, "a.#.obj", 1), "`a.1.obj`: the mesh has no triangles");
    std::fs::remove_file(at.join("a.1.obj")).unwrap();
    std::fs::create_dir(at.join("a.1.obj")).unwrap();
    assert_eq!(refusal(at, "a.#.obj", 1), "`a.1.obj`: it is a folder");
}

#[test]
fn the_hash_covers_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let digest = |rate: f64| {
        let pattern = Pattern::parse(&folder.path().join("a.#.obj")).unwrap();
        let loaded = Mesh::load_sequence(&pattern, 1, DAffine3::IDENTITY, rate).unwrap();
        loaded.mesh.deformation().unwrap().digest()
    };
    (1..4).for_each(|number| write(folder.path(), &format!("a.{number}.obj"), 1.0, DVec3::ZERO));
    let whole = digest(24.0);
    assert_eq!(digest(24.0), whole);
    assert_ne!(digest(25.0), whole);
    write(folder.path(), "a.3.obj", 1.25, DVec3::ZERO);
    assert_ne!(digest(24.0), whole);
}

/// Loads a scene with a collider of this shape.
fn scene(folder: &Path, shape: &str, changes: &[&str]) -> Result<Scene, String> {
    let rest = format!("[[collider]]\nname = \"man\"\nshape = {shape}");
    let body = "{ box = { min = [0, 0, 0], max = [1, 1, 1] } }";
    let loaded = parse_in(folder, &text(body, "{}", &rest), changes);
    loaded.map(|loaded| loaded.scene).map_err(|error| error.to_string())
}

fn of(scene: &Scene) -> Arc<Deformation> {
    let Geometry::Mesh(mesh) = &scene.colliders[0].shape.geometry else { panic!("{scene:?}") };
    Arc::clone(mesh.deformation().unwrap())
}

/// A triangle that moves by 1 m in 1 s.
const MOVING: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
    "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    "animations": [{ "name": "slide", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
                     "samplers": [{ "input": 1, "output": 2 }] }],
    "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1] },
                  { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "byteOffset": 8 },
                  { "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3" }],
    "bufferViews": [{ "buffer": 0, "byteLength": 36 }], "buffers": [{ "uri": "man.bin", "byteLength": 36 }] }"#;

#[test]
fn scenes_have_meshes_that_deform() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for number in 1..=3 {
        write(at, &format!("a.{number:04}.obj"), f64::from(number), DVec3::ZERO);
    }
    std::fs::write(at.join("man.gltf"), MOVING).unwrap();
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    std::fs::write(at.join("man.bin"), corners.map(f32::to_le_bytes).concat()).unwrap();

    let sequence = r#"{ mesh_sequence = { files = "a.####.obj" } }"#;
    let whole = of(&scene(at, sequence, &[]).unwrap());
    assert_eq!((whole.last(), whole.span(1.5 / 24.0)), (2, (1, 0.5)));
    let slow = of(&scene(at, sequence, &["time.frame_rate=12"]).unwrap());
    assert_eq!(slow.span(1.5 / 12.0), (1, 0.5));
    let place = "scale = 0.5, rotate = [0, 0, 90], translate = [0, 3, 0]";
    let placed =
        format!(r#"{{ mesh_sequence = {{ files = "a.####.obj", first = 2, frame_rate = 8, {place} }} }}"#);
    let scene_of = scene(at, &placed, &[]).unwrap();
    let late = of(&scene_of);
    assert_eq!((late.last(), late.span(0.0625)), (1, (0, 0.5)));
    assert!((scene_of.colliders[0].shape.center - DVec3::Y * 3.0).length() < 1e-12);
    assert!((late.knot(1)[2] - DVec3::NEG_X * 1.5).length() < 1e-12, "{}", late.knot(1)[2]);

    for animation in [r#""slide""#, "0"] {
        let shape = format!(r#"{{ mesh = {{ file = "man.gltf", animation = {animation} }} }}"#);
        let fast = of(&scene(at, &shape, &["time.frame_rate=30"]).unwrap());
        assert_eq!(fast.last(), 120, "a quarter of a frame");
        assert!((fast.positions(0.5)[0] - fast.knot(0)[0] - DVec3::X * 0.5).length() < 1e-12);
    }
}

#[test]
fn scenes_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for number in [1, 3] {
        write(at, &format!("a.{number:04}.obj"), 1.0, DVec3::ZERO);
    }
    std::fs::write(at.join("man.gltf"), MOVING).unwrap();
    std::fs::write(at.join("man.bin"), [0; 36]).unwrap();
    for (shape, parts) in [
        (
            r#"{ mesh = { file = "a.0001.obj", animation = 0 } }"#,
            ["collider.man.shape.mesh.animation", "`.obj` has no animations"],
        ),
        (
            r#"{ mesh = { file = "man.gltf", animation = "slid" } }"#,
            ["no animation \"slid\"", "the file has \"slide\" (0)"],
        ),
        (
            r#"{ mesh = { file = "man.gltf", animation = 1.5 } }"#,
            ["mesh.animation", "must be a string or an integer, not"],
        ),
        (r#"{ mesh = { file = "man.gltf", animation = -1 } }"#, ["mesh.animation", "= -1 is out of range"]),
        (r#"{ mesh = { file = "man.gltf", animation = "" } }"#, ["mesh.animation", "is empty"]),
        (
            r#"{ mesh = { file = "man.gltf", animation = 0 } }"#,
            ["man.gltf` cannot be used", "time 1 = 0 s is not later"],
        ),
        (r#"{ mesh_sequence = { files = "a.0001.obj" } }"#, ["mesh_sequence.files", "has no `#`"]),
        (
            r#"{ mesh_sequence = { files = "a.##.##.obj" } }"#,
            ["mesh_sequence.files", "several groups of `#`"],
        ),
        (
            r#"{ mesh_sequence = { files = "a##/a.obj" } }"#,
            ["mesh_sequence.files", "not in that of a folder"],
        ),
        (r#"{ mesh_sequence = { first = 1 } }"#, ["`files`", "which is required"]),
        (
            r#"{ mesh_sequence = { files = "a.####.obj", first = -1 } }"#,
            ["mesh_sequence.first", "out of range"],
        ),
        (
            r#"{ mesh_sequence = { files = "a.####.obj", first = 3, frame_rate = 0 } }"#,
            ["mesh_sequence.frame_rate", "must be greater than 0"],
        ),
        (
            r#"{ mesh_sequence = { files = "a.####.obj" } }"#,
            ["a.####.obj` cannot be used", "no file `a.0002.obj` between"],
        ),
        (r#"{ mesh_sequence = { file = "a.####.obj" } }"#, ["unknown key", "did you mean `files`?"]),
        (
            r#"{ mesh_sequence = { files = "a.####.obj", first = 3 }, subtract = [{ sphere = { center = [0, 0, 0], radius = 1 } }] }"#,
            ["shape.subtract", "combine meshes there"],
        ),
    ] {
        let error = scene(at, shape, &[]).map(|_| ()).unwrap_err();
        assert!(parts.iter().all(|part| error.contains(part)), "{shape}: {error}");
    }
    for (shape, part) in [
        (
            r#"{ mesh = { file = "man.gltf", animation = 0 } }"#,
            "a body cannot be animated; only colliders can",
        ),
        (r#"{ mesh_sequence = { files = "a.####.obj" } }"#, "a body cannot be of kind `mesh_sequence`"),
    ] {
        let error = parse_in(at, &text(shape, "{}", ""), &[]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{shape}: {error}");
    }
}
