//! Tests on files built here: skins, morph targets and nodes with known positions, and every way in which a file can be wrong.

use std::path::Path;

use glam::{DAffine3, DMat3, DVec3};
use serde_json::{Value, json};

use super::Clip;
use crate::mesh::{Deformation, LoadedMesh, Mesh, MeshFault};

/// Frames per second of the scene.
const FRAME_RATE: f64 = 24.0;

/// A binary glTF file.
#[derive(Clone)]
struct Glb {
    root: Value,
    bytes: Vec<u8>,
}

impl Glb {
    fn new(root: Value) -> Self {
        let mut glb = Self { root, bytes: Vec::new() };
        glb.root["asset"] = json!({ "version": "2.0" });
        glb.root["scene"] = json!(0);
        glb.root["accessors"] = json!([]);
        glb.root["bufferViews"] = json!([]);
        glb
    }

    /// Adds bytes; returns the index of their view.
    fn view(&mut self, bytes: &[u8]) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let views = self.root["bufferViews"].as_array_mut().unwrap();
        views.push(view);
        views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.root["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    /// Adds floats as elements of a kind; returns the index of their accessor.
    fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let view = self.view(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (count, low, high) = (values.len() / width, [-9.0; 3], [9.0; 3]);
        self.accessor(json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind,
                              "min": low, "max": high }))
    }

    fn indices(&mut self, triangles: &[[u16; 3]]) -> usize {
        let view = self.view(&triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        self.accessor(json!({ "bufferView": view, "componentType": 5123, "count": 3 * triangles.len(), "type": "SCALAR" }))
    }

    /// Replaces a number of an accessor of floats.
    fn poke(&mut self, accessor: usize, element: usize, value: f32) {
        let view = self.root["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        let first = self.root["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        self.bytes[first + 4 * element..][..4].copy_from_slice(&value.to_le_bytes());
    }

    fn write(mut self, path: &Path) {
        self.root["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = self.root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let mut file = [b"glTF".as_slice(), &word(2), &word(28 + text.len() + self.bytes.len())].concat();
        file.extend([word(text.len()).as_slice(), b"JSON", &text].concat());
        file.extend([word(self.bytes.len()).as_slice(), b"BIN\0", &self.bytes].concat());
        std::fs::write(path, file).unwrap();
    }

    fn load(self, clip: &Clip, place: DAffine3) -> Result<LoadedMesh, MeshFault> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("man.glb");
        self.write(&path);
        Mesh::load_animation(&path, clip, place, FRAME_RATE)
    }
}

fn named(name: &str) -> Clip {
    Clip::Name(name.to_owned())
}

/// Accessors of [`bone`].
const JOINTS: usize = 2;
const WEIGHTS: usize = 3;
const INVERSES: usize = 4;
const TIMES: usize = 5;
const ROTATIONS: usize = 6;

/// Half the thickness of [`bone`].
const HALF: f64 = 0.125;

/// Rings of a column of square cross section, at heights 0, 1 and 2.
fn rings() -> Vec<DVec3> {
    let corners = [[-HALF, -HALF], [HALF, -HALF], [HALF, HALF], [-HALF, HALF]];
    (0..3).flat_map(|y| corners.map(|[x, z]| DVec3::new(x, f64::from(y), z))).collect()
}

/// A column on two joints, at heights 0 and 1, of which the upper one turns by a right angle about z between 0.5 s and 1.5 s. The lowest
/// ring belongs to the lower joint, the highest one to the upper joint, the one between them to both. Vertex 0 is in no triangle, and
/// the last vertex doubles another one.
fn bone() -> Glb {
    let mut glb = Glb::new(json!({
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0, "translation": [5, 5, 5] },
                  { "children": [2] }, { "translation": [0, 1, 0] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": INVERSES }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS },
                                      "indices": 1 }] }],
        "animations": [{ "name": "rest", "channels": [], "samplers": [] },
                       { "name": "bend", "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
                         "samplers": [{ "input": TIMES, "output": ROTATIONS }] }],
    }));
    let mut vertices = vec![DVec3::splat(7.0)];
    vertices.extend(rings());
    vertices.push(rings()[0]);
    let sides = (0..2_u16).flat_map(|ring| {
        (0..4_u16).flat_map(move |k| {
            let [a, b] = [k, (k + 1) % 4].map(|k| 1 + 4 * ring + k);
            [[a, a + 4, b], [b, a + 4, b + 4]]
        })
    });
    let triangles: Vec<[u16; 3]> =
        [[13, 2, 3], [1, 3, 4], [9, 11, 10], [9, 12, 11]].into_iter().chain(sides).collect();
    let flat: Vec<f32> = vertices.iter().flat_map(|v| v.as_vec3().to_array()).collect();
    glb.floats("VEC3", &flat);
    glb.indices(&triangles);
    let joints = glb.view(&[[0_u8, 1, 0, 0]; 14].concat());
    glb.accessor(json!({ "bufferView": joints, "componentType": 5121, "count": 14, "type": "VEC4" }));
    // They do not sum to 1.
    let weights: Vec<f32> = (vertices.iter())
        .flat_map(|v| match v.y {
            0.0 => [1.0, 0.0, 0.0, 0.0],
            1.0 => [3.0, 3.0, 0.0, 0.0],
            _ => [0.0, 0.5, 0.0, 0.0],
        })
        .collect();
    glb.floats("VEC4", &weights);
    let mut inverses = [0.0; 32];
    (0..8).for_each(|i| inverses[i / 4 * 16 + i % 4 * 5] = 1.0);
    inverses[16 + 13] = -1.0;
    glb.floats("MAT4", &inverses);
    glb.floats("SCALAR", &[0.5, 1.5]);
    let turn = std::f32::consts::FRAC_1_SQRT_2;
    // The second quaternion stands for the same rotation as its negative; the way there is the shorter one.
    glb.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -turn, -turn]);
    glb
}

/// The rings of [`bone`] with the upper joint turned by an angle.
fn bent(angle: f64) -> Vec<DVec3> {
    let turn = DMat3::from_rotation_z(angle);
    let place = |p: DVec3| {
        let upper = turn * (p - DVec3::Y) + DVec3::Y;
        if p.y == 0.0 {
            p
        } else if p.y == 1.0 {
            (p + upper) / 2.0
        } else {
            upper
        }
    };
    rings().into_iter().map(place).collect()
}

fn assert_close(found: &[DVec3], expected: &[DVec3], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (vertex, (found, expected)) in std::iter::zip(found, expected).enumerate() {
        assert!((found - expected).length() < 2e-7, "{what}: vertex {vertex}: {found}, not {expected}");
    }
}

/// Returns the positions in the scene.
fn placed(loaded: &LoadedMesh, time: f64) -> Vec<DVec3> {
    deformation(loaded).positions(time).into_iter().map(|p| p + loaded.center).collect()
}

fn deformation(loaded: &LoadedMesh) -> &Deformation {
    loaded.mesh.deformation().unwrap()
}

#[test]
fn a_skin_follows_its_joints() {
    let turn = DMat3::from_rotation_x(0.5);
    let place = DAffine3::from_mat3_translation(turn * 2.0, DVec3::new(1.0, 2.0, 3.0));
    for clip in [named("bend"), Clip::Index(1)] {
        let loaded = bone().load(&clip, place).unwrap();
        assert!(loaded.mesh.is_closed() && loaded.notes.is_empty(), "{:?}", loaded.notes);
        assert_eq!(deformation(&loaded).last(), 144);
        // Knots are at multiples of 1 / 96 s.
        let quarter = std::f64::consts::FRAC_PI_2;
        for (time, angle) in [
            (-3.0, 0.0),
            (0.0, 0.0),
            (0.5, 0.0),
            (1.0, quarter / 2.0),
            (1.25, 0.75 * quarter),
            (9.0, quarter),
        ] {
            let expected: Vec<DVec3> = bent(angle).into_iter().map(|p| place.transform_point3(p)).collect();
            assert_close(&placed(&loaded, time), &expected, &format!("{time} s"));
        }
        assert_eq!(deformation(&loaded).knot(0), loaded.mesh.vertices);
    }
}

#[test]
fn vertices_go_straight_from_knot_to_knot() {
    let loaded = bone().load(&named("bend"), DAffine3::IDENTITY).unwrap();
    let deformation = deformation(&loaded);
    assert_eq!(deformation.span(-1.0), (0, 0.0));
    assert_eq!(deformation.span(f64::NAN), (0, 0.0));
    assert_eq!(deformation.span(1.5), (144, 0.0));
    assert_eq!(deformation.span(1e300), (144, 0.0));
    let (knot, part) = deformation.span(100.25 / 96.0);
    assert!(knot == 100 && (part - 0.25).abs() < 1e-9, "{knot} {part}");
    let [a, b] = [100, 101].map(|knot| deformation.knot(knot));
    let expected: Vec<DVec3> = std::iter::zip(a, b).map(|(a, b)| a.lerp(b, 0.25)).collect();
    assert_close(&deformation.positions(100.25 / 96.0), &expected, "a quarter of the way");
    assert_eq!(deformation.knot(999), deformation.knot(144));
    assert!((deformation.time(144) - 1.5).abs() < 1e-15);
}

#[test]
fn eight_joints_may_move_a_vertex() {
    let mut glb = bone();
    let attributes = json!({ "POSITION": 0, "JOINTS_0": JOINTS, "WEIGHTS_0": WEIGHTS, "JOINTS_1": JOINTS, "WEIGHTS_1": 7 });
    glb.root["meshes"][0]["primitives"][0]["attributes"] = attributes;
    // The highest ring belongs to both joints by its second set.
    let weights: Vec<u8> =
        (0..14).flat_map(|v| if (9..13).contains(&v) { [255, 127, 0, 0] } else { [0; 4] }).collect();
    let view = glb.view(&weights);
    glb.accessor(
        json!({ "bufferView": view, "componentType": 5121, "count": 14, "type": "VEC4", "normalized": true }),
    );
    let loaded = glb.load(&named("bend"), DAffine3::IDENTITY).unwrap();
    let (low, high) = (1.0, 0.5 + 127.0 / 255.0);
    let turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let vertex = rings()[9];
    let expected = (low * vertex + high * (turn * (vertex - DVec3::Y) + DVec3::Y)) / (low + high);
    assert_close(&placed(&loaded, 2.0)[9..10], &[expected], "the highest ring");
}

/// A tetrahedron.
const CORNERS: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn corners() -> [DVec3; 4] {
    [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]
}

fn tetrahedron(root: Value) -> Glb {
    let mut glb = Glb::new(root);
    glb.floats("VEC3", &CORNERS);
    glb.indices(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    glb
}

/// Three instances of a mesh with two morph targets, of which one is sparse: one with the weights of the mesh, one whose weights move, one
/// with its own weights.
fn morph() -> Glb {
    let mut glb = tetrahedron(json!({
        "scenes": [{ "nodes": [1, 0, 2] }],
        "nodes": [{ "mesh": 0, "weights": [0.25, 0.5], "translation": [3, 0, 0] },
                  { "mesh": 0, "translation": [-3, 0, 0] },
                  { "mesh": 0, "translation": [6, 0, 0], "weights": [0.5, 0.75] }],
        "meshes": [{ "weights": [0.0, 1.0], "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1,
                     "targets": [{ "POSITION": 2 }, { "POSITION": 3 }] }] }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
                         "samplers": [{ "input": 4, "output": 5, "interpolation": "LINEAR" }] }],
    }));
    glb.floats("VEC3", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let index = glb.view(&[3, 0]);
    let value = glb.view(&[0.0, 0.0, 4.0].map(f32::to_le_bytes).concat());
    let sparse = json!({ "count": 1, "indices": { "bufferView": index, "componentType": 5121 }, "values": { "bufferView": value } });
    glb.accessor(json!({ "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse }));
    glb.floats("SCALAR", &[0.0, 1.0, 2.0]);
    let view = glb.view(&[0, 0, 255, 51, 0, 0]);
    glb.accessor(json!({ "bufferView": view, "componentType": 5121, "count": 6, "type": "SCALAR", "normalized": true }));
    glb
}

#[test]
fn morph_targets_add_up() {
    let loaded = morph().load(&Clip::Index(0), DAffine3::IDENTITY).unwrap();
    assert!(loaded.mesh.is_closed());
    assert_eq!(deformation(&loaded).last(), 192);
    for (time, [first, second]) in
        [(0.0, [0.0, 0.0]), (0.5, [0.5, 0.1]), (1.0, [1.0, 0.2]), (1.75, [0.25, 0.05])]
    {
        let of = |at: f64, first: f64, second: f64| {
            let moved = [DVec3::ZERO, DVec3::X * 2.0 * first, DVec3::ZERO, DVec3::Z * 4.0 * second];
            std::iter::zip(corners(), moved).map(move |(corner, by)| corner + by + DVec3::X * at)
        };
        let expected: Vec<DVec3> =
            of(-3.0, 0.0, 1.0).chain(of(3.0, first, second)).chain(of(6.0, 0.5, 0.75)).collect();
        assert_close(&placed(&loaded, time), &expected, &format!("{time} s"));
    }
}

/// A tetrahedron on a node whose place goes along a spline while its size jumps, below one that turns along a spline, below a matrix.
fn hierarchy() -> Glb {
    let mut glb = tetrahedron(json!({
        "scenes": [{ "nodes": [2] }],
        "nodes": [{ "mesh": 0, "scale": [9, 9, 9] }, { "children": [0] },
                  { "children": [1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 10, 1] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "animations": [{ "name": "move",
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } },
                         { "sampler": 1, "target": { "node": 0, "path": "scale" } },
                         { "sampler": 2, "target": { "node": 1, "path": "rotation" } }],
            "samplers": [{ "input": 2, "output": 3, "interpolation": "CUBICSPLINE" },
                         { "input": 4, "output": 5, "interpolation": "STEP" },
                         { "input": 6, "output": 7, "interpolation": "CUBICSPLINE" }] }],
    }));
    glb.floats("SCALAR", &[0.0, 2.0]);
    // Slope, value, slope of two keys.
    glb.floats(
        "VEC3",
        &[9.0, 9.0, 9.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -3.0, 0.0, 4.0, 0.0, 0.0, 9.0, 9.0, 9.0],
    );
    glb.floats("SCALAR", &[0.25, 1.0]);
    glb.floats("VEC3", &[1.0, 1.0, 1.0, 2.0, 3.0, 4.0]);
    glb.floats("SCALAR", &[0.0, 1.0]);
    let zero = [0.0; 4];
    let rows = [zero, [0.0, 0.0, 0.0, 1.0], zero, zero, [0.0, 0.0, 1.0, 0.0], zero];
    glb.floats("VEC4", rows.as_flattened());
    glb
}

#[test]
fn nodes_move_along_splines_and_in_steps() {
    let loaded = hierarchy().load(&named("move"), DAffine3::IDENTITY).unwrap();
    // Hermite: 4 (3 s^2 - 2 s^3) + 2 (s^3 - 2 s^2 + s) along x and -6 (s^3 - s^2) along y, s = t / 2; the quaternion goes from (0, 1) to
    // (1, 0) in proportion to (3 t^2 - 2 t^3).
    for time in [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 5.0] {
        let s = f64::min(time / 2.0, 1.0);
        let (s2, s3) = (s * s, s * s * s);
        let at = DVec3::new(4.0 * (3.0 * s2 - 2.0 * s3) + 2.0 * (s3 - 2.0 * s2 + s), -6.0 * (s3 - s2), 0.0);
        let scale = if time < 1.0 { DVec3::ONE } else { DVec3::new(2.0, 3.0, 4.0) };
        let t = f64::min(time, 1.0);
        let part = 3.0 * t * t - 2.0 * t * t * t;
        let turn = DMat3::from_rotation_z(2.0 * f64::atan2(part, 1.0 - part));
        let expected = corners().map(|corner| turn * (scale * corner + at) + DVec3::Z * 10.0);
        assert_close(&placed(&loaded, time), &expected, &format!("{time} s"));
    }
    // The jump is a ramp between two knots.
    let between = placed(&loaded, 95.5 / 96.0);
    assert!((between[3].z - between[0].z - 2.5).abs() < 1e-9, "{between:?}");
}

/// A mirrored node turns its triangles; so does a mirrored joint.
#[test]
fn mirrored_meshes_face_outward() {
    let mut node = hierarchy();
    node.root["nodes"][2] = json!({ "children": [1], "scale": [-1, 1, 1] });
    let mut joint = bone();
    joint.root["nodes"][1] = json!({ "children": [2], "scale": [-1, 1, 1] });
    for (glb, clip) in [(node, "move"), (joint, "bend")] {
        let loaded = glb.load(&named(clip), DAffine3::IDENTITY).unwrap();
        assert!(loaded.notes.is_empty() && loaded.mesh.enclosed().is_some(), "{clip}: {:?}", loaded.notes);
    }
}

#[test]
fn the_hash_knows_the_files_and_the_knots() {
    let digest = |glb: Glb, clip: &str, rate: f64| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("man.glb");
        glb.write(&path);
        let loaded = Mesh::load_animation(&path, &named(clip), DAffine3::IDENTITY, rate).unwrap();
        deformation(&loaded).digest()
    };
    let whole = digest(bone(), "bend", 24.0);
    assert_eq!(digest(bone(), "bend", 24.0), whole);
    let mut other = bone();
    other.poke(TIMES, 1, 1.75);
    let others = [digest(other, "bend", 24.0), digest(bone(), "rest", 24.0), digest(bone(), "bend", 25.0)];
    assert!(!others.contains(&whole));
}

#[test]
fn animations_are_chosen_by_name_or_number() {
    let fault = |glb: Glb, clip: Clip| glb.load(&clip, DAffine3::IDENTITY).map(|_| ()).unwrap_err();
    let rest = bone().load(&named("rest"), DAffine3::IDENTITY).unwrap();
    assert_eq!((deformation(&rest).last(), placed(&rest, 7.0)), (0, placed(&rest, 0.0)));
    let missing = |message: &str| MeshFault::NoAnimation(message.to_owned());
    let has = r#"; the file has "rest" (0), "bend" (1)"#;
    assert_eq!(fault(bone(), named("walk")), missing(&format!("there is no animation \"walk\"{has}")));
    assert_eq!(fault(bone(), Clip::Index(2)), missing(&format!("there is no animation 2{has}")));
    assert_eq!(fault(morph(), named("walk")), missing("there is no animation \"walk\"; the file has 0"));
    let mut none = bone();
    none.root["animations"] = json!([]);
    assert_eq!(fault(none, Clip::Index(0)), missing("there is no animation 0: the file has none"));
    let mut two = bone();
    two.root["animations"][0]["name"] = json!("bend");
    let message = r#"several animations are named "bend"; use a number: "bend" (0), "bend" (1)"#;
    assert_eq!(fault(two, named("bend")), missing(message));
}

/// The skin is ignored without `animation`.
#[test]
fn a_skinned_mesh_at_rest_is_as_its_node_places_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man.glb");
    bone().write(&path);
    let loaded = Mesh::load(&path, DMat3::IDENTITY, DVec3::ZERO, true).unwrap();
    assert_eq!(loaded.center, DVec3::new(5.0, 6.0, 5.0));
    assert!(loaded.mesh.deformation().is_none());
}

/// A change to a file.
type Change = fn(&mut Glb);

fn refused(whole: fn() -> Glb, clip: &Clip, cases: &[(Change, &str)]) {
    whole().load(clip, DAffine3::IDENTITY).unwrap();
    for (change, part) in cases {
        let mut glb = whole();
        change(&mut glb);
        let error = glb.load(clip, DAffine3::IDENTITY).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn skins_that_lie_are_refused() {
    fn attributes(glb: &mut Glb) -> &mut Value {
        &mut glb.root["meshes"][0]["primitives"][0]["attributes"]
    }
    let cases: [(Change, &str); 21] = [
        (|g| g.root["skins"][0]["joints"] = json!([]), "skin 0 has no joints"),
        (|g| g.root["skins"][0]["joints"] = json!([1, 2, 2]), "has 2 elements for 3 joints"),
        (
            |g| g.root["skins"][0]["inverseBindMatrices"] = json!(WEIGHTS),
            "inverseBindMatrices of skin 0: not MAT4",
        ),
        (|g| g.poke(INVERSES, 17, f32::NAN), "the inverse bind matrix of joint 1 of skin 0 is not finite"),
        (|g| attributes(g)["JOINTS_0"] = json!(WEIGHTS), "JOINTS_0 of mesh 0: not VEC4 of unsigned"),
        (|g| attributes(g)["WEIGHTS_0"] = json!(0), "WEIGHTS_0 of mesh 0: not VEC4 of floats"),
        (
            |g| *attributes(g) = json!({ "POSITION": 0, "WEIGHTS_0": WEIGHTS }),
            "a primitive of it has no JOINTS_0",
        ),
        (
            |g| *attributes(g) = json!({ "POSITION": 0, "JOINTS_0": JOINTS }),
            "a primitive of it has no WEIGHTS_0",
        ),
        (|g| attributes(g)["JOINTS_1"] = json!(JOINTS), "a primitive of it has no WEIGHTS_1"),
        (
            |g| g.root["accessors"][JOINTS]["count"] = json!(13),
            "JOINTS_0 of mesh 0 has 13 elements, but there are 14",
        ),
        (
            |g| g.root["accessors"][WEIGHTS]["count"] = json!(15),
            "WEIGHTS_0 of mesh 0: 15 elements of 16 bytes do not fit",
        ),
        (|g| g.bytes[14 * 12 + 20 * 6 + 41] = 2, "vertex 10 belongs to joint 2, but skin 0 has 2"),
        (|g| g.poke(WEIGHTS, 41, 0.0), "vertex 10 belongs to no joint: all its weights are 0"),
        (|g| g.poke(WEIGHTS, 43, -0.5), "vertex 10 has the weight -0.5"),
        (|g| g.poke(WEIGHTS, 42, f32::NAN), "vertex 10 has the weight NaN"),
        (|g| g.root["nodes"][1]["translation"] = json!([0, 1e39, 0]), "number out of range"),
        (|g| g.root["nodes"][1]["rotation"] = json!([0, 0, 0, 0]), "the rotation of node 1 is no quaternion"),
        (|g| g.root["nodes"][2]["children"] = json!([1]), "node 1 has two parents, or is its own ancestor"),
        (|g| g.root["nodes"][0]["skin"] = json!(4), "skin"),
        (|g| g.root["skins"][0]["joints"] = json!([1, 9]), "joints"),
        (|g| g.root["nodes"][1]["scale"] = json!([1e31, 1, 1]), "from the origin"),
    ];
    refused(bone, &named("bend"), &cases);
}

#[test]
fn channels_that_lie_are_refused() {
    fn channel(glb: &mut Glb) -> &mut Value {
        &mut glb.root["animations"][1]["channels"][0]
    }
    fn sampler(glb: &mut Glb) -> &mut Value {
        &mut glb.root["animations"][1]["samplers"][0]
    }
    let cases: [(Change, &str); 23] = [
        (|g| channel(g)["sampler"] = json!(3), "sampler"),
        (|g| channel(g)["target"]["node"] = json!(3), "channel 0: node 3 does not exist"),
        (
            |g| channel(g)["target"]["path"] = json!("color"),
            "channel 0 of the animation moves an unknown property",
        ),
        (
            |g| channel(g)["target"]["path"] = json!("scale"),
            "the values of channel 0: not VEC3 of 32-bit floats",
        ),
        (|g| channel(g)["target"]["path"] = json!("weights"), "of node 2, which has no morph targets"),
        (
            |g| {
                let copy = channel(g).clone();
                g.root["animations"][1]["channels"].as_array_mut().unwrap().push(copy);
            },
            "channel 1 of the animation moves what another one moves, of node 2",
        ),
        (|g| sampler(g)["input"] = json!(99), "samplers"),
        (
            |g| {
                let sparse = json!({ "count": 1, "indices": { "bufferView": 0, "componentType": 5121 },
                                     "values": { "bufferView": 0 } });
                let times = json!({ "componentType": 5126, "count": 1_u64 << 60, "type": "SCALAR", "sparse": sparse });
                g.root["accessors"][TIMES] = times;
            },
            "the times of channel 0 have no buffer view",
        ),
        (|g| sampler(g)["input"] = json!(ROTATIONS), "the times of channel 0: not 32-bit floats"),
        (|g| sampler(g)["output"] = json!(TIMES), "the values of channel 0: not VEC4 of floats"),
        (|g| sampler(g)["interpolation"] = json!("CUBIC"), "interpolation"),
        (
            |g| sampler(g)["interpolation"] = json!("CUBICSPLINE"),
            "have 2 elements, not 3 times 1 for each of 2 times",
        ),
        (
            |g| g.root["accessors"][TIMES]["count"] = json!(1),
            "have 2 elements, not 1 times 1 for each of 1 times",
        ),
        (|g| g.root["accessors"][TIMES]["count"] = json!(0), "the times of channel 0: no elements"),
        (
            |g| g.root["accessors"][TIMES]["count"] = json!(3),
            "3 elements of 4 bytes do not fit into the 8 bytes",
        ),
        (|g| g.root["accessors"][ROTATIONS]["byteOffset"] = json!(4), "2 elements of 16 bytes do not fit"),
        (|g| g.poke(TIMES, 1, 0.5), "channel 0: time 1 = 0.5 s is not later than 0.5 s before it"),
        (|g| g.poke(TIMES, 1, 0.25), "channel 0: time 1 = 0.25 s is not later than 0.5 s before it"),
        (|g| g.poke(TIMES, 0, f32::NAN), "channel 0: time 0 is not finite"),
        (|g| g.poke(TIMES, 1, f32::INFINITY), "channel 0: time 1 is not finite"),
        (|g| g.poke(ROTATIONS, 5, f32::NAN), "channel 0: value 5 is not finite"),
        (
            |g| {
                g.poke(ROTATIONS, 6, 0.0);
                g.poke(ROTATIONS, 7, 0.0);
            },
            "channel 0: key 1 is no quaternion of length 1",
        ),
        (
            |g| g.root["nodes"][2] = json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1] }),
            "channel 0 moves node 2, which has a matrix",
        ),
    ];
    refused(bone, &named("bend"), &cases);
    // Beyond the first knot: the spline overshoots.
    refused(hierarchy, &named("move"), &[(|g| g.poke(3, 6, 1e32), "at 0.125 s: vertex 0 is")]);
}

#[test]
fn morph_targets_that_lie_are_refused() {
    let cases: [(Change, &str); 9] = [
        (|g| g.root["meshes"][0]["weights"] = json!([1]), "mesh 0 has 1 weights for 2 morph targets"),
        (|g| g.root["nodes"][0]["weights"] = json!([1, 1, 1]), "node 0 has 3 weights for 2 morph targets"),
        (
            |g| g.root["accessors"][5]["count"] = json!(5),
            "have 5 elements, not 1 times 2 for each of 3 times",
        ),
        (
            |g| g.root["accessors"][2]["count"] = json!(3),
            "POSITION of morph target 0 of mesh 0 has 3 elements, but there are 4",
        ),
        (
            |g| g.root["accessors"][2]["type"] = json!("VEC4"),
            "POSITION of morph target 0 of mesh 0: not VEC3",
        ),
        (|g| g.poke(2, 3, f32::NAN), "morph target 0: vertex 1 is not finite"),
        (
            |g| g.root["accessors"][3]["sparse"]["count"] = json!(0),
            "POSITION of morph target 1 of mesh 0: no elements",
        ),
        (|g| g.root["accessors"][3]["sparse"]["count"] = json!(2), "2 elements of 12 bytes do not fit"),
        (
            |g| {
                let mut other = g.root["meshes"][0]["primitives"][0].clone();
                other["targets"] = json!([]);
                g.root["meshes"][0]["primitives"].as_array_mut().unwrap().push(other);
            },
            "the primitives of mesh 0 differ in their number of morph targets",
        ),
    ];
    refused(morph, &Clip::Index(0), &cases);
}

#[test]
fn other_files_have_no_animations() {
    let fault = Mesh::load_animation(Path::new("man.obj"), &named("walk"), DAffine3::IDENTITY, FRAME_RATE);
    let message = "`.obj` has no animations; only `.gltf` and `.glb` have";
    assert_eq!(fault.map(|_| ()).unwrap_err(), MeshFault::NoAnimation(message.to_owned()));
}
