//! The table `rigid`.

use std::path::Path;

use super::collider::{adhesion, friction};
use super::keys;
use super::shape::{Purpose, shape};
use crate::decode::{Field, Limits, Table};
use crate::document::{Node, Value};
use crate::rigid::{Hold, Rigid, Weight};
use crate::scene::Friction;
use crate::shape::Shape;
use glam::DVec3;

/// Tables whose elements have names that no rigid body may take.
const NAMED: [&str; 5] = ["body", "rope", "cloth", "emitter", "collider"];

/// Masses whose squares and products with others are numbers [kg].
const MASSES: [f64; 2] = [1e-18, 1e18];

/// Returns true if there are rigid bodies.
pub(super) fn any(root: &Table<'_>) -> bool {
    // A value of another type is a fault of its own, and not a scene without rigid bodies.
    let empty = |field: &Field<'_>| matches!(&field.node.value, Value::Array(list) if list.is_empty());
    root.get("rigid").is_some_and(|field| !empty(&field))
}

/// Reads the rigid bodies; `None` after a fault.
pub(super) fn rigid(root: &Table<'_>, folder: &Path) -> Option<Vec<Rigid>> {
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for table in root.tables("rigid", keys::RIGID) {
        let field = table.require("name", "what messages and reports call the rigid body");
        let name = field.as_ref().and_then(Field::string).unwrap_or_default().to_owned();
        if let Some(field) = field.filter(|_| names.contains(&name) || is_taken(root, &name)) {
            let label = "names of rigid bodies, bodies, ropes, cloth, emitters and colliders must differ";
            field.fault(format!("\"{name}\" is taken"), label, None);
        }
        names.push(name.clone());
        found.push(body(&table, name, folder));
    }
    found.into_iter().collect()
}

/// Returns true if an element of the array of tables `list` has this name.
pub(super) fn is_named(root: &Table<'_>, list: &str, name: &str) -> bool {
    let named = |node: &Node| node.get("name").and_then(Node::as_str) == Some(name);
    root.get(list).is_some_and(|field| (0..).map_while(|i| field.node.element(i)).any(named))
}

/// Returns true if something else of the scene has this name.
fn is_taken(root: &Table<'_>, name: &str) -> bool {
    NAMED.iter().any(|list| is_named(root, list, name))
}

fn body(table: &Table<'_>, name: String, folder: &Path) -> Option<Rigid> {
    let shape = table
        .require("shape", "the solid, e.g. `{ sphere = { center = [0, 1, 0], radius = 0.1 } }`")
        .and_then(|field| solid(&field, folder));
    let weight = weight(table);
    let friction = friction(table, Friction::STICKY);
    let restitution = table.number_or("restitution", Limits::between(0.0, 1.0, ""), 0.0);
    let hold = match table.get("hold") {
        Some(field) => hold(&field).map(Some),
        None => Some(None),
    };
    Some(Rigid {
        name,
        velocity: table.vector_or("velocity", "m/s", DVec3::ZERO),
        angular_velocity: table.vector_or("angular_velocity", "rad/s", DVec3::ZERO),
        restitution,
        adhesion: adhesion(table),
        shape: shape?,
        weight: weight?,
        friction: friction?,
        hold: hold?,
    })
}

/// Reads a shape that has a volume.
fn solid(field: &Field<'_>, folder: &Path) -> Option<Shape> {
    let shape = shape(field, folder, Purpose::Rigid)?;
    if shape.mass_properties().volume <= 0.0 {
        let message = format!("`{}` has no volume", field.path);
        field.fault(message, "`subtract` must leave some of the solid, which has the body's mass", None);
        return None;
    }
    Some(shape)
}

/// Reads `density` or `mass`.
fn weight(table: &Table<'_>) -> Option<Weight> {
    match (table.get("density"), table.get("mass")) {
        (Some(_), Some(mass)) => {
            let message = format!("`{}`: `density` and `mass` exclude each other", table.path);
            mass.fault(message, "give one of the two", None);
            None
        }
        (Some(density), None) => {
            let limits = Limits { max: 1e9, ..Limits::positive("kg/m^3") };
            density.number(limits).map(Weight::Density)
        }
        (None, Some(mass)) => mass.number(Limits::between(MASSES[0], MASSES[1], "kg")).map(Weight::Mass),
        (None, None) => {
            table.require("density", "the density [kg/m^3]; or `mass` [kg]");
            None
        }
    }
}

fn hold(field: &Field<'_>) -> Option<Hold> {
    let table = field.table(keys::HOLD)?;
    match (table.get("ball"), table.get("hinge")) {
        (Some(ball), None) => ball.vector("m").map(Hold::Ball),
        (None, Some(hinge)) => {
            let table = hinge.table(keys::HINGE)?;
            let point = table.require("point", "a point of the axis [m]").and_then(|f| f.vector("m"));
            let field = table.require("axis", "the direction of the axis, e.g. `[0, 1, 0]`")?;
            let axis = field.vector("")?;
            if axis.length() < 1e-100 {
                field.fault(
                    format!("`{}` is zero", field.path),
                    "must have a direction, e.g. `[0, 1, 0]`",
                    None,
                );
                return None;
            }
            let axis = (axis / axis.abs().max_element()).normalize();
            Some(Hold::Hinge { point: point?, axis })
        }
        (both, _) => {
            let message = match both {
                Some(_) => format!("`{}`: `ball` and `hinge` exclude each other", field.path),
                None => format!("`{}` names no joint", field.path),
            };
            let label =
                "expected `{ ball = [x, y, z] }` or `{ hinge = { point = [x, y, z], axis = [x, y, z] } }`";
            field.fault(message, label, None);
            None
        }
    }
}
