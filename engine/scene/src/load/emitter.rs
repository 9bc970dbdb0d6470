//! The tables `emitter` and `sink`.

use std::path::Path;

use glam::DVec3;

use super::body::{self, Read};
use super::shape::{Purpose, shape};
use super::{keys, material};
use crate::decode::{Field, Table};
use crate::emitter::{Emitter, Sink};
use crate::rope::BodyKind;
use crate::scene::SolverSettings;

/// Returns true if there are emitters.
pub(super) fn any(root: &Table<'_>) -> bool {
    root.get("emitter").is_some_and(|field| field.node.element(0).is_some())
}

/// Reads the emitters and appends a body for each; `None` after a fault.
pub(super) fn emitters(
    root: &Table<'_>,
    folder: &Path,
    materials: &[material::Read],
    solver: Option<&SolverSettings>,
    bodies: &mut Vec<Read>,
) -> Option<Vec<Emitter>> {
    let mut found = Vec::new();
    for table in root.tables("emitter", keys::EMITTER) {
        let name =
            name(&table, "what messages call the emitter", |name| bodies.iter().any(|r| r.name == name));
        let shape = table
            .require("shape", "the region to fill, e.g. `{ cylinder = { from, to, radius } }`")
            .and_then(|f| shape(&f, folder, Purpose::Emitter));
        let velocity =
            table.require("velocity", "the direction in which matter leaves [m/s]").and_then(|field| {
                let velocity = field.vector("m/s")?;
                if velocity == DVec3::ZERO {
                    field.fault(format!("`{}` is zero", field.path), "what is emitted must move on", None);
                    return None;
                }
                Some(velocity)
            });
        let time = time(&table);
        let max_particles = match table.get("max_particles") {
            Some(field) => field.integer(1, body::MAX_PARTICLES as u64),
            None => Some(body::MAX_PARTICLES as u64),
        };
        let center = shape.as_ref().map_or(DVec3::ZERO, |s| s.center);
        let made = body::body(&table, &name, shape, materials, solver);
        let body = bodies.len();
        bodies.push(Read {
            name,
            center,
            body: velocity.and(made).map(|made| crate::scene::Body { kind: BodyKind::Emitted, ..made }),
        });
        found.push(time.zip(max_particles).map(|([start, end], max_particles)| Emitter {
            body,
            start,
            end,
            max_particles,
        }));
    }
    found.into_iter().collect()
}

fn time(table: &Table<'_>) -> Option<[f64; 2]> {
    let Some(field) = table.get("time") else { return Some([0.0, f64::INFINITY]) };
    let [start, end] = field.numbers("s")?;
    if !(0.0..end).contains(&start) {
        let message = format!("`{}` = [{start}, {end}] is no time range", field.path);
        field.fault(message, "expected [first, last] [s] with 0 <= first < last", None);
        return None;
    }
    Some([start, end])
}

/// Reads the sinks; `None` after a fault.
pub(super) fn sinks(root: &Table<'_>, folder: &Path) -> Option<Vec<Sink>> {
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for table in root.tables("sink", keys::SINK) {
        let name = name(&table, "what messages call the sink", |name| names.iter().any(|n| n == name));
        names.push(name.clone());
        let shape = table
            .require("shape", "the region whose particles leave, e.g. `{ box = { min, max } }`")
            .and_then(|f| shape(&f, folder, Purpose::Region));
        found.push(shape.map(|shape| Sink { name, shape }));
    }
    found.into_iter().collect()
}

/// Reads a name that must not be `taken`.
fn name(table: &Table<'_>, meaning: &str, taken: impl Fn(&str) -> bool) -> String {
    let field = table.require("name", meaning);
    let name = field.as_ref().and_then(Field::string).unwrap_or_default().to_owned();
    if let Some(field) = field.filter(|_| taken(&name)) {
        field.fault(format!("\"{name}\" is taken"), "names must differ", None);
    }
    name
}
