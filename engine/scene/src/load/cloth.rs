//! The tables `cloth`.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use tuff_material_sdk::descriptor::Descriptor;

use super::body::Read;
use super::{keys, material, mesh, rigid, rope, shape};
use crate::cloth::{self, Cloth};
use crate::decode::{Field, Limits, Table};
use crate::defaults;
use crate::mesh::read_surface;
use crate::rope::BodyKind;
use crate::scene::{Body, Matter, Sampling, SolverSettings};
use crate::shape::{Bounds, Geometry, Shape};

/// Maximum number of cells of a grid along one side.
const MAX_CELLS: f64 = 10_000.0;

/// Vertices [m] and triangles.
type Surface = (Vec<DVec3>, Vec<[u32; 3]>);

/// Returns true if there are cloths.
pub(super) fn any(root: &Table<'_>) -> bool {
    root.get("cloth").is_some_and(|field| field.node.element(0).is_some())
}

/// Appends a body and a material for each cloth.
pub(super) fn cloths(
    root: &Table<'_>,
    folder: &Path,
    models: &[&Descriptor],
    solver: Option<&SolverSettings>,
    materials: &mut Vec<material::Read>,
    bodies: &mut Vec<Read>,
) {
    let tables = root.tables("cloth", keys::CLOTH);
    if let (true, Some(field)) = (tables.is_empty(), root.get("cloth")) {
        field.fault("`cloth` is empty", "a `[[cloth]]` or nothing", None);
    }
    if let (Some(table), Some(settings)) = (tables.first(), solver)
        && settings.matter != Matter::Continuum
    {
        let message = "`solver.matter` = \"grains\" does not support cloth".to_owned();
        table.context.fault(table.at, message, "cloth needs a continuum, the default", None);
    }
    for table in tables {
        let name_field = table.require("name", "what messages and pins call the cloth");
        let name = name_field.as_ref().and_then(|f| f.string()).unwrap_or_default().to_owned();
        if let (Some(field), Some(bad)) =
            (&name_field, name.chars().find(|c| !matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-')))
        {
            let message =
                format!("`{}` = \"{name}\" has a character that file names avoid: `{bad}`", field.path);
            field.fault(message, "letters, digits, `_` and `-`: it names the files of its meshes", None);
        }
        let taken = bodies.iter().any(|r| r.name == name)
            || materials.iter().any(|r| r.name == name)
            || rigid::is_named(root, "collider", &name);
        if let Some(field) = name_field.filter(|_| taken) {
            let label = "names of cloth, ropes, bodies, materials and colliders must differ";
            field.fault(format!("\"{name}\" is taken"), label, None);
        }
        let read = read(&table, folder);
        let center = read.as_ref().map_or(DVec3::ZERO, |(_, vertices)| center(vertices));
        let material = materials.len();
        let made = read.and_then(|(cloth, vertices)| {
            let elastic = rope::Elastic {
                noun: "cloth",
                density: cloth.density(),
                modulus: cloth.modulus(),
                poisson_ratio: 0.0,
            };
            let material_of = rope::material_of(&table, &name, &elastic, models)?;
            Some((body_of(&table, &name, material, cloth, vertices), material_of))
        });
        let (body, material_of) = made.unzip();
        bodies.push(Read { name: name.clone(), center, body });
        materials.push(material::Read { name, material: material_of });
    }
}

fn center(vertices: &[DVec3]) -> DVec3 {
    Bounds::of(vertices.iter().copied()).center()
}

fn body_of(table: &Table<'_>, name: &str, material: usize, cloth: Cloth, mut vertices: Vec<DVec3>) -> Body {
    let center = center(&vertices);
    vertices.iter_mut().for_each(|vertex| *vertex -= center);
    Body {
        name: name.to_owned(),
        material,
        shape: Shape::new(Geometry::Points(Arc::new(vertices)), center),
        sampling: Sampling::Lattice { spacing: cloth.spacing, jitter: 0.0, seed: 0 },
        velocity: table.vector_or("velocity", "m/s", DVec3::ZERO),
        angular_velocity: DVec3::ZERO,
        push_out: true,
        kind: BodyKind::Cloth(cloth),
    }
}

fn read(table: &Table<'_>, folder: &Path) -> Option<(Cloth, Vec<DVec3>)> {
    let positive = |key: &str, unit: &str, meaning: &str| {
        table.require(key, meaning).and_then(|field| field.number(Limits::positive(unit)))
    };
    let surface_density = positive("surface_density", "kg/m^2", "mass per area [kg/m^2]");
    let stretch_stiffness = positive("stretch_stiffness", "N/m", "Young's modulus times the thickness [N/m]");
    let thickness = positive("thickness", "m", "the thickness [m]: it touches colliders at half of it");
    let poisson_ratio =
        table.number_or("poisson_ratio", Limits::between(-0.9, 0.9, ""), defaults::CLOTH_POISSON_RATIO);
    let bending_stiffness =
        table.number_or("bending_stiffness", Limits { min: 0.0, ..Limits::any("N m") }, 0.0);
    let damping = table.number_or("damping", Limits::between(0.0, 1e3, "s"), 0.0);
    let tear_strain = table.number_or("tear_strain", Limits::between(0.0, 100.0, ""), 0.0);
    let contact = table.boolean_or("contact", true);
    let friction = table.number_or("friction", Limits::between(0.0, 1e6, ""), defaults::FRICTION);
    if let Some(field) = table.get("friction").filter(|_| !contact) {
        let message = format!("`{}` has no effect with `contact` = false", field.path);
        field.context.warn(&field.node.at, message, "on colliders and rigid bodies, their own friction acts");
    }
    let surface = surface(table, folder);
    let (thickness, stretch_stiffness) = (thickness?, stretch_stiffness?);
    let solid = Cloth::solid_bending_stiffness(thickness, stretch_stiffness, poisson_ratio);
    if let Some(field) = table.get("bending_stiffness").filter(|_| bending_stiffness > 1.001 * solid) {
        let message = format!("`{}` = {bending_stiffness:e} N m is more than a solid sheet has", field.path);
        let label = format!("Y t^3 / (12 (1 - nu^2)) = {solid:.3e} [N m]");
        field.context.warn(&field.node.at, message, label);
    }
    let (vertices, triangles) = surface?;
    let (areas, spacing) = cloth::measure(&vertices, &triangles);
    let cloth = Cloth {
        triangles,
        areas,
        spacing,
        surface_density: surface_density?,
        stretch_stiffness,
        poisson_ratio,
        bending_stiffness,
        damping,
        thickness,
        tear_strain,
        friction,
        contact,
    };
    Some((cloth, vertices))
}

fn surface(table: &Table<'_>, folder: &Path) -> Option<Surface> {
    match (table.get("grid"), table.get("mesh")) {
        (Some(_), Some(mesh)) => {
            let message = format!("`{}`: `grid` and `mesh` exclude each other", table.path);
            mesh.fault(message, "give one of the two", None);
            None
        }
        (None, Some(mesh)) => of_mesh(&mesh, folder),
        (Some(grid), None) => of_grid(&grid),
        (None, None) => {
            let meaning = "{ corner, u, v [m], cells = [nu, nv] }, or `mesh = { file = \"sheet.obj\" }`";
            table.require("grid", meaning).and(None)
        }
    }
}

fn of_grid(field: &Field<'_>) -> Option<Surface> {
    let table = field.table(keys::GRID)?;
    let vector = |key: &str, meaning: &str| table.require(key, meaning).and_then(|f| f.vector("m"));
    let corner = vector("corner", "where the grid begins [m]");
    let u = vector("u", "the side along which vertices are numbered first [m]");
    let v = vector("v", "the other side [m]");
    let cells = table.require("cells", "number of cells along u and v").and_then(|cells| {
        let [along_u, along_v] = cells.numbers::<2>("")?;
        let whole = |count: f64| count.fract() == 0.0 && (1.0..=MAX_CELLS).contains(&count);
        if !whole(along_u) || !whole(along_v) {
            let message = format!("`{}` = {} is out of range", cells.path, cells.node.shown());
            cells.fault(message, format!("two whole numbers from 1 to {MAX_CELLS}"), None);
            return None;
        }
        Some([along_u as u32, along_v as u32])
    });
    let (corner, u, v, cells) = (corner?, u?, v?, cells?);
    let (vertices, triangles) = cloth::grid(corner, u, v, cells);
    match cloth::check(&vertices, &triangles) {
        Ok(()) => Some((vertices, triangles)),
        Err(fault) => {
            let message = format!("`{}`: {}", field.path, fault.what);
            field.fault(
                message,
                "u and v must not be parallel, and cells not a thousand times as long as wide",
                None,
            );
            None
        }
    }
}

fn of_mesh(field: &Field<'_>, folder: &Path) -> Option<Surface> {
    let table = field.table(keys::CLOTH_MESH)?;
    let place = mesh::place(&table);
    let (file, path) = shape::existing_file(&table, folder, "OBJ, PLY or glTF")?;
    let name = format!("mesh `{}`", path.display());
    let (mut vertices, triangles) = match read_surface(&path) {
        Ok(surface) => surface,
        Err(fault) => {
            file.fault(format!("{name} cannot be used: {fault}"), "this file", None);
            return None;
        }
    };
    vertices.iter_mut().for_each(|vertex| *vertex = place.transform_point3(*vertex));
    match cloth::check(&vertices, &triangles) {
        Ok(()) => Some((vertices, triangles)),
        Err(fault) => {
            file.fault(format!("{name} is no cloth: {}", fault.what), fault.allowed, None);
            None
        }
    }
}
