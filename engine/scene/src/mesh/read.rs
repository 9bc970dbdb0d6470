//! Mesh and point files: OBJ, PLY, STL, glTF.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use glam::DVec3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::{MeshFault, RawMesh, check_positions, gltf_file, obj};

/// Formats that [`read_mesh`] knows, by file extension.
const FORMATS: &str = "`.obj`, `.ply`, `.stl`, `.gltf` or `.glb`";

/// Joins the lines of a parser's error: a message has one line.
pub(super) fn unreadable(error: impl std::fmt::Display) -> MeshFault {
    let words: Vec<String> = error.to_string().split_whitespace().map(str::to_owned).collect();
    MeshFault::Unreadable(words.join(" "))
}

pub(super) fn open(path: &Path) -> Result<BufReader<File>, MeshFault> {
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(MeshFault::Unreadable("it is a folder".to_owned()));
    }
    Ok(BufReader::new(file))
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Reads all triangles of a file; the extension determines the format.
pub(super) fn read_mesh(path: &Path) -> Result<RawMesh, MeshFault> {
    match extension(path).as_str() {
        "obj" => obj::read(open(path)?),
        "ply" => read_ply(path),
        "stl" => read_stl(path),
        "gltf" | "glb" => gltf_file::read(path),
        other => Err(MeshFault::Unreadable(format!("`.{other}` is not a mesh format; use {FORMATS}"))),
    }
}

/// Reads vertices and triangles of a file as they are there; polygons become fans.
pub(crate) fn read_surface(path: &Path) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), MeshFault> {
    let RawMesh { vertices, triangles, .. } = read_mesh(path)?;
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    check_positions(&vertices)?;
    let missing = |t: &[u32; 3]| t.iter().any(|&v| v as usize >= vertices.len());
    match triangles.iter().position(missing) {
        Some(triangle) => Err(MeshFault::BadIndex(triangle)),
        None => Ok((vertices, triangles)),
    }
}

/// Reads the lines of an OBJ file: their vertices, in the order of the file, and the segments between them.
pub(crate) fn read_lines(path: &Path) -> Result<(Vec<DVec3>, Vec<[u32; 2]>), MeshFault> {
    match extension(path).as_str() {
        "obj" => {}
        other => return Err(MeshFault::Unreadable(format!("`.{other}` has no lines; use `.obj`"))),
    }
    let mut raw = obj::read_lines(open(path)?)?;
    raw.segments.iter_mut().for_each(|pair| pair.sort_unstable());
    raw.segments.sort_unstable();
    raw.segments.dedup();
    raw.segments.retain(|pair| pair[0] != pair[1]);
    if raw.segments.is_empty() {
        return Err(MeshFault::NoLines);
    }
    let mut used = vec![false; raw.vertices.len()];
    raw.segments.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let number = used.iter().scan(0, |next, &used| {
        let number = *next;
        *next += u32::from(used);
        Some(number)
    });
    let number: Vec<u32> = number.collect();
    let segments = raw.segments.iter().map(|pair| pair.map(|vertex| number[vertex as usize])).collect();
    let kept = std::iter::zip(raw.vertices, used).filter(|(_, used)| *used);
    Ok((kept.map(|(vertex, _)| vertex).collect(), segments))
}

/// Reads the vertex positions of a PLY file.
pub(crate) fn read_points(path: &Path) -> Result<Vec<DVec3>, MeshFault> {
    match extension(path).as_str() {
        "ply" => {}
        other => return Err(MeshFault::Unreadable(format!("`.{other}` is not a point format; use `.ply`"))),
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
    let fault = |error| stl_fault(path, error);
    let mut file = open(path)?;
    let mut raw = RawMesh::default();
    // Three vertices for each triangle: which of them coincide may differ among the files of a sequence.
    for triangle in stl_io::create_stl_reader(&mut file).map_err(fault)? {
        let first = raw.vertices.len() as u32;
        let corners = triangle.map_err(fault)?.vertices;
        raw.vertices.extend(corners.iter().map(|v| DVec3::from(v.0.map(f64::from))));
        raw.triangles.push([first, first + 1, first + 2]);
    }
    Ok(raw)
}

/// Builds the fault of an unreadable STL file, with the line if a text file has an invalid number.
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

/// Returns indices of any integer type; negative ones become `u32::MAX`, which no vertex has.
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

/// Builds the fault of an unreadable PLY file, with the line if the fault is in one.
fn ply_fault(path: &Path, error: ply_rs_bw::parser::ParseError) -> MeshFault {
    let text = |line: usize| open(path).ok()?.lines().nth(line.checked_sub(1)?)?.ok();
    match error.line().and_then(|line| Some((line, text(line)?))) {
        Some((line, text)) => MeshFault::line(line, &text, "the format does not allow this here"),
        None => unreadable(error),
    }
}
