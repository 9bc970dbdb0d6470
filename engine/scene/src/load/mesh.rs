//! Triangle meshes of shape tables: files at rest, animations and sequences of files.

use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};

use super::shape::{Purpose, existing_file};
use crate::angle::rotation_from_degrees;
use crate::decode::{Field, Limits, Table};
use crate::defaults;
use crate::document::Value;
use crate::mesh::{Clip, LoadedMesh, Mesh, MeshFault, Pattern};
use crate::shape::{Geometry, Shape};

/// Reads the table `mesh`.
pub(super) fn mesh(table: &Table<'_>, folder: &Path, purpose: Purpose) -> Option<Shape> {
    let place = place(table);
    let animation = table.get("animation");
    let clip = animation.as_ref().map(|field| clip(field, purpose));
    let (field, path) = existing_file(table, folder, "OBJ, PLY, STL or glTF")?;
    let loaded = match (clip, purpose) {
        (Some(clip), Purpose::Collider { frame_rate }) => {
            Mesh::load_animation(&path, &clip?, place, frame_rate)
        }
        (Some(_), _) => return None,
        (None, _) => {
            Mesh::load(&path, place.matrix3, place.translation, purpose.is_collider()).and_then(|loaded| {
                // Matter touches a flat mesh, but does not fill it.
                let useless = loaded.mesh.is_flat() && !purpose.is_collider();
                if useless { Err(MeshFault::Flat) } else { Ok(loaded) }
            })
        }
    };
    let name = format!("mesh `{}`", path.display());
    match (loaded, animation) {
        (Ok(loaded), _) if purpose.needs_volume() && loaded.mesh.open_edges() > 0 => {
            let message =
                format!("{name} is not closed ({} edges without a partner)", loaded.mesh.open_edges());
            field.fault(message, "a rigid body needs a closed mesh, which gives its mass", None);
            None
        }
        (Ok(loaded), _) => Some(shape(loaded, &field, &name, purpose)),
        (Err(MeshFault::NoAnimation(fault)), Some(animation)) => {
            let label = "the name or the number of an animation of this file";
            animation.fault(format!("`{}`: {name}: {fault}", animation.path), label, None);
            None
        }
        (Err(fault), _) => {
            field.fault(format!("{name} cannot be used: {fault}"), "this file", None);
            None
        }
    }
}

/// Reads the table `mesh_sequence` of a collider in a scene of so many frames per second.
pub(super) fn sequence(table: &Table<'_>, folder: &Path, frame_rate: f64) -> Option<Shape> {
    let place = place(table);
    let first =
        table.get("first").map_or(Some(defaults::FIRST_FILE.into()), |field| field.integer(0, 999_999_999));
    let rate = table.number_or("frame_rate", Limits { max: 1e6, ..Limits::positive("1/s") }, frame_rate);
    let meaning = "paths of one file per frame relative to the scene file, with a `#` for each digit of the number; OBJ, PLY, STL or glTF";
    let field = table.require("files", meaning)?;
    let path = folder.join(field.string()?);
    let pattern = match Pattern::parse(&path) {
        Ok(pattern) => pattern,
        Err(fault) => {
            let message = format!("`{}` = {}: {fault}", field.path, field.node.shown());
            field.fault(message, "one group of `#`, e.g. `man.####.obj` for `man.0001.obj` and so on", None);
            return None;
        }
    };
    let name = format!("mesh sequence `{}`", path.display());
    match Mesh::load_sequence(&pattern, first?, place, rate) {
        Ok(loaded) => Some(shape(loaded, &field, &name, Purpose::Collider { frame_rate })),
        Err(fault) => {
            let label = "numbered files without a gap, with the same triangles in all";
            field.fault(format!("{name} cannot be used: {fault}"), label, None);
            None
        }
    }
}

/// Reads where a mesh is placed: scaled, then rotated, then displaced.
pub(super) fn place(table: &Table<'_>) -> DAffine3 {
    let scale = table.number_or("scale", Limits::positive(""), 1.0);
    let translate = table.vector_or("translate", "m", DVec3::ZERO);
    let rotate = table.vector_or("rotate", "degrees", DVec3::ZERO);
    let linear = DMat3::from_quat(rotation_from_degrees(rotate)) * scale;
    DAffine3::from_mat3_translation(linear, translate)
}

/// Reads `animation`: a name or a number.
fn clip(field: &Field<'_>, purpose: Purpose) -> Option<Clip> {
    if !purpose.is_collider() {
        let message = format!("`{}`: {} cannot be animated; only colliders can", field.path, purpose.noun());
        field.fault(message, "remove `animation`: the mesh is then as the file's nodes are at rest", None);
        return None;
    }
    match field.node.value {
        Value::Integer(_) => field.integer(0, u64::from(u32::MAX)).map(|index| Clip::Index(index as usize)),
        Value::String(_) => field.string().map(|name| Clip::Name(name.to_owned())),
        _ => {
            let message =
                format!("`{}` must be a string or an integer, not {}", field.path, field.node.type_name());
            field.fault(message, "the name of an animation of the file, or its number from 0", None);
            None
        }
    }
}

/// Returns the shape of a mesh, after warnings about it.
fn shape(loaded: LoadedMesh, field: &Field<'_>, name: &str, purpose: Purpose) -> Shape {
    let open = loaded.mesh.open_edges();
    let closed_by_winding = (open > 0 && !purpose.is_collider()).then(|| {
        format!(
            "the mesh is not closed ({open} edges without a partner): its interior follows from the winding number, which \
             closes holes smoothly"
        )
    });
    for note in loaded.notes.into_iter().chain(closed_by_winding) {
        field.context.warn(&field.node.at, format!("{name}: {note}"), "");
    }
    Shape::new(Geometry::Mesh(Arc::new(loaded.mesh)), loaded.center)
}
