//! Mesh and point files: OBJ, PLY, STL, glTF.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use glam::{DMat4, DVec3, Mat4};
use gltf::mesh::Mode;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::{MeshFault, RawMesh, obj};

/// Formats that [`read_mesh`] knows, by file extension.
const FORMATS: &str = "`.obj`, `.ply`, `.stl`, `.gltf` or `.glb`";

/// Some parsers report over several lines; a message has one.
fn unreadable(error: impl std::fmt::Display) -> MeshFault {
    let words: Vec<String> = error.to_string().split_whitespace().map(str::to_owned).collect();
    MeshFault::Unreadable(words.join(" "))
}

fn open(path: &Path) -> Result<BufReader<File>, MeshFault> {
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(MeshFault::Unreadable("it is a folder".to_owned()));
    }
    Ok(BufReader::new(file))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads all triangles of a file; the format follows from the extension.
pub(super) fn read_mesh(path: &Path) -> Result<RawMesh, MeshFault> {
    match extension(path).as_str() {
        "obj" => obj::read(open(path)?),
        "ply" => read_ply(path),
        "stl" => read_stl(path),
        "gltf" | "glb" => read_gltf(path),
        other => Err(MeshFault::Unreadable(format!("`.{other}` is no mesh format; use {FORMATS}"))),
    }
}

/// Reads the vertex positions of a PLY file.
pub(crate) fn read_points(path: &Path) -> Result<Vec<DVec3>, MeshFault> {
    match extension(path).as_str() {
        "ply" => {}
        other => return Err(MeshFault::Unreadable(format!("`.{other}` is no point format; use `.ply`"))),
    }
    let points = read_ply(path)?.vertices;
    if points.is_empty() {
        return Err(MeshFault::NoPoints);
    }
    match points.iter().position(|p| !p.is_finite()) {
        Some(index) => Err(MeshFault::NotFinite(index)),
        None => Ok(points),
    }
}

fn read_stl(path: &Path) -> Result<RawMesh, MeshFault> {
    let mesh = stl_io::read_stl(&mut open(path)?).map_err(|error| stl_fault(path, error))?;
    Ok(RawMesh {
        vertices: mesh.vertices.iter().map(|v| DVec3::from(v.0.map(f64::from))).collect(),
        triangles: mesh.faces.iter().map(|f| f.vertices.map(|v| v as u32)).collect(),
    })
}

/// Why an STL file cannot be read, with the line if it is a text one with a number that is none.
fn stl_fault(path: &Path, error: std::io::Error) -> MeshFault {
    let is_fault = |text: &str| {
        let text = text.trim();
        let numbers = text.strip_prefix("vertex").or_else(|| text.strip_prefix("facet normal"));
        numbers.is_some_and(|n| n.split_whitespace().any(|word| word.parse::<f32>().is_err()))
    };
    let lines = open(path).ok().into_iter().flat_map(|file| file.lines().map_while(Result::ok));
    match lines.enumerate().find(|(_, text)| is_fault(text)) {
        Some((index, text)) => MeshFault::line(index + 1, &text, error),
        None => unreadable(error),
    }
}

/// A vertex or a face of a PLY file.
struct PlyElement {
    position: DVec3,
    indices: Vec<u32>,
}

impl PropertyAccess for PlyElement {
    fn new() -> Self {
        Self { position: DVec3::ZERO, indices: Vec::new() }
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            "vertex_indices" | "vertex_index" => {
                let Some(indices) = index_list(property) else {
                    return PropertyAccessResult::UnsupportedType;
                };
                self.indices = indices;
                return PropertyAccessResult::Set;
            }
            _ => return PropertyAccessResult::Ignored,
        };
        self.position[axis] = match property {
            Property::Char(v) => v.into(),
            Property::UChar(v) => v.into(),
            Property::Short(v) => v.into(),
            Property::UShort(v) => v.into(),
            Property::Int(v) => v.into(),
            Property::UInt(v) => v.into(),
            Property::Float(v) => v.into(),
            Property::Double(v) => v,
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// Indices of any integer type; negative ones become `u32::MAX`, which no vertex has.
fn index_list(property: Property) -> Option<Vec<u32>> {
    fn all<T: TryInto<u32>>(list: Vec<T>) -> Option<Vec<u32>> {
        Some(list.into_iter().map(|v| v.try_into().unwrap_or(u32::MAX)).collect())
    }
    match property {
        Property::ListChar(v) => all(v),
        Property::ListUChar(v) => all(v),
        Property::ListShort(v) => all(v),
        Property::ListUShort(v) => all(v),
        Property::ListInt(v) => all(v),
        Property::ListUInt(v) => all(v),
        _ => None,
    }
}

fn read_ply(path: &Path) -> Result<RawMesh, MeshFault> {
    let mut reader = Reader::new(open(path)?);
    let parser = Parser::<PlyElement>::new();
    let fault = |error| ply_fault(path, error);
    let header = parser.read_header(&mut reader).map_err(fault)?;
    let mut raw = RawMesh::default();
    for (name, element) in &header.elements {
        if name == "vertex" && ["x", "y", "z"].iter().any(|axis| !element.properties.contains_key(*axis)) {
            return Err(MeshFault::Unreadable("its vertices have no x, y, z".to_owned()));
        }
        let rows = parser.read_payload_for_element(&mut reader, element, &header).map_err(fault)?;
        match name.as_str() {
            "vertex" => raw.vertices = rows.iter().map(|row| row.position).collect(),
            "face" => {
                for row in rows {
                    raw.triangles.extend(
                        (2..row.indices.len()).map(|i| [row.indices[0], row.indices[i - 1], row.indices[i]]),
                    );
                }
            }
            _ => {}
        }
    }
    Ok(raw)
}

/// Why a PLY file cannot be read, with the line if the fault is in one.
fn ply_fault(path: &Path, error: ply_rs_bw::parser::ParseError) -> MeshFault {
    let text = |line: usize| open(path).ok()?.lines().nth(line.checked_sub(1)?)?.ok();
    match error.line().and_then(|line| Some((line, text(line)?))) {
        Some((line, text)) => MeshFault::line(line, &text, "this is not what the format has here"),
        None => unreadable(error),
    }
}

fn read_gltf(path: &Path) -> Result<RawMesh, MeshFault> {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_reader(open(path)?).map_err(unreadable)?;
    let buffers = gltf::import_buffers(&document, path.parent(), blob).map_err(unreadable)?;
    let mut raw = RawMesh::default();
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut pending: Vec<(gltf::Node, DMat4)> = match scene {
        Some(scene) => scene.nodes().map(|node| (node, DMat4::IDENTITY)).collect(),
        None => document.nodes().map(|node| (node, DMat4::IDENTITY)).collect(),
    };
    pending.reverse();
    while let Some((node, parent)) = pending.pop() {
        let to_scene = parent * Mat4::from_cols_array_2d(&node.transform().matrix()).as_dmat4();
        if let Some(mesh) = node.mesh() {
            for primitive in mesh.primitives() {
                append_primitive(&primitive, &buffers, to_scene, &mut raw);
            }
        }
        let children: Vec<_> = node.children().map(|child| (child, to_scene)).collect();
        pending.extend(children.into_iter().rev());
    }
    Ok(raw)
}

/// Adds the triangles of one glTF primitive; points and lines have none.
fn append_primitive(
    primitive: &gltf::Primitive,
    buffers: &[gltf::buffer::Data],
    to_scene: DMat4,
    raw: &mut RawMesh,
) {
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(|data| data.0.as_slice()));
    let Some(positions) = reader.read_positions() else { return };
    let base = raw.vertices.len() as u32;
    raw.vertices.extend(positions.map(|p| to_scene.transform_point3(DVec3::from(p.map(f64::from)))));
    let count = raw.vertices.len() as u32 - base;
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().map(|i| base.saturating_add(i)).collect(),
        None => (base..base + count).collect(),
    };
    let mirrored = to_scene.determinant() < 0.0;
    let mut push = |[a, b, c]: [u32; 3]| raw.triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
    match primitive.mode() {
        Mode::Triangles => indices.chunks_exact(3).for_each(|t| push([t[0], t[1], t[2]])),
        Mode::TriangleStrip => {
            for (i, t) in indices.windows(3).enumerate() {
                push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
            }
        }
        Mode::TriangleFan => {
            for t in indices.get(1..).unwrap_or_default().windows(2) {
                push([indices[0], t[0], t[1]]);
            }
        }
        _ => {}
    }
}
