//! A cube in all formats, points, and scenes with them.

use std::fmt::Write;

const CORNERS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [0.1, 0.0, 0.0],
    [0.1, 0.1, 0.0],
    [0.0, 0.1, 0.0],
    [0.0, 0.0, 0.1],
    [0.1, 0.0, 0.1],
    [0.1, 0.1, 0.1],
    [0.0, 0.1, 0.1],
];
const TRIANGLES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [3, 7, 6],
    [3, 6, 2],
    [0, 4, 7],
    [0, 7, 3],
    [1, 2, 6],
    [1, 6, 5],
];

const REST: &str = r#"
[[collider]]
name = "floor"
shape = { plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] } }
"#;
const HEAD: &str = r#"
format = 1
[scene]
name = "odd"
[time]
frames = [1, 2]
max_substep = "auto"
[solver]
kernel_radius = 0.02
[[material]]
name = "sand"
preset = "dry_sand"
[[body]]
name = "body"
material = "sand"
"#;

/// Returns a scene whose body is the mesh in this file.
pub fn scene(file: &str) -> String {
    let body = "sampling = { kind = \"lattice\", spacing = 0.02 }";
    format!("{HEAD}shape = {{ mesh = {{ file = \"{file}\" }} }}\n{body}\n{REST}")
}

pub fn scene_of_points() -> String {
    format!(
        "{HEAD}shape = {{ points = {{ file = \"points.ply\" }} }}\nsampling = {{ kind = \"lattice\", spacing = 0.02 }}\n{REST}"
    )
}

/// Returns file names and contents.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("cube.obj", obj().into_bytes()),
        ("cube.ply", ply_text().into_bytes()),
        ("cube.ply", ply_binary()),
        ("cube.stl", stl_text().into_bytes()),
        ("cube.stl", stl_binary()),
        ("cube.gltf", gltf(true).into_bytes()),
        ("cube.glb", glb()),
    ]
}

/// Returns the points as a PLY file.
pub fn points() -> Vec<u8> {
    let count = CORNERS.len();
    let mut file = format!("ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{XYZ}end_header\n")
        .into_bytes();
    file.extend(CORNERS.iter().flatten().flat_map(|c| c.to_le_bytes()));
    file
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACES: &str = "element face 12\nproperty list uchar int vertex_indices\nend_header\n";

fn obj() -> String {
    let mut text = String::new();
    for [x, y, z] in CORNERS {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for [a, b, c] in TRIANGLES {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

fn ply_text() -> String {
    let mut text = format!("ply\nformat ascii 1.0\nelement vertex 8\n{XYZ}{FACES}");
    for [x, y, z] in CORNERS {
        let _ = writeln!(text, "{x} {y} {z}");
    }
    for [a, b, c] in TRIANGLES {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

fn ply_binary() -> Vec<u8> {
    let mut file =
        format!("ply\nformat binary_little_endian 1.0\nelement vertex 8\n{XYZ}{FACES}").into_bytes();
    file.extend(CORNERS.iter().flatten().flat_map(|c| c.to_le_bytes()));
    for triangle in TRIANGLES {
        file.push(3);
        file.extend(triangle.iter().flat_map(|v| v.to_le_bytes()));
    }
    file
}

fn stl_text() -> String {
    let mut text = "solid cube\n".to_owned();
    for triangle in TRIANGLES {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle.map(|v| CORNERS[v as usize]) {
            let _ = writeln!(text, "vertex {x} {y} {z}");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

fn stl_binary() -> Vec<u8> {
    let mut file = vec![b' '; 80];
    file.extend((TRIANGLES.len() as u32).to_le_bytes());
    for triangle in TRIANGLES {
        file.extend([0_u8; 12]);
        file.extend(triangle.iter().flat_map(|&v| CORNERS[v as usize]).flat_map(f32::to_le_bytes));
        file.extend([0_u8; 2]);
    }
    file
}

/// Returns positions, indices and their description; the buffer is in [`BUFFER`] or follows the text.
fn gltf(apart: bool) -> String {
    let buffer = buffer();
    let uri = if apart { format!("\"uri\":\"{BUFFER}\",") } else { String::new() };
    let (points, bytes) = (12 * CORNERS.len(), buffer.len());
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\n\"nodes\":[{{\"mesh\":0}}],\n\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\"indices\":1}}]}}],\n\
         \"buffers\":[{{{uri}\"byteLength\":{bytes}}}],\n\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":{points}}},\n\
         {{\"buffer\":0,\"byteOffset\":{points},\"byteLength\":{}}}],\n\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0.1,0.1,0.1]}},\n\
         {{\"bufferView\":1,\"componentType\":5125,\"count\":36,\"type\":\"SCALAR\"}}]}}",
        bytes - points
    )
}

/// Name of the buffer file of `cube.gltf`.
pub const BUFFER: &str = "cube.bin";

/// Returns its content.
pub fn buffer() -> Vec<u8> {
    let points = CORNERS.iter().flatten().flat_map(|c| c.to_le_bytes());
    points.chain(TRIANGLES.iter().flatten().flat_map(|v| v.to_le_bytes())).collect()
}

fn glb() -> Vec<u8> {
    let mut text = gltf(false).into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let buffer = buffer();
    let mut file = b"glTF".to_vec();
    let length = 12 + 8 + text.len() + 8 + buffer.len();
    file.extend([2, length as u32].iter().flat_map(|n| n.to_le_bytes()));
    for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &buffer)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}
