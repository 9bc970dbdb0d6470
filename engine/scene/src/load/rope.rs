//! The tables `rope`.

use std::path::Path;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use tuff_material_sdk::descriptor::Descriptor;

use super::body::Read;
use super::{keys, material, shape};
use crate::angle::rotation_from_degrees;
use crate::decode::{Field, Limits, Table};
use crate::mesh::read_lines;
use crate::rope::{BodyKind, Rope, divide};
use crate::scene::{Body, Material, Matter, Sampling, SolverSettings};
use crate::shape::{Bounds, Geometry, Shape};

/// Model that provides the inertia of ropes and cloth and their speed of sound; its strain stays zero.
const MODEL: &str = "elastic";

/// Maximum number of vertices of a rope.
const MAX_VERTICES: f64 = 1e6;

/// Vertices and the segments between them.
type Line = (Vec<DVec3>, Vec<[u32; 2]>);

/// Returns true if there are ropes.
pub(super) fn any(root: &Table<'_>) -> bool {
    root.get("rope").is_some_and(|field| field.node.element(0).is_some())
}

/// Appends a body and a material for each rope.
pub(super) fn ropes(
    root: &Table<'_>,
    folder: &Path,
    models: &[&Descriptor],
    solver: Option<&SolverSettings>,
    materials: &mut Vec<material::Read>,
    bodies: &mut Vec<Read>,
) {
    let tables = root.tables("rope", keys::ROPE);
    if let (true, Some(field)) = (tables.is_empty(), root.get("rope")) {
        field.fault("`rope` is empty", "a `[[rope]]` or nothing", None);
    }
    if let (Some(table), Some(settings)) = (tables.first(), solver)
        && settings.matter != Matter::Continuum
    {
        let message = "`solver.matter` = \"grains\" does not support ropes".to_owned();
        table.context.fault(table.at, message, "ropes need a continuum, the default", None);
    }
    for table in tables {
        let name_field = table.require("name", "what messages and pins call the rope");
        let name = name_field.as_ref().and_then(|f| f.string()).unwrap_or_default().to_owned();
        let taken = bodies.iter().any(|r| r.name == name) || materials.iter().any(|r| r.name == name);
        if let Some(field) = name_field.filter(|_| taken) {
            let label = "names of ropes, bodies and materials must differ";
            field.fault(format!("\"{name}\" is taken"), label, None);
        }
        let read = rope(&table, folder);
        let center = read.as_ref().map_or(DVec3::ZERO, |(_, vertices)| center(vertices));
        let material = materials.len();
        let made = read.and_then(|(rope, vertices)| {
            let elastic = Elastic {
                noun: "a rope",
                density: rope.density(),
                modulus: rope.modulus(),
                poisson_ratio: 0.0,
            };
            let material_of = material_of(&table, &name, &elastic, models)?;
            Some((body_of(&table, &name, material, rope, vertices), material_of))
        });
        let (body, material_of) = made.unzip();
        bodies.push(Read { name: name.clone(), center, body });
        materials.push(material::Read { name, material: material_of });
    }
}

fn center(vertices: &[DVec3]) -> DVec3 {
    Bounds::of(vertices.iter().copied()).center()
}

fn body_of(table: &Table<'_>, name: &str, material: usize, rope: Rope, mut vertices: Vec<DVec3>) -> Body {
    let center = center(&vertices);
    vertices.iter_mut().for_each(|vertex| *vertex -= center);
    let spacing = rope.length() / rope.lengths.len() as f64;
    Body {
        name: name.to_owned(),
        material,
        shape: Shape::new(Geometry::Points(Arc::new(vertices)), center),
        sampling: Sampling::Lattice { spacing, jitter: 0.0, seed: 0 },
        velocity: table.vector_or("velocity", "m/s", DVec3::ZERO),
        angular_velocity: DVec3::ZERO,
        push_out: true,
        kind: BodyKind::Rope(rope),
    }
}

/// Numbers of the material that gives linked particles their inertia and speed of sound.
pub(super) struct Elastic {
    /// What consists of it, for messages.
    pub noun: &'static str,
    /// Density [kg/m^3].
    pub density: f64,
    /// Young's modulus [Pa].
    pub modulus: f64,
    /// Poisson's ratio [dimensionless].
    pub poisson_ratio: f64,
}

/// Returns the material of a rope or cloth.
pub(super) fn material_of(
    table: &Table<'_>,
    name: &str,
    elastic: &Elastic,
    models: &[&Descriptor],
) -> Option<Material> {
    let Some(descriptor) = models.iter().find(|descriptor| descriptor.id == MODEL) else {
        let message = format!(
            "`{}`: {} needs the model `{MODEL}`, which no library registers",
            table.path, elastic.noun
        );
        table.context.fault(table.at, message, "point --material-path to the libraries that ship", None);
        return None;
    };
    let value = |name: &str, default: Option<f64>| match name {
        "youngs_modulus" => elastic.modulus,
        "poisson_ratio" => elastic.poisson_ratio,
        _ => default.unwrap_or(f64::NAN),
    };
    let parameters = descriptor.parameters.iter().map(|p| value(&p.name, p.default)).collect();
    Some(Material {
        name: name.to_owned(),
        model: MODEL.to_owned(),
        density: elastic.density,
        parameters,
        given: ["youngs_modulus", "poisson_ratio"]
            .map(|key| (key.to_owned(), toml::Value::Float(value(key, None))))
            .to_vec(),
    })
}

fn rope(table: &Table<'_>, folder: &Path) -> Option<(Rope, Vec<DVec3>)> {
    let positive = |key: &str, unit: &str, meaning: &str| {
        table.require(key, meaning).and_then(|field| field.number(Limits::positive(unit)))
    };
    let radius = positive("radius", "m", "half the thickness [m]");
    let linear_density = positive("linear_density", "kg/m", "mass per length [kg/m]");
    let stretch_stiffness =
        positive("stretch_stiffness", "N", "EA, Young's modulus times the cross section [N]");
    let unbounded = Limits { min: 0.0, ..Limits::any("N m^2") };
    let bending_stiffness = table.number_or("bending_stiffness", unbounded, 0.0);
    let line = line(table, folder);
    let (radius, stretch_stiffness) = (radius?, stretch_stiffness?);
    let solid = Rope::solid_bending_stiffness(radius, stretch_stiffness);
    if let Some(field) = table.get("bending_stiffness").filter(|_| bending_stiffness > 1.001 * solid) {
        let message = format!("`{}` = {bending_stiffness:e} N m^2 is more than a solid rope has", field.path);
        let label = format!("EA r^2 / 4 = {solid:.3e} [N m^2]");
        field.context.warn(&field.node.at, message, label);
    }
    let (vertices, segments) = line?;
    let lengths: Vec<f64> =
        segments.iter().map(|s| vertices[s[0] as usize].distance(vertices[s[1] as usize])).collect();
    if let Some(at) = lengths.iter().position(|length| *length == 0.0) {
        let message = format!("`{}`: segment {at} has zero length", table.path);
        table.context.fault(table.at, message, "neighboring points must differ", None);
        return None;
    }
    let rope = Rope {
        segments,
        lengths,
        radius,
        linear_density: linear_density?,
        stretch_stiffness,
        bending_stiffness,
    };
    Some((rope, vertices))
}

fn line(table: &Table<'_>, folder: &Path) -> Option<Line> {
    match (table.get("points"), table.get("mesh")) {
        (Some(_), Some(mesh)) => {
            let message = format!("`{}`: `points` and `mesh` exclude each other", table.path);
            mesh.fault(message, "give one of the two", None);
            None
        }
        (None, Some(mesh)) => mesh_line(table, &mesh, folder),
        (points, None) => {
            let field = match points {
                Some(field) => field,
                None => {
                    table.require("points", "[[x, y, z], ...] [m], or `mesh = { file = \"line.obj\" }`")?
                }
            };
            polyline(table, &field)
        }
    }
}

fn polyline(table: &Table<'_>, field: &Field<'_>) -> Option<Line> {
    let points: Vec<DVec3> = field.array()?.iter().map(|p| p.vector("m")).collect::<Option<_>>()?;
    if points.len() < 2 {
        field.fault(format!("`{}` has fewer than two points", field.path), "at least two [m]", None);
        return None;
    }
    let spacing_field = table.require("spacing", "distance of the rope's particles [m]")?;
    let spacing = spacing_field.number(Limits::positive("m"))?;
    let length: f64 = points.windows(2).map(|side| side[0].distance(side[1])).sum();
    if length / spacing > MAX_VERTICES {
        let message = format!("`{}` would have {:.1e} particles", table.path, length / spacing);
        spacing_field.fault(message, format!("at least {:e} [m]", length / MAX_VERTICES), None);
        return None;
    }
    let mut vertices = divide(&points, spacing);
    let mut segments: Vec<[u32; 2]> = (1..vertices.len() as u32).map(|i| [i - 1, i]).collect();
    // Points that return to the first one close a loop, except if they only go there and back.
    if let ([first, .., last], [_, _, _, .., end]) = (&vertices[..], &mut segments[..])
        && first.distance(*last) <= 1e-9 * length
    {
        end[1] = 0;
        vertices.pop();
    }
    Some((vertices, segments))
}

fn mesh_line(rope: &Table<'_>, field: &Field<'_>, folder: &Path) -> Option<Line> {
    let table = field.table(keys::LINES)?;
    let scale = table.number_or("scale", Limits::positive(""), 1.0);
    let translate = table.vector_or("translate", "m", DVec3::ZERO);
    let rotate = table.vector_or("rotate", "degrees", DVec3::ZERO);
    let linear = DMat3::from_quat(rotation_from_degrees(rotate)) * scale;
    if let Some(spacing) = rope.get("spacing") {
        let message = format!("`{}`: the particles of a mesh are its vertices", spacing.path);
        spacing.fault(message, "`spacing` is for `points`", None);
        return None;
    }
    let (file, path) = shape::existing_file(&table, folder, "OBJ")?;
    match read_lines(&path) {
        Ok((vertices, segments)) => {
            let place = |vertex: DVec3| linear * vertex + translate;
            Some((vertices.into_iter().map(place).collect(), segments))
        }
        Err(fault) => {
            file.fault(format!("line `{}` cannot be used: {fault}", path.display()), "this file", None);
            None
        }
    }
}
