//! Tests on generated meshes: files of every format, and every kind of damage.

use std::path::Path;

use glam::{DMat3, DVec3};

use super::*;
use crate::testing::{parse_in, text};

/// A cube of edge 2 about the origin, outward.
fn cube() -> RawMesh {
    let vertices = (0..8)
        .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0)
        .collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    RawMesh { vertices, triangles, ..RawMesh::default() }
}

/// A unit sphere of latitude rings.
fn sphere(rings: u32) -> RawMesh {
    let around = 2 * rings;
    let mut vertices = vec![DVec3::Y, DVec3::NEG_Y];
    for ring in 1..rings {
        for step in 0..around {
            let (theta, phi) = (
                std::f64::consts::PI * f64::from(ring) / f64::from(rings),
                std::f64::consts::TAU * f64::from(step) / f64::from(around),
            );
            vertices.push(DVec3::new(theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin()));
        }
    }
    let at = |ring: u32, step: u32| 2 + (ring - 1) * around + step % around;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, at(1, step + 1), at(1, step)]);
        triangles.push([1, at(rings - 1, step), at(rings - 1, step + 1)]);
        for ring in 1..rings - 1 {
            let (a, b, c, d) =
                (at(ring, step), at(ring, step + 1), at(ring + 1, step + 1), at(ring + 1, step));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    RawMesh { vertices, triangles, ..RawMesh::default() }
}

fn probes() -> impl Iterator<Item = DVec3> {
    (0..1728).map(|i| DVec3::new((i % 12) as f64, (i / 12 % 12) as f64, (i / 144) as f64) * 0.237 - 1.31)
}

fn obj(mesh: &RawMesh) -> String {
    let vertices = mesh.vertices.iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
    let faces = mesh.triangles.iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1));
    vertices.chain(faces).collect()
}

/// A PLY file with a misspelt third vertex.
const ROW: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 one 0\n3 0 1 2\n";

#[test]
fn a_closed_mesh_encloses_what_it_should() {
    let loaded = Mesh::build(cube(), false).unwrap();
    assert!(loaded.notes.is_empty() && loaded.mesh.is_closed());
    let (volume, centroid) = loaded.mesh.enclosed().unwrap();
    assert!((volume - 8.0).abs() < 1e-12 && centroid.length() < 1e-12);
    for p in probes() {
        let outside = (p.abs() - 1.0).max(DVec3::ZERO).length();
        let inside = (1.0 - p.abs()).min_element();
        let expected = if outside > 0.0 { outside } else { -inside };
        assert!((loaded.mesh.signed_distance(p) - expected).abs() < 1e-12, "{p}");
        assert_eq!(loaded.mesh.contains(p), expected < 0.0, "{p}");
        let reached = p - loaded.mesh.normal(p) * expected;
        assert!(loaded.mesh.signed_distance(reached).abs() < 1e-12, "{p}");
    }
}

#[test]
fn winding_numbers_of_a_fine_sphere_are_one_and_zero() {
    let mesh = Mesh::build(sphere(40), false).unwrap().mesh;
    for p in probes().filter(|p| (p.length() - 1.0).abs() > 0.01) {
        let expected = if p.length() < 1.0 { 1.0 } else { 0.0 };
        assert!((mesh.winding_number(p) - expected).abs() < 0.1, "{p}: {}", mesh.winding_number(p));
    }
}

/// Balls reported as uniform really are.
#[test]
fn sides_agree_with_membership() {
    let mut open = sphere(24);
    open.triangles.retain(|t| t.iter().any(|&v| open.vertices[v as usize].y < 0.8));
    for mesh in [Mesh::build(sphere(24), false).unwrap().mesh, Mesh::build(open, false).unwrap().mesh] {
        let mut decided = 0;
        for center in probes() {
            let side = mesh.side(center, 0.1);
            if side == Side::Mixed {
                continue;
            }
            decided += 1;
            for offset in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.57), DVec3::ZERO] {
                for q in [center + offset * 0.1, center - offset * 0.1] {
                    assert_eq!(mesh.contains(q), side == Side::Inside, "{center} {q}");
                }
            }
        }
        assert!(decided > 1000, "{decided}");
    }
}

#[test]
fn an_open_mesh_is_closed_by_its_winding_number() {
    let mut open = sphere(24);
    open.triangles.retain(|t| t.iter().any(|&v| open.vertices[v as usize].y < 0.9));
    let loaded = Mesh::build(open, false).unwrap();
    assert!(!loaded.mesh.is_closed());
    assert!(loaded.mesh.open_edges() > 0 && loaded.notes.is_empty(), "{:?}", loaded.notes);
    let agree = probes().filter(|p| (p.length() - 1.0).abs() > 0.15 && p.y < 0.8);
    for p in agree {
        assert_eq!(loaded.mesh.contains(p - loaded.center), p.length() < 1.0, "{p}");
    }
}

#[test]
fn inside_out_and_inconsistent_meshes_are_turned() {
    let mut inverted = cube();
    inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let loaded = Mesh::build(inverted, false).unwrap();
    assert!(loaded.notes[0].contains("inside out"), "{:?}", loaded.notes);
    assert!(loaded.mesh.contains(DVec3::ZERO) && !loaded.mesh.contains(DVec3::splat(1.5)));
    let mut mixed = sphere(8);
    mixed.triangles.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    let loaded = Mesh::build(mixed, false).unwrap();
    assert!(loaded.notes[0].contains("face opposite to their neighbors"), "{:?}", loaded.notes);
    assert!(loaded.mesh.is_closed() && loaded.mesh.contains(DVec3::ZERO));
}

#[test]
fn a_mesh_that_overlaps_itself_counts_once() {
    let mut two = cube();
    let second = cube();
    two.triangles.extend(second.triangles.iter().map(|t| t.map(|v| v + 8)));
    two.vertices.extend(second.vertices.iter().map(|&v| v + DVec3::X));
    let loaded = Mesh::build(two, false).unwrap();
    let shape = crate::Shape::new(crate::Geometry::Mesh(loaded.mesh.into()), loaded.center);
    assert!((shape.volume() - 12.0).abs() < 0.02, "{}", shape.volume());
    assert!((shape.centroid() - DVec3::X * 0.5).length() < 0.01, "{}", shape.centroid());
}

#[test]
fn unusable_meshes_are_refused() {
    let fault = |mesh: RawMesh| Mesh::build(mesh, false).map(|_| ()).unwrap_err();
    assert_eq!(fault(RawMesh { triangles: Vec::new(), ..cube() }), MeshFault::Empty);
    let mut mesh = cube();
    mesh.vertices[3].y = f64::NAN;
    assert_eq!(fault(mesh), MeshFault::NotFinite(3));
    let mut mesh = cube();
    mesh.vertices[2].x = -1e200;
    assert_eq!(fault(mesh), MeshFault::TooFar(2, 1e200));
    let mut mesh = cube();
    mesh.triangles[5][1] = 99;
    assert_eq!(fault(mesh), MeshFault::BadIndex(5));
    let mesh = RawMesh { triangles: vec![[1, 1, 2]], ..cube() };
    assert_eq!(fault(mesh), MeshFault::Flat);
}

#[test]
fn every_format_gives_the_same_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = cube();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("cube.obj", format!("mtllib none.mtl\nusemtl none\n{}", obj(&mesh)).as_bytes());
    let mut ply =
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 12\nproperty list uchar int vertex_indices\nend_header\n"
            .to_owned();
    mesh.vertices.iter().for_each(|v| ply += &format!("{} {} {}\n", v.x, v.y, v.z));
    mesh.triangles.iter().for_each(|t| ply += &format!("3 {} {} {}\n", t[0], t[1], t[2]));
    write("cube.ply", ply.as_bytes());
    let mut stl = vec![0_u8; 80];
    stl.extend(12_u32.to_le_bytes());
    for t in &mesh.triangles {
        stl.extend([0_u8; 12]);
        for v in t.map(|v| mesh.vertices[v as usize].as_vec3()) {
            stl.extend(v.to_array().iter().flat_map(|c| c.to_le_bytes()));
        }
        stl.extend([0_u8; 2]);
    }
    write("cube.stl", &stl);
    let mut buffer: Vec<u8> =
        mesh.vertices.iter().flat_map(|v| v.as_vec3().to_array()).flat_map(f32::to_le_bytes).collect();
    buffer.extend(mesh.triangles.iter().flatten().flat_map(|i| (*i as u16).to_le_bytes()));
    write("cube.bin", &buffer);
    // The transforms of the nodes cancel: twice as large and shifted, then back.
    write("cube.gltf", GLTF.as_bytes());
    for (name, center) in [("obj", 0.0), ("ply", 0.0), ("stl", 0.0), ("gltf", 2.0)] {
        let loaded =
            Mesh::load(&folder.path().join(format!("cube.{name}")), DMat3::IDENTITY, DVec3::ZERO, false)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(loaded.mesh.is_closed() && loaded.notes.is_empty(), "{name}: {:?}", loaded.notes);
        assert_eq!((loaded.mesh.vertices.len(), loaded.mesh.triangles.len()), (8, 12), "{name}");
        assert_eq!(loaded.center, DVec3::Y * center, "{name}");
        assert!((loaded.mesh.enclosed().unwrap().0 - 8.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn a_scene_fills_a_mesh_and_reports_its_faults() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("ball.obj", &obj(&sphere(16)));
    let load = |shape: &str, sampling: &str| parse_in(folder.path(), &text(shape, sampling, ""), &[]);
    let lattice = r#"{ kind = "lattice", spacing = 0.1 }"#;
    let placed =
        r#"{ mesh = { file = "ball.obj", scale = 0.5, rotate = [0, 0, 90], translate = [0, 1, 0] } }"#;
    let scene = load(placed, lattice).unwrap().scene;
    let shape = &scene.bodies[0].shape;
    assert!((shape.centroid() - DVec3::Y).length() < 1e-6);
    let count = crate::sample(&scene).unwrap().particles.len() as f64;
    assert!((count * 1e-3 / shape.volume() - 1.0).abs() < 0.05, "{count}");
    let scene = load(placed, "{}").unwrap().scene;
    let particles = crate::sample(&scene).unwrap().particles;
    assert!(particles.position.iter().all(|p| p.distance(DVec3::Y) <= 0.5));
    assert!((300..500).contains(&particles.len()), "{}", particles.len());
    let fault = |name: &str, content: &str| {
        write(name, content);
        let shape = format!("{{ mesh = {{ file = \"{name}\" }} }}");
        load(&shape, lattice).map(|_| ()).unwrap_err().to_string()
    };
    for (name, content, part) in [
        ("empty.obj", "v 0 0 0\n", "the mesh has no triangles"),
        ("garbage.ply", "not a ply", "cannot be used"),
        ("garbage.stl", "x", "cannot be used"),
        ("garbage.gltf", "{", "cannot be used"),
        ("nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "line 2, `v 1 0 nan`"),
        ("row.ply", ROW, "line 12, `0 one 0`"),
        ("word.ply", &ROW.replace("property float y", "proprty float y"), "line 5, `proprty float y`"),
        ("row.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 a\n", "line 4, `vertex 0 0 a`"),
        ("image.png", "x", "`.png` is not a mesh format"),
    ] {
        let error = fault(name, content);
        assert!(error.contains(part) && error.contains("scene.toml:16"), "{name}: {error}");
    }
    let error = load(r#"{ mesh = { file = "bal.obj" } }"#, lattice).unwrap_err().to_string();
    assert!(error.contains("did you mean `ball.obj`?"), "{error}");
    assert!(!Path::new("ball.obj").exists());
}

/// A cube whose buffer is `cube.bin`.
const GLTF: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1], "scale": [2, 2, 2] },
                  { "mesh": 0, "scale": [0.5, 0.5, 0.5], "translation": [0, 1, 0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
                        "min": [-1, -1, -1], "max": [1, 1, 1] },
                      { "bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 96 }, { "buffer": 0, "byteOffset": 96, "byteLength": 72 }],
        "buffers": [{ "uri": "cube.bin", "byteLength": 168 }] }"#;

/// Buffers may lie in a file, whose name may be encoded, or in the text itself.
#[test]
fn gltf_finds_its_buffers() {
    use base64::Engine as _;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let cube = cube();
    let mut bytes: Vec<u8> =
        cube.vertices.iter().flat_map(|v| v.as_vec3().to_array()).flat_map(f32::to_le_bytes).collect();
    bytes.extend(cube.triangles.iter().flatten().flat_map(|&corner| (corner as u16).to_le_bytes()));
    write("a cube.bin", &bytes);
    let encoded = base64::prelude::BASE64_STANDARD.encode(&bytes);
    for uri in ["a%20cube.bin", &format!("data:application/octet-stream;base64,{encoded}")] {
        write("cube.gltf", GLTF.replace("cube.bin", uri).as_bytes());
        let read = gltf_file::read(&folder.path().join("cube.gltf")).unwrap();
        assert_eq!(read.triangles, cube.triangles, "{uri}");
        let expected: Vec<DVec3> = cube.vertices.iter().map(|&v| v + 2.0 * DVec3::Y).collect();
        assert_eq!(read.vertices, expected, "{uri}");
    }
    for (uri, part) in [
        ("data:,abc", "the data of a buffer is not in base 64"),
        ("data:;base64,a~bc", "symbol"),
        ("data:;base64,AAAA", "buffer 0 has 3 bytes instead of 168"),
        ("no.bin", "no.bin"),
    ] {
        write("cube.gltf", GLTF.replace("cube.bin", uri).as_bytes());
        let error = gltf_file::read(&folder.path().join("cube.gltf")).unwrap_err().to_string();
        assert!(error.contains(part), "{uri}: {error}");
    }
}

/// The file's own declarations are not trusted.
#[test]
fn gltf_that_lies_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("cube.bin", &[0; 168]);
    let refused = |name: &str| {
        let load = Mesh::load(&folder.path().join(name), DMat3::IDENTITY, DVec3::ZERO, false);
        load.map(|_| ()).unwrap_err().to_string()
    };
    for (from, to, part) in [
        (r#""children": [1]"#, r#""children": [0]"#, "node 0 has two parents, or is its own ancestor"),
        (r#""children": [1]"#, r#""children": [1, 1]"#, "node 1 has two parents"),
        (r#""POSITION": 0"#, r#""POSITION": 99"#, "accessor 99, which does not exist"),
        (
            r#""count": 36"#,
            r#""count": 4294967295"#,
            "4294967295 elements of 2 bytes do not fit into the 72 bytes",
        ),
        (r#""count": 36"#, r#""count": 18446744073709551615"#, "do not fit"),
        (r#""VEC3""#, r#""MAT4""#, "POSITION of mesh 0 is not a VEC3 of 32-bit floats"),
        (
            r#""componentType": 5123"#,
            r#""componentType": 5126"#,
            "the indices of mesh 0 are not unsigned integers",
        ),
        (
            r#""byteOffset": 96, "byteLength": 72"#,
            r#""byteOffset": 99, "byteLength": 72"#,
            "beyond the 168 bytes",
        ),
        (r#""uri": "cube.bin", "byteLength": 168"#, r#""uri": "cube.bin", "byteLength": 169"#, "has 168"),
        ("cube.bin", "/dev/zero", "is not a file"),
        ("cube.bin", "%FF", "utf-8"),
    ] {
        assert!(GLTF.contains(from), "{from}");
        write("cube.gltf", GLTF.replace(from, to).as_bytes());
        let error = refused("cube.gltf");
        assert!(error.contains(part), "{to}: {error}");
    }
    let mut binary = b"glTF".to_vec();
    binary.extend([2, u32::MAX, 16, 0x4E4F534A].iter().flat_map(|word: &u32| word.to_le_bytes()));
    binary.extend([b' '; 16]);
    write("huge.glb", &binary);
    let error = refused("huge.glb");
    assert!(error.contains("4294967295 bytes with a first chunk of 16, but the file has 36"), "{error}");
}

/// Two cubes side by side, the second twice as high: an L with one concave edge.
fn corner() -> RawMesh {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let vertices = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| DVec3::new(x, y, z))).collect();
    let lids = [[0, 3, 5], [0, 1, 3], [1, 2, 3], [3, 4, 5]];
    let lower = lids.map(|[a, b, c]: [u32; 3]| [a, c, b]);
    let upper = lids.map(|t| t.map(|v| v + 6));
    let sides = (0..6_u32).flat_map(|i| {
        let (a, b) = (i, (i + 1) % 6);
        [[a, b, b + 6], [a, b + 6, a + 6]]
    });
    let triangles = lower.into_iter().chain(upper).chain(sides).collect();
    RawMesh { vertices, triangles, ..RawMesh::default() }
}

/// Returns the nearest patch's signed distance and normal.
fn seen(patches: &[Mesh], p: DVec3) -> Seen {
    let all = patches.iter().map(|patch| patch.seen_within(p, 1e9).unwrap());
    all.min_by(|a, b| a.distance.abs().total_cmp(&b.distance.abs())).unwrap()
}

#[test]
fn a_mesh_is_divided_along_its_sharp_concave_edges() {
    for (mesh, outside, inside) in [(cube(), 1, 6), (sphere(24), 1, 1), (corner(), 1, 7)] {
        let mesh = Mesh::build(mesh, false).unwrap().mesh;
        assert_eq!([mesh.patches(false).len(), mesh.patches(true).len()], [outside, inside]);
    }
    // Walls without floor and lid: a ring that is cut once stays whole.
    let walls = RawMesh { triangles: corner().triangles[8..].to_vec(), ..corner() };
    let mesh = Mesh::build(walls, false).unwrap().mesh;
    let mut sides = [false, true].map(|flipped| mesh.patches(flipped).len());
    sides.sort_unstable(); // walls have no outside
    assert_eq!(sides, [1, 5]);
}

/// The pseudo-normal tells the sides of closed meshes as winding numbers do.
#[test]
fn patches_know_their_sides() {
    for raw in [cube(), sphere(24), corner()] {
        let loaded = Mesh::build(raw, false).unwrap();
        let (outward, inward) = (loaded.mesh.patches(false), loaded.mesh.patches(true));
        for p in probes() {
            let expected = loaded.mesh.signed_distance(p);
            let Seen { distance, normal, .. } = seen(&outward, p);
            assert!((distance - expected).abs() < 1e-12, "{p}: {distance} and {expected}");
            assert!((normal - loaded.mesh.normal(p)).length() < 1e-6 || expected.abs() < 1e-6, "{p}");
            let nearest = inward.iter().map(|patch| patch.signed_distance(p)).fold(f64::INFINITY, f64::min);
            if expected < 0.0 {
                assert!((nearest + expected).abs() < 1e-12, "{p}: {nearest} and {expected}");
            }
        }
    }
}

#[test]
fn the_rim_of_a_sheet_has_no_sides() {
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]];
    let vertices = corners.map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
    let mesh = Mesh::build(RawMesh { vertices, triangles, ..RawMesh::default() }, false).unwrap().mesh;
    assert!(mesh.is_flat() && !mesh.is_closed());
    let [front, back] = [false, true].map(|flipped| mesh.patches(flipped).remove(0));
    for p in probes() {
        let over = p.x.abs() < 1.0 && p.z.abs() < 1.0;
        let gap = (p.abs() - DVec3::new(1.0, 0.0, 1.0)).max(DVec3::ZERO).length();
        let side = if over && p.y < 0.0 { -1.0 } else { 1.0 };
        assert!((front.signed_distance(p) - side * gap).abs() < 1e-12, "{p}");
        let side = if over && p.y > 0.0 { -1.0 } else { 1.0 };
        assert!((back.signed_distance(p) - side * gap).abs() < 1e-12, "{p}");
    }
}

#[test]
fn a_ray_crosses_a_cube_twice() {
    let mesh = Mesh::build(cube(), false).unwrap().mesh;
    let from = DVec3::new(0.1, 0.2, 5.0);
    let found = mesh.crossings(from, DVec3::NEG_Z, (0.0, 100.0));
    assert_eq!(found, [(4.0, DVec3::Z), (6.0, DVec3::NEG_Z)]);
    assert_eq!(mesh.crossings(from, DVec3::NEG_Z, (5.0, 100.0)).len(), 1);
    assert!(mesh.crossings(from, DVec3::X, (0.0, 100.0)).is_empty());
}

/// Every point is nearest to a part of a patch that it can touch, unless it lies behind: particles are told which side they are on.
#[test]
fn what_is_nearest_can_be_touched() {
    let star = |heights: [f64; 2]| -> RawMesh {
        let around = (0..8_u32).map(|k| {
            let (sin, cos) = (std::f64::consts::FRAC_PI_4 * f64::from(k)).sin_cos();
            DVec3::new(cos, sin, heights[k as usize % 2])
        });
        let triangles = (0..8).map(|k| [0, 1 + k, 1 + (k + 1) % 8]).collect();
        RawMesh {
            vertices: std::iter::once(DVec3::Z).chain(around).collect(),
            triangles,
            ..RawMesh::default()
        }
    };
    // Two slopes, and a board below their ridge.
    let roof = RawMesh {
        vertices: [
            [-1.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
            [-1.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 0.0],
            [-1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
        ]
        .map(DVec3::from)
        .to_vec(),
        triangles: vec![[0, 1, 3], [0, 3, 2], [0, 4, 5], [0, 5, 1], [0, 6, 7], [0, 7, 1]],
        ..RawMesh::default()
    };
    for raw in [star([0.6, 0.0]), star([0.9, 0.2]), roof, corner()] {
        let loaded = Mesh::build(raw, true).unwrap();
        let sheet = !loaded.mesh.is_closed();
        let mut faces = loaded.mesh.patches(false);
        let mut rim = loaded.mesh.rim().into_iter().collect::<Vec<_>>();
        if sheet {
            faces.extend(loaded.mesh.patches(true));
        }
        faces.append(&mut rim);
        for p in probes() {
            let all: Vec<Seen> = faces.iter().map(|face| face.seen_within(p, 1e9).unwrap()).collect();
            let nearest = all.iter().map(|seen| seen.distance.abs()).fold(f64::INFINITY, f64::min);
            let touched = all
                .iter()
                .any(|seen| !seen.at_cut && seen.distance >= 0.0 && (seen.distance - nearest).abs() < 1e-9);
            let inside = !sheet && loaded.mesh.contains(p);
            assert!(touched || inside, "{p}: {all:?}");
        }
    }
}

#[test]
fn plates_and_wedges_are_thin_and_blocks_are_not() {
    let of = |scale: DVec3| {
        let mut raw = cube();
        raw.vertices.iter_mut().for_each(|v| *v *= scale);
        Mesh::build(raw, true).unwrap().mesh
    };
    let plate = of(DVec3::new(1.0, 0.05, 1.0));
    assert!(plate.is_thinner_than(0.11) && !plate.is_thinner_than(0.09));
    assert!(!of(DVec3::ONE).is_thinner_than(1.9));
    let ball = Mesh::build(sphere(12), true).unwrap().mesh;
    assert!(ball.is_thinner_than(2.1) && !ball.is_thinner_than(0.5));
}
