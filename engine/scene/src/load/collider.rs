//! The table `collider`.

use std::path::Path;

use glam::DVec3;

use super::keys;
use super::motion::motion;
use super::shape::{Purpose, shape};
use crate::decode::{Field, Limits, Table};
use crate::defaults;
use crate::motion::Motion;
use crate::scene::{Collider, Friction};
use crate::shape::{Geometry, Shape};

/// Reads the colliders of a scene of so many frames per second; `None` after a fault.
pub(super) fn colliders(root: &Table<'_>, folder: &Path, frame_rate: f64) -> Option<Vec<Collider>> {
    let tables = root.tables("collider", keys::COLLIDER);
    let mut names: Vec<&str> = Vec::new();
    for table in &tables {
        let field = table.require("name", "what messages and reports call the collider");
        let Some((field, name)) = field.and_then(|f| f.string().map(|name| (f, name))) else { continue };
        if names.contains(&name) {
            field.fault(format!("two colliders are named \"{name}\""), "names must differ", None);
        }
        names.push(name);
    }
    let colliders: Vec<_> = tables.iter().map(|table| collider(table, folder, frame_rate)).collect();
    colliders.into_iter().collect()
}

fn collider(table: &Table<'_>, folder: &Path, frame_rate: f64) -> Option<Collider> {
    let friction = friction(table, 1e6)?;
    let shape = table
        .require("shape", "the surface, e.g. `{ plane = { point = [0, 0, 0], normal = [0, 1, 0] } }`")
        .and_then(|f| shape(&f, folder, Purpose::Collider { frame_rate }));
    let side = side(table, shape.as_ref());
    let center = shape.as_ref().map_or(DVec3::ZERO, |s| s.center);
    let motion = match table.get("motion") {
        Some(field) => motion(&field, center, folder),
        None => Some(Motion::IDENTITY),
    };
    let thickness = table.number_or("thickness", Limits::between(0.0, 1e6, "m"), 0.0);
    let adhesion = adhesion(table);
    let name = table.get("name").and_then(|f| f.node.as_str())?;
    let [inside, sheet] = [Side::Inside, Side::Both].map(|one| side == Some(one));
    let (name, shape, motion) = (name.to_owned(), shape?, motion?);
    Some(Collider { name, shape, inside, sheet, thickness, friction, adhesion, motion })
}

/// Reads `friction`, up to `most`, or `sticky = true`; `None` after a fault.
pub(super) fn friction(table: &Table<'_>, most: f64) -> Option<Friction> {
    let sticky = table.get("sticky").filter(|f| f.boolean() == Some(true));
    match (sticky, table.get("friction")) {
        (Some(_), Some(field)) => {
            let message = format!("`{}`: `sticky = true` and `friction` exclude each other", table.path);
            field.fault(message, "give one of the two", None);
            None
        }
        (Some(_), None) => Some(Friction::Sticky),
        (None, _) => {
            let limits = Limits::between(0.0, most, "");
            Some(Friction::Coulomb(table.number_or("friction", limits, defaults::FRICTION)))
        }
    }
}

/// Reads `adhesion`.
pub(super) fn adhesion(table: &Table<'_>) -> f64 {
    table.number_or("adhesion", Limits::between(0.0, 1e12, "Pa"), 0.0)
}

/// Where the matter is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Outside,
    Inside,
    Both,
}

const SIDES: [(&str, Side); 3] = [("outside", Side::Outside), ("inside", Side::Inside), ("both", Side::Both)];

/// Reads `side`, or `inside = true` for `side = "inside"`; `None` after a fault.
fn side(table: &Table<'_>, shape: Option<&Shape>) -> Option<Side> {
    let mesh = match shape.map(|shape| &shape.geometry) {
        Some(Geometry::Mesh(mesh)) => Some(mesh),
        _ => None,
    };
    let inside = table.get("inside");
    let Some(field) = table.get("side") else {
        let is_inside = table.boolean_or("inside", false);
        let open = mesh.filter(|mesh| !mesh.is_closed());
        if let (true, Some(mesh), Some(field)) = (is_inside, open, inside) {
            not_closed(&field, mesh.open_edges());
            return None;
        }
        return Some(match open {
            _ if is_inside => Side::Inside,
            None => Side::Outside,
            Some(mesh) => {
                if let Some(field) = table.get("shape").filter(|_| !mesh.is_flat()) {
                    let message = format!(
                        "the mesh is not closed ({} edges without a partner): matter is kept on both sides of it",
                        mesh.open_edges()
                    );
                    table.context.warn(&field.node.at, message, "`side = \"both\"` says that it is meant");
                }
                Side::Both
            }
        });
    };
    if inside.is_some() {
        let message = format!("`{}`: `side` and `inside` exclude each other", table.path);
        field.fault(message, "`side = \"inside\"` says what `inside = true` does", None);
        return None;
    }
    let side = field.choice(&SIDES)?;
    if side == Side::Both && mesh.is_none() && shape.is_some() {
        let message =
            format!("`{}` = \"both\": only the surface of a mesh has matter on both sides", field.path);
        field.fault(message, "use \"outside\" or \"inside\"", None);
        return None;
    }
    if let Some(mesh) = mesh.filter(|mesh| side != Side::Both && !mesh.is_closed()) {
        not_closed(&field, mesh.open_edges());
        return None;
    }
    Some(side)
}

fn not_closed(field: &Field<'_>, open_edges: usize) {
    let message = format!("`{}`: the mesh is not closed ({open_edges} edges without a partner)", field.path);
    field.fault(message, "close it, or use `side = \"both\"`, the default for open meshes", None);
}
