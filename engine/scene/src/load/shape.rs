//! Shape tables.

use std::path::Path;
use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::{keys, mesh};
use crate::decode::{Field, Limits, Table, hint};
use crate::mesh::read_points;
use crate::shape::{Bounds, Geometry, Shape};
use crate::suggest::listed;

/// Purpose of a shape; not every geometry serves every purpose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Purpose {
    Body,
    /// What an emitter fills.
    Emitter,
    Collider {
        /// Frames of the scene per second [1/s].
        frame_rate: f64,
    },
    /// The region of a pin, or a part that is cut away from a body.
    Region,
    /// A part that is added to a body.
    Part,
    /// A part that is added to a collider or cut away from it.
    ColliderPart,
    /// A rigid body.
    Rigid,
    /// A part that is added to a rigid body.
    RigidPart,
}

impl Purpose {
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Body => &["box", "sphere", "cylinder", "capsule", "revolve", "mesh", "points"],
            Self::Collider { .. } => {
                &["plane", "box", "sphere", "cylinder", "capsule", "revolve", "mesh", "mesh_sequence"]
            }
            Self::Region => &["plane", "box", "sphere", "cylinder", "capsule", "revolve", "mesh"],
            Self::Part | Self::Emitter | Self::Rigid | Self::RigidPart => {
                &["box", "sphere", "cylinder", "capsule", "revolve", "mesh"]
            }
            Self::ColliderPart => &["box", "sphere", "cylinder", "capsule", "revolve"],
        }
    }

    pub(super) fn is_collider(self) -> bool {
        matches!(self, Self::Collider { .. })
    }

    /// Returns true if the shape must enclose a volume.
    pub(super) fn needs_volume(self) -> bool {
        matches!(self, Self::Rigid | Self::RigidPart)
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Body => "a body",
            Self::Emitter => "an emitter",
            Self::Collider { .. } => "a collider",
            Self::Region => "a region",
            Self::Part => "a part of a body",
            Self::ColliderPart => "a part of a collider",
            Self::Rigid => "a rigid body",
            Self::RigidPart => "a part of a rigid body",
        }
    }
}

/// Reads a shape; relative file names start at `folder`.
pub(super) fn shape(field: &Field<'_>, folder: &Path, purpose: Purpose) -> Option<Shape> {
    let table = field.table(keys::SHAPE)?;
    let kinds: Vec<_> = keys::SHAPE
        .iter()
        .filter(|k| !keys::COMBINED.contains(k))
        .filter_map(|kind| table.get(kind).map(|f| (*kind, f)))
        .collect();
    let [(kind, inner)] = kinds.as_slice() else {
        let found: Vec<&str> = kinds.iter().map(|k| k.0).collect();
        let message = if found.is_empty() {
            format!("`{}` has no geometry", field.path)
        } else {
            format!("`{}` has {} geometries: {}", field.path, found.len(), found.join(", "))
        };
        let label = format!("expected exactly one of {}", listed(purpose.kinds().iter().copied()));
        field.fault(message, label, None);
        return None;
    };
    if !purpose.kinds().contains(kind) {
        let message = format!("`{}`: {} cannot be of kind `{kind}`", field.path, purpose.noun());
        inner.fault(message, format!("use {}", listed(purpose.kinds().iter().copied())), None);
        return None;
    }
    let shape = geometry(kind, inner, folder, purpose);
    let rotate = table.vector_or("rotate", "degrees", DVec3::ZERO);
    let [union, subtract] = ["union", "subtract"].map(|key| parts(&table, key, kind, folder, purpose));
    let mut shape = shape?.rotated(rotate);
    (shape.union, shape.subtract) = (union?, subtract?);
    warn_of_idle_cuts(&table, &shape);
    Some(shape)
}

/// Warns of every part of `subtract` that is beside the shape.
fn warn_of_idle_cuts(table: &Table<'_>, shape: &Shape) {
    let Some(cuts) = table.get("subtract").and_then(|field| field.array()) else { return };
    let bounds = shape.bounds();
    for (field, cut) in std::iter::zip(&cuts, &shape.subtract) {
        let shared = bounds.intersection(&cut.bounds());
        let beside = match cut.geometry {
            Geometry::Plane => bounds.corners().iter().all(|&corner| cut.signed_distance(corner) >= 0.0),
            _ => shared.min.cmpge(shared.max).any(),
        };
        if beside {
            let message = format!("`{}` cuts nothing: it is beside the shape", field.path);
            table.context.warn(
                &field.node.at,
                message,
                "places are those of the scene, in m; move or remove it",
            );
        }
    }
}

/// Reads the shapes that are added to a shape of this `kind` or cut away from it.
fn parts(table: &Table<'_>, key: &str, kind: &str, folder: &Path, purpose: Purpose) -> Option<Vec<Shape>> {
    let Some(field) = table.get(key) else { return Some(Vec::new()) };
    let collider = purpose.is_collider();
    let refusal = match (purpose, kind) {
        (Purpose::Collider { .. }, "mesh" | "mesh_sequence") => {
            Some("a mesh collider is what its file holds; combine meshes there")
        }
        (Purpose::Collider { .. }, "plane") => Some("a plane has no parts; use a `box`"),
        (Purpose::ColliderPart, _) => {
            Some("parts of a collider have no parts themselves; list all with the collider")
        }
        (_, "points") if key == "union" => Some("nothing can be added to points"),
        _ => None,
    };
    if let Some(reason) = refusal {
        field.fault(format!("`{}`: {reason}", field.path), format!("remove `{key}`"), None);
        return None;
    }
    let part = match key {
        _ if collider => Purpose::ColliderPart,
        "union" if matches!(purpose, Purpose::Rigid | Purpose::RigidPart) => Purpose::RigidPart,
        "union" => Purpose::Part,
        _ => Purpose::Region,
    };
    let shapes: Vec<_> = field.array()?.iter().map(|f| shape(f, folder, part)).collect();
    shapes.into_iter().collect()
}

fn geometry(kind: &str, field: &Field<'_>, folder: &Path, purpose: Purpose) -> Option<Shape> {
    match kind {
        "plane" => plane(&field.table(keys::PLANE)?),
        "box" => cuboid(field),
        "sphere" => {
            let table = field.table(keys::SPHERE)?;
            let center = table.require("center", "[x, y, z] [m]").and_then(|f| f.vector("m"));
            let radius = radius(&table);
            Some(Shape::sphere(center?, radius?))
        }
        "cylinder" | "capsule" => {
            let table = field.table(keys::ROUND)?;
            let (axis, radius) = (axis(&table), radius(&table));
            let ((from, to), radius) = (axis?, radius?);
            let half_height = from.distance(to) / 2.0;
            let geometry = if kind == "cylinder" {
                Geometry::Cylinder { half_height, radius }
            } else {
                Geometry::Capsule { half_height, radius }
            };
            Some(Shape::along(geometry, from, to))
        }
        "revolve" => revolve(&field.table(keys::REVOLVE)?),
        "mesh" => mesh::mesh(&field.table(keys::MESH)?, folder, purpose),
        "mesh_sequence" => match purpose {
            Purpose::Collider { frame_rate } => {
                mesh::sequence(&field.table(keys::MESH_SEQUENCE)?, folder, frame_rate)
            }
            _ => None,
        },
        _ => points(&field.table(keys::POINTS)?, folder),
    }
}

fn radius(table: &Table<'_>) -> Option<f64> {
    table.require("radius", "[m]").and_then(|f| f.number(Limits::positive("m")))
}

fn plane(table: &Table<'_>) -> Option<Shape> {
    let point = table.require("point", "a point of the plane [m]").and_then(|f| f.vector("m"));
    let field = table.require("normal", "the direction that points out of the solid")?;
    let normal = field.vector("")?;
    if normal.length() < 1e-100 {
        field.fault(format!("`{}` is zero", field.path), "must have a direction, e.g. `[0, 1, 0]`", None);
        return None;
    }
    Some(Shape::plane(point?, normal / normal.abs().max_element()))
}

fn cuboid(field: &Field<'_>) -> Option<Shape> {
    let table = field.table(keys::BOX)?;
    let min = table.require("min", "the lowest corner [m]").and_then(|f| f.vector("m"));
    let max = table.require("max", "the highest corner [m]").and_then(|f| f.vector("m"));
    let (min, max) = (min?, max?);
    if let Some(axis) = (0..3).find(|&a| min[a] >= max[a]) {
        let name = ["x", "y", "z"][axis];
        let message = format!(
            "`{}` is empty along {name}: min {} is not below max {}",
            field.path, min[axis], max[axis]
        );
        field.fault(message, "min must be below max along every axis", None);
        return None;
    }
    Some(Shape::cuboid(min, max))
}

fn axis(table: &Table<'_>) -> Option<(DVec3, DVec3)> {
    let from = table.require("from", "one end of the axis [m]").and_then(|f| f.vector("m"));
    let to_field = table.require("to", "the other end of the axis [m]");
    let to = to_field.as_ref().and_then(|f| f.vector("m"));
    let (from, to) = (from?, to?);
    if (to - from).length() <= 1e-12 * from.abs().max(to.abs()).max_element() {
        let message = format!("`{}` has no length: `from` and `to` are the same point", table.path);
        to_field?.fault(message, "must differ from `from`", None);
        return None;
    }
    Some((from, to))
}

fn revolve(table: &Table<'_>) -> Option<Shape> {
    let axis = axis(table);
    let field = table.require("profile", "[[radius, distance along the axis], ...] [m]")?;
    let corners: Vec<_> = field.array()?.iter().map(|f| f.numbers::<2>("m")).collect();
    let corners: Vec<[f64; 2]> = corners.into_iter().collect::<Option<_>>()?;
    let (from, to) = axis?;
    let middle = from.distance(to) / 2.0;
    let profile = corners.iter().map(|c| DVec2::new(c[0], c[1] - middle)).collect();
    match crate::shape::normalized_profile(profile) {
        Ok(profile) => Some(Shape::along(Geometry::revolve(profile), from, to)),
        Err(fault) => {
            let label = "corners of a closed polygon that does not cross itself, radii at least 0; the last \
                         corner joins the first";
            field.fault(format!("`{}`: {fault}", field.path), label, None);
            None
        }
    }
}

/// Reads `file` and records a fault if there is no such file.
pub(super) fn existing_file<'c>(
    table: &Table<'c>,
    folder: &Path,
    formats: &str,
) -> Option<(Field<'c>, std::path::PathBuf)> {
    let field = table.require("file", &format!("a path relative to the scene file; {formats}"))?;
    let path = folder.join(field.string()?);
    if !path.is_file() {
        let sibling = path.parent().and_then(|p| std::fs::read_dir(p).ok()).into_iter().flatten();
        let mut names: Vec<String> =
            sibling.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        let wanted = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let help = hint(&wanted, names.iter().map(String::as_str));
        let message = format!("`{}`: there is no file `{}`", field.path, path.display());
        field.fault(message, "must exist; paths start at the scene file's folder", help);
        return None;
    }
    Some((field, path))
}

fn points(table: &Table<'_>, folder: &Path) -> Option<Shape> {
    let (field, path) = existing_file(table, folder, "PLY")?;
    match read_points(&path) {
        Ok(mut points) => {
            let center = Bounds::of(points.iter().copied()).center();
            for p in &mut points {
                *p -= center;
            }
            Some(Shape::new(Geometry::Points(Arc::new(points)), center))
        }
        Err(fault) => {
            field.fault(format!("points `{}` cannot be used: {fault}", path.display()), "this file", None);
            None
        }
    }
}
