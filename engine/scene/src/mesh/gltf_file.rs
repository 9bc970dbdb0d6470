//! glTF scenes, text and binary. The reader trusts a file's own declarations, so these are checked first: that references exist,
//! and that everything lies within the bytes present.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use glam::{DMat4, DVec3, Mat4};
use gltf::buffer::Source;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Root};
use gltf::mesh::Mode;
use gltf::{Semantic, json};

use super::read::{open, unreadable};
use super::{MeshFault, RawMesh};

/// Maximum number of vertices of a file, instances included [dimensionless].
const MAX_VERTICES: usize = 100_000_000;

/// Size of a binary file's header, and of a chunk's header [bytes].
const HEADER: u64 = 12;
const CHUNK_HEADER: u64 = 8;

pub(super) fn fault(message: String) -> MeshFault {
    MeshFault::Unreadable(message)
}

/// A document and the bytes of its buffers.
pub(super) type Imported = (gltf::Document, Vec<Vec<u8>>);

/// Reads all triangles of the file's default scene, or of its first one.
pub(super) fn read(path: &Path) -> Result<RawMesh, MeshFault> {
    let (document, buffers) = import(path)?;
    let mut raw = RawMesh::default();
    visit_meshes(&document, |_, mesh, to_scene| {
        for primitive in mesh.primitives() {
            append_primitive(&primitive, &buffers, to_scene, &mut raw)?;
        }
        Ok(())
    })?;
    Ok(raw)
}

/// Reads a file, the meshes of which have been checked.
pub(super) fn import(path: &Path) -> Result<Imported, MeshFault> {
    check_chunks(path)?;
    // The reader's own validation indexes without bounds checks.
    let unchecked = gltf::Gltf::from_reader_without_validation(open(path)?).map_err(unreadable)?;
    check_document(unchecked.document.as_json(), path)?;
    let gltf::Gltf { document, mut blob } = gltf::Gltf::from_reader(open(path)?).map_err(unreadable)?;
    let buffers = document.buffers().map(|buffer| {
        let bytes = match buffer.source() {
            Source::Bin => {
                blob.take().ok_or_else(|| fault("it lacks the bytes of its own buffer".to_owned()))
            }
            Source::Uri(uri) => bytes_at(uri, path),
        }?;
        if bytes.len() < buffer.length() {
            let (index, length) = (buffer.index(), buffer.length());
            return Err(fault(format!("buffer {index} has {} bytes instead of {length}", bytes.len())));
        }
        Ok(bytes)
    });
    let buffers = buffers.collect::<Result<_, _>>()?;
    Ok((document, buffers))
}

/// Returns the bytes of a buffer: `uri` holds them in base 64, or names a file relative to the one at `path`.
fn bytes_at(uri: &str, path: &Path) -> Result<Vec<u8>, MeshFault> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
        let encoded = encoded.ok_or_else(|| fault("the data of a buffer is not in base 64".to_owned()))?;
        return BASE64_STANDARD.decode(encoded).map_err(unreadable);
    }
    let file = file_at(uri, path)?;
    std::fs::read(&file).map_err(|error| fault(format!("{}: {error}", file.display())))
}

/// Returns the file that `uri` names, relative to the one at `path`.
fn file_at(uri: &str, path: &Path) -> Result<PathBuf, MeshFault> {
    let decoded = urlencoding::decode(uri).map_err(unreadable)?;
    let name = decoded.strip_prefix("file://").or_else(|| decoded.strip_prefix("file:")).unwrap_or(&decoded);
    Ok(path.parent().unwrap_or(Path::new("")).join(name))
}

/// Calls `visit` for every node of the default scene, or of the first one, that has a mesh: with the node, its mesh and its transform at
/// rest.
pub(super) fn visit_meshes<'a>(
    document: &'a gltf::Document,
    mut visit: impl FnMut(&gltf::Node<'a>, gltf::Mesh<'a>, DMat4) -> Result<(), MeshFault>,
) -> Result<(), MeshFault> {
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut pending: Vec<(gltf::Node, DMat4)> = match scene {
        Some(scene) => scene.nodes().map(|node| (node, DMat4::IDENTITY)).collect(),
        None => document.nodes().map(|node| (node, DMat4::IDENTITY)).collect(),
    };
    pending.reverse();
    let mut seen = vec![false; document.nodes().len()];
    while let Some((node, parent)) = pending.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            return Err(no_tree(node.index()));
        }
        let to_scene = parent * Mat4::from_cols_array_2d(&node.transform().matrix()).as_dmat4();
        if let Some(mesh) = node.mesh() {
            visit(&node, mesh, to_scene)?;
        }
        let children: Vec<_> = node.children().map(|child| (child, to_scene)).collect();
        pending.extend(children.into_iter().rev());
    }
    Ok(())
}

/// The fault of a node that is reached twice.
pub(super) fn no_tree(node: usize) -> MeshFault {
    fault(format!("node {node} has two parents, or is its own ancestor; the nodes of a glTF scene are trees"))
}

/// Checks that the length of a binary file and those of its chunks, which the reader allocates, do not exceed its size.
fn check_chunks(path: &Path) -> Result<(), MeshFault> {
    let mut file = open(path)?;
    let size = file.get_ref().metadata().map_err(unreadable)?.len();
    let mut head = [0; (HEADER + CHUNK_HEADER) as usize];
    // A shorter file is not binary; the reader reports any other fault.
    if file.read_exact(&mut head).is_err() || !head.starts_with(b"glTF") {
        return Ok(());
    }
    let word =
        |at: usize| u64::from(u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
    let (length, chunk) = (word(8), word(12));
    if length > size || HEADER + CHUNK_HEADER + chunk > length {
        return Err(fault(format!(
            "its header declares {length} bytes with a first chunk of {chunk}, but the file has {size}"
        )));
    }
    Ok(())
}

/// Checks that everything read from a document lies within its buffers.
fn check_document(root: &Root, path: &Path) -> Result<(), MeshFault> {
    for (index, buffer) in root.buffers.iter().enumerate() {
        let Some(uri) = buffer.uri.as_deref().filter(|uri| !uri.starts_with("data:")) else { continue };
        check_uri(index, uri, buffer.byte_length.0, path)?;
    }
    for (index, mesh) in root.meshes.iter().enumerate() {
        for primitive in &mesh.primitives {
            let place = |what: &str| format!("{what} of mesh {index}");
            if let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) {
                let place = place("POSITION");
                let accessor = accessor(root, positions.value(), &place)?;
                if types(accessor) != Some((Type::Vec3, ComponentType::F32)) {
                    return Err(fault(format!("{place} is not a VEC3 of 32-bit floats")));
                }
                check_extent(root, accessor, &place)?;
            }
            if let Some(indices) = &primitive.indices {
                let place = place("the indices");
                let accessor = accessor(root, indices.value(), &place)?;
                let unsigned = [ComponentType::U8, ComponentType::U16, ComponentType::U32];
                if !types(accessor)
                    .is_some_and(|(kind, part)| kind == Type::Scalar && unsigned.contains(&part))
                {
                    return Err(fault(format!("{place} are not unsigned integers")));
                }
                check_extent(root, accessor, &place)?;
            }
        }
    }
    Ok(())
}

/// Checks that an external buffer is a file of at least its length.
fn check_uri(index: usize, uri: &str, length: u64, path: &Path) -> Result<(), MeshFault> {
    let file = file_at(uri, path)?;
    let metadata = std::fs::metadata(&file).map_err(|e| fault(format!("{}: {e}", file.display())))?;
    if !metadata.is_file() || metadata.len() < length {
        return Err(fault(format!(
            "buffer {index} has {length} bytes, {} {}",
            file.display(),
            if metadata.is_file() { format!("has {}", metadata.len()) } else { "is not a file".to_owned() }
        )));
    }
    Ok(())
}

pub(super) fn accessor<'a>(root: &'a Root, index: usize, place: &str) -> Result<&'a Accessor, MeshFault> {
    root.accessors
        .get(index)
        .ok_or_else(|| fault(format!("{place} is accessor {index}, which does not exist")))
}

/// Returns the types of an element and of its components, if the file names known ones.
pub(super) fn types(accessor: &Accessor) -> Option<(Type, ComponentType)> {
    match (accessor.type_, accessor.component_type) {
        (Checked::Valid(kind), Checked::Valid(component)) => Some((kind, component.0)),
        _ => None,
    }
}

/// Checks that the elements of an accessor lie within its view, and the view within its buffer.
pub(super) fn check_extent(root: &Root, accessor: &Accessor, place: &str) -> Result<(), MeshFault> {
    let Some((kind, component)) = types(accessor) else {
        return Err(fault(format!("{place} have no known type")));
    };
    let element = (kind.multiplicity() * component.size()) as u64;
    let Some(view) = accessor.buffer_view else {
        return Err(fault(format!("{place} have no buffer view, and sparse data without one is not read")));
    };
    let offset = accessor.byte_offset.map_or(0, |o| o.0);
    check_view(root, view.value(), offset, accessor.count.0, element, true, place)?;
    check_sparse(root, accessor, place)
}

/// Checks that the values of an accessor that replace others lie within their views.
pub(super) fn check_sparse(root: &Root, accessor: &Accessor, place: &str) -> Result<(), MeshFault> {
    let Some((kind, component)) = types(accessor) else {
        return Err(fault(format!("{place} have no known type")));
    };
    let element = (kind.multiplicity() * component.size()) as u64;
    if let Some(sparse) = &accessor.sparse {
        let Checked::Valid(index) = sparse.indices.component_type else {
            return Err(fault(format!("the sparse indices of {place} have no known type")));
        };
        if sparse.count.0 > accessor.count.0 {
            return Err(fault(format!("{place} has more sparse values than elements")));
        }
        let (indices, values) = (&sparse.indices, &sparse.values);
        let size = index.0.size() as u64;
        check_view(
            root,
            indices.buffer_view.value(),
            indices.byte_offset.0,
            sparse.count.0,
            size,
            false,
            place,
        )?;
        check_view(
            root,
            values.buffer_view.value(),
            values.byte_offset.0,
            sparse.count.0,
            element,
            false,
            place,
        )?;
    }
    Ok(())
}

/// Checks that `count` elements of so many bytes, from `offset` on, lie within a view, and the view within its buffer.
fn check_view(
    root: &Root,
    index: usize,
    offset: u64,
    count: u64,
    element: u64,
    strided: bool,
    place: &str,
) -> Result<(), MeshFault> {
    let missing = |what: &str, index: usize| fault(format!("{place}: {what} {index} does not exist"));
    let view: &json::buffer::View =
        root.buffer_views.get(index).ok_or_else(|| missing("buffer view", index))?;
    let buffer =
        root.buffers.get(view.buffer.value()).ok_or_else(|| missing("buffer", view.buffer.value()))?;
    let stride = view.byte_stride.filter(|_| strided).map_or(element, |stride| stride.0 as u64);
    let end = count
        .checked_sub(1)
        .map_or(Some(0), |before| before.checked_mul(stride)?.checked_add(element)?.checked_add(offset));
    let length = view.byte_length.0;
    if stride < element || end.is_none_or(|end| end > length) {
        return Err(fault(format!(
            "{place}: {count} elements of {element} bytes do not fit into the {length} bytes of buffer view {index}"
        )));
    }
    let start = view.byte_offset.map_or(0, |o| o.0);
    if start.checked_add(length).is_none_or(|end| end > buffer.byte_length.0) {
        return Err(fault(format!(
            "buffer view {index} reaches beyond the {} bytes of its buffer",
            buffer.byte_length.0
        )));
    }
    Ok(())
}

/// Adds the triangles of one glTF primitive; points and lines have none.
fn append_primitive(
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
    to_scene: DMat4,
    raw: &mut RawMesh,
) -> Result<(), MeshFault> {
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let Some(positions) = reader.read_positions() else { return Ok(()) };
    let base = raw.vertices.len() as u32;
    raw.vertices.extend(positions.map(|p| to_scene.transform_point3(DVec3::from(p.map(f64::from)))));
    let count = raw.vertices.len() as u32 - base;
    append_triangles(
        primitive,
        buffers,
        base..base + count,
        to_scene.determinant() < 0.0,
        &mut raw.triangles,
    );
    check_count(raw.vertices.len())
}

/// Checks the number of vertices of a file.
pub(super) fn check_count(count: usize) -> Result<(), MeshFault> {
    if count > MAX_VERTICES {
        return Err(fault(format!("it has more than {MAX_VERTICES} vertices, counting instances")));
    }
    Ok(())
}

/// Adds the triangles of one glTF primitive, whose vertices are numbered `own`.
pub(super) fn append_triangles(
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
    own: Range<u32>,
    mirrored: bool,
    triangles: &mut Vec<[u32; 3]>,
) {
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().map(|i| own.start.saturating_add(i)).collect(),
        None => own.collect(),
    };
    let mut push = |[a, b, c]: [u32; 3]| triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
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
