//! The tables `body` and `pin`.

use std::path::Path;

use glam::DVec3;

use super::motion::motion;
use super::shape::{Purpose, shape};
use super::{cloth, emitter, keys, material, rigid, rope};
use crate::decode::{Field, Limits, Table};
use crate::defaults;
use crate::motion::Motion;
use crate::rope::BodyKind;
use crate::scene::{Body, Matter, Pin, Sampling, Selection, SolverSettings};
use crate::shape::{Geometry, Shape};

/// Maximum number of particles of a body; ids are 32-bit numbers.
pub(super) const MAX_PARTICLES: f64 = 5e8;

/// Maximum number of cubes of one spacing in the box around a Poisson-disk body.
const MAX_CELLS: f64 = 2e9;

/// The readable part of a body.
pub(super) struct Read {
    pub name: String,
    pub center: DVec3,
    pub body: Option<Body>,
}

pub(super) fn bodies(
    root: &Table<'_>,
    folder: &Path,
    materials: &[material::Read],
    solver: Option<&SolverSettings>,
) -> Vec<Read> {
    let mut read: Vec<Read> = Vec::new();
    let others = rope::any(root) || cloth::any(root) || emitter::any(root) || rigid::any(root);
    if others && root.get("body").is_none() {
        return read;
    }
    if root.require("body", "at least one `[[body]]` with `name`, `material` and `shape`").is_none() {
        return read;
    }
    let tables = root.tables("body", keys::BODY);
    if let (true, Some(field)) = (tables.is_empty(), root.get("body")) {
        field.fault("`body` is empty", "at least one `[[body]]` is required", None);
    }
    for table in tables {
        let name_field = table.require("name", "what messages and pins call the body");
        let name = name_field.as_ref().and_then(|f| f.string());
        if let (Some(name), Some(field)) = (name, name_field.as_ref())
            && read.iter().any(|r| r.name == name)
        {
            field.fault(format!("two bodies are named \"{name}\""), "names must differ", None);
        }
        let name = name.unwrap_or_default().to_owned();
        let shape = table
            .require("shape", "the region to fill, e.g. `{ sphere = { center = [0, 1, 0], radius = 0.1 } }`")
            .and_then(|f| shape(&f, folder, Purpose::Body));
        let center = shape.as_ref().map_or(DVec3::ZERO, |s| s.center);
        read.push(Read { body: body(&table, &name, shape, materials, solver), name, center });
    }
    read
}

/// Reads the keys of a body and of what an emitter emits.
pub(super) fn body(
    table: &Table<'_>,
    name: &str,
    shape: Option<Shape>,
    materials: &[material::Read],
    solver: Option<&SolverSettings>,
) -> Option<Body> {
    let material = table.require("material", "the name of a `[[material]]`").and_then(|field| {
        let wanted = field.string()?;
        let index = materials.iter().position(|m| m.name == wanted);
        if index.is_none() {
            field.unknown_word(wanted, materials.iter().map(|m| m.name.as_str()));
        }
        index
    });
    let velocity = table.vector_or("velocity", "m/s", DVec3::ZERO);
    let angular_velocity = table.vector_or("angular_velocity", "rad/s", DVec3::ZERO);
    let sampling = sampling(table, shape.as_ref(), solver);
    let push_out = table.choice_or("overlap", &[("error", false), ("push_out", true)], false);
    let kind = kinematics(table, solver);
    Some(Body {
        name: name.to_owned(),
        material: material?,
        shape: shape?,
        sampling: sampling?,
        velocity,
        angular_velocity,
        push_out,
        kind,
    })
}

/// Returns what `kinematics` makes of a body.
fn kinematics(table: &Table<'_>, solver: Option<&SolverSettings>) -> BodyKind {
    let total = table.choice_or("kinematics", &[("updated", false), ("total", true)], false);
    if total && solver.is_some_and(|solver| solver.matter != Matter::Continuum) {
        let message = format!("`{}`: `solver.matter` = \"grains\" has no total bodies", table.path);
        table.context.fault(
            table.at,
            message,
            "leave out `kinematics`, or choose a continuum, the default",
            None,
        );
    }
    let strain = table.number_or("fracture_strain", Limits::between(0.0, 1e3, ""), 0.0);
    if let Some(field) = table.get("fracture_strain").filter(|_| !total) {
        let message = format!("`{}` breaks the pairs that `kinematics` = \"total\" keeps", field.path);
        let label = "add that key, or leave this one out: other matter tears by itself";
        table.context.fault(&field.node.at, message, label, None);
    }
    match total {
        true => BodyKind::Total { fracture_strain: if strain > 0.0 { strain } else { f64::INFINITY } },
        false => BodyKind::Matter,
    }
}

/// Moves the bodies that keep their first neighbors behind all others, and returns the new index of each.
pub(super) fn total_last(bodies: &mut [Read]) -> Vec<usize> {
    let is_total = |read: &Read| read.body.as_ref().is_some_and(|body| body.kind.is_total());
    let others = bodies.iter().filter(|read| !is_total(read)).count();
    let (mut front, mut back) = (0, others);
    let place = |read: &Read| {
        let next = if is_total(read) { &mut back } else { &mut front };
        *next += 1;
        *next - 1
    };
    let places = bodies.iter().map(place).collect();
    bodies.sort_by_key(is_total);
    places
}

fn sampling(body: &Table<'_>, shape: Option<&Shape>, solver: Option<&SolverSettings>) -> Option<Sampling> {
    let field = body.get("sampling");
    let table = match &field {
        Some(field) => Some(field.table(keys::SAMPLING)?),
        None => None,
    };
    let get = |key: &str| table.as_ref().and_then(|t| t.get(key));
    let lattice = match get("kind") {
        Some(kind) => kind.choice(&[("poisson_disk", false), ("lattice", true)])?,
        None => matches!(shape.map(|s| &s.geometry), Some(Geometry::Points(_))),
    };
    let seed = match get("seed") {
        Some(seed) => seed.integer(0, i64::MAX as u64)?,
        None => defaults::SEED,
    };
    let spacing = match get("spacing") {
        Some(spacing) => spacing.number(Limits::positive("m"))?,
        None => solver?.kernel_radius,
    };
    let jitter = match get("jitter") {
        Some(jitter) if !lattice => {
            jitter.fault(
                format!("`{}` belongs to the lattice; Poisson-disk samples are random already", jitter.path),
                "remove it, or use kind = \"lattice\"",
                None,
            );
            return None;
        }
        Some(jitter) => jitter.number(Limits::between(0.0, 0.5, "spacings"))?,
        None => 0.0,
    };
    let sampling = if lattice {
        Sampling::Lattice { spacing, jitter, seed }
    } else {
        Sampling::PoissonDisk { spacing, seed }
    };
    let blamed = get("spacing").or(field);
    check(body, blamed.as_ref(), &sampling, shape, solver).then_some(sampling)
}

/// Returns true if spacing, shape and kernel fit together; records why not.
fn check(
    body: &Table<'_>,
    blamed: Option<&Field<'_>>,
    sampling: &Sampling,
    shape: Option<&Shape>,
    solver: Option<&SolverSettings>,
) -> bool {
    let at = blamed.map_or(body.at, |f| &f.node.at);
    let fault = |message: String, label: String| {
        body.context.fault(at, message, label, None);
        false
    };
    let spacing = sampling.spacing();
    let jitter = match *sampling {
        Sampling::Lattice { jitter, .. } => jitter,
        Sampling::PoissonDisk { .. } => 0.0,
    };
    if matches!(shape.map(|s| &s.geometry), Some(Geometry::Points(_)))
        && (jitter != 0.0 || matches!(sampling, Sampling::PoissonDisk { .. }))
    {
        return fault(
            format!("`{}`: points are taken as they are", body.path),
            "use kind = \"lattice\" without jitter; the cube of `spacing` is a particle's volume".to_owned(),
        );
    }
    if let Some(solver) = solver {
        let r = solver.kernel_radius;
        let nearest = spacing * (1.0 - 2.0 * jitter);
        let least = solver.min_distance();
        if nearest < least * (1.0 - 1e-9) {
            let source = if jitter > 0.0 { "with its jitter, " } else { "" };
            let (who, name) = match solver.matter {
                Matter::Continuum => ("the position correction pushes", "(1 - gap) r"),
                Matter::Grains { .. } => ("grains push", "the diameter of grains, r"),
            };
            return fault(
                format!(
                    "`{}`: {source}particles would start as close as {nearest:.4e} m, and {who} apart any that are closer than \
                     {least:.4e} m",
                    body.path
                ),
                format!("must be at least {name} = {least:.4e} [m]; about r = {r:e} is usual"),
            );
        }
        if spacing >= 2.0 * r {
            return fault(
                format!("`{}`: particles would have no neighbors within 2 r = {:e} m", body.path, 2.0 * r),
                format!("must be less than 2 r; about r = {r:e} [m] is usual"),
            );
        }
        if spacing > 1.3 * r {
            body.context.warn(
                at,
                format!("`{}`: particles will have few neighbors", body.path),
                format!("wider than 1.3 r; about r = {r:e} [m] is usual"),
            );
        }
    }
    let Some(shape) = shape else { return true };
    let box_count = shape.bounds().size().to_array().iter().map(|l| (l / spacing).max(1.0)).product::<f64>();
    if box_count > MAX_PARTICLES && !matches!(shape.geometry, Geometry::Points(_)) {
        let count = shape.volume() / spacing.powi(3);
        if count > MAX_PARTICLES {
            return fault(
                format!("`{}` would have about {count:.1e} particles", body.path),
                format!("at most {MAX_PARTICLES:e} are possible; widen the spacing"),
            );
        }
    }
    if box_count > MAX_CELLS && matches!(sampling, Sampling::PoissonDisk { .. }) {
        return fault(
            format!("`{}`: the box around its shape is {box_count:.1e} spacings large", body.path),
            format!("at most {MAX_CELLS:e} are possible; widen the spacing or split the body"),
        );
    }
    true
}

/// Reads the pins; `None` after a fault.
pub(super) fn pins(root: &Table<'_>, folder: &Path, bodies: &[Read]) -> Option<Vec<Pin>> {
    let tables = root.tables("pin", keys::PIN);
    let pins: Vec<_> = tables.iter().map(|table| pin(root, table, folder, bodies)).collect();
    pins.into_iter().collect()
}

fn pin(root: &Table<'_>, table: &Table<'_>, folder: &Path, bodies: &[Read]) -> Option<Pin> {
    let body = table.require("body", "the name of a `[[body]]`").and_then(|field| {
        let wanted = field.string()?;
        let index = bodies.iter().position(|b| b.name == wanted);
        if index.is_none() && rigid::is_named(root, "rigid", wanted) {
            field.fault(
                format!("`{}`: \"{wanted}\" is a rigid body, and pins hold particles", field.path),
                "give the rigid body `hold`, or make it a `[[collider]]` with `motion`",
                None,
            );
            return None;
        }
        if index.is_none() {
            field.unknown_word(wanted, bodies.iter().map(|b| b.name.as_str()));
        }
        let emitted = |index: usize| bodies[index].body.as_ref().is_some_and(|b| b.kind == BodyKind::Emitted);
        if index.is_some_and(emitted) {
            field.fault(
                format!("`{}`: \"{wanted}\" is an emitter", field.path),
                "what is emitted cannot be held",
                None,
            );
            return None;
        }
        index
    });
    let selection = match table.get("vertices") {
        Some(field) => vertices(table, &field, body.map(|index| &bodies[index])),
        None => table
            .require(
                "region",
                "the shape that holds the pinned particles at the start; or, of a rope or cloth, `vertices`",
            )
            .and_then(|f| shape(&f, folder, Purpose::Region))
            .map(Selection::Region),
    };
    let center = body.map_or(DVec3::ZERO, |b| bodies[b].center);
    let motion = match table.get("motion") {
        Some(field) => motion(&field, center, folder),
        None => Some(Motion::IDENTITY),
    };
    Some(Pin { body: body?, selection: selection?, motion: motion? })
}

/// Returns the selected vertices, numbered from 0, or from the end with -1.
fn vertices(table: &Table<'_>, field: &Field<'_>, body: Option<&Read>) -> Option<Selection> {
    if table.get("region").is_some() {
        let message = format!("`{}`: `region` and `vertices` exclude each other", table.path);
        field.fault(message, "give one of the two", None);
        return None;
    }
    let count = match body.and_then(|read| read.body.as_ref()) {
        Some(Body {
            kind: BodyKind::Rope(_) | BodyKind::Cloth(_),
            shape: Shape { geometry: Geometry::Points(vertices), .. },
            ..
        }) => vertices.len() as f64,
        Some(body) => {
            let message = format!("`{}`: body `{}` is neither a rope nor a cloth", field.path, body.name);
            field.fault(message, "only the vertices of ropes and cloth are numbered; give a `region`", None);
            return None;
        }
        None => return None,
    };
    let number = |element: Field<'_>| {
        let value = element.number(Limits::between(-count, count - 1.0, ""))?;
        if value.fract() != 0.0 {
            element.fault(
                format!("`{}` = {value} is not a whole number", element.path),
                "the number of a vertex",
                None,
            );
            return None;
        }
        Some(if value < 0.0 { (count + value) as u32 } else { value as u32 })
    };
    let list = field.array()?;
    if list.is_empty() {
        field.fault(format!("`{}` is empty", field.path), "at least one vertex", None);
        return None;
    }
    list.into_iter().map(number).collect::<Option<_>>().map(Selection::Vertices)
}
