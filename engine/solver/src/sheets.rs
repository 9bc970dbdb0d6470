//! Cloth that others touch, as the shaders read it.

use glam::DVec3;
use tuff_gpu::{GpuError, Store};
use tuff_problem::links::NO_MEMBER;
use tuff_problem::{Patch, Problem, Sheet};
use tuff_scene::Bounds;

use crate::attributes::{SHEET, SHEET_EDGE, SHEET_OF_BODY, SHEET_TRIANGLE};
use crate::constants::NOTHING;

/// Bits of a place along each axis in the order of triangles.
const PLACE_BITS: u32 = 10;

/// Returns the macros that tell shaders of sheets; none without any.
pub fn defines(problem: &Problem) -> Vec<(String, String)> {
    let sheets = &problem.sheets;
    if sheets.is_empty() {
        return Vec::new();
    }
    let widest = sheets.all.iter().map(|sheet| sheet.half_thickness).fold(0.0, f64::max);
    let define = |name: &str, value: String| (name.to_owned(), value);
    vec![
        define("SHEETS", format!("{}u", sheets.all.len())),
        define("SHEET_TRIANGLES", format!("{}u", sheets.triangles.len())),
        define("SHEET_EDGES", format!("{}u", sheets.edges.len())),
        define("SHEET_LEAVES", format!("{}u", sheets.triangles.len().next_power_of_two())),
        define("WIDEST_SHEET", format!("{:e}", widest as f32)),
    ]
}

/// Uploads the sheets.
pub fn upload(problem: &Problem, store: &mut Store) -> Result<(), GpuError> {
    let sheets = &problem.sheets;
    if sheets.is_empty() {
        return Ok(());
    }
    let row = |sheet: &Sheet| {
        [sheet.half_thickness, sheet.own_gap, sheet.friction, 0.0].map(|number| number as f32)
    };
    store.upload(SHEET, &sheets.all.iter().map(row).collect::<Vec<_>>())?;
    let bodies = 0..problem.scene.bodies.len() as u32;
    let of_body: Vec<u32> = bodies.map(|body| sheets.of_body(body).unwrap_or(NOTHING)).collect();
    store.upload(SHEET_OF_BODY, &of_body)?;
    upload_parts(problem, &[], store)
}

/// Uploads triangles and edges. `torn`: 1 for triangles of cloth that have torn; empty if none has.
pub fn upload_parts(problem: &Problem, torn: &[u32], store: &mut Store) -> Result<(), GpuError> {
    if problem.sheets.is_empty() {
        return Ok(());
    }
    let there = |triangle: &u32| torn.get(*triangle as usize).is_none_or(|torn| *torn == 0);
    let edge = |edge: &Patch<2>| {
        let [a, b] = edge.corners.map(|id| id - problem.links.first_particle);
        [a, b, if owner(edge, there).is_some() { edge.sheet } else { NOTHING }, 0]
    };
    store.upload(SHEET_EDGE, &problem.sheets.edges.iter().map(edge).collect::<Vec<_>>())?;
    store.upload(SHEET_TRIANGLE, &triangles(problem, there))
}

/// Returns the triangle to which an edge belongs: the first that is there.
fn owner(edge: &Patch<2>, there: impl Fn(&u32) -> bool) -> Option<u32> {
    edge.triangles.into_iter().find(|triangle| *triangle != NO_MEMBER && there(triangle))
}

/// Returns the words of the triangles, near ones side by side.
fn triangles(problem: &Problem, there: impl Fn(&u32) -> bool) -> Vec<[u32; 4]> {
    let sheets = &problem.sheets;
    let at = |id: u32| problem.particles.position[id as usize];
    let center = |corners: &[u32; 3]| corners.map(at).into_iter().sum::<DVec3>() / 3.0;
    let centers: Vec<DVec3> = sheets.triangles.iter().map(|triangle| center(&triangle.corners)).collect();
    let whole = Bounds::of(centers.iter().copied());
    let mut order: Vec<u32> = (0..sheets.triangles.len() as u32).collect();
    order.sort_by_key(|&triangle| place(centers[triangle as usize], &whole));
    // Links number the triangles of all cloth, this list those that others touch.
    let mut owned = vec![[NOTHING; 3]; sheets.triangles.len()];
    let by_number = |number: u32| sheets.triangles.partition_point(|triangle| triangle.triangles[0] < number);
    for (edge, index) in std::iter::zip(&sheets.edges, 0..) {
        let Some(owner) = owner(edge, &there) else { continue };
        if let Some(slot) = owned[by_number(owner)].iter_mut().find(|slot| **slot == NOTHING) {
            *slot = index;
        }
    }
    let words = |&triangle: &u32| {
        let of = &sheets.triangles[triangle as usize];
        let [a, b, c] = of.corners.map(|id| id - problem.links.first_particle);
        let [ab, bc, ca] = owned[triangle as usize];
        let sheet = if there(&of.triangles[0]) { of.sheet } else { NOTHING };
        [[a, b, c, sheet], [ab, bc, ca, triangle]]
    };
    order.iter().flat_map(words).collect()
}

/// Returns the place of a point along a Morton curve through the bounds.
fn place(x: DVec3, whole: &Bounds) -> u32 {
    let edge = whole.size().max_element().max(f64::MIN_POSITIVE);
    let cells = f64::from((1_u32 << PLACE_BITS) - 1);
    let cell = ((x - whole.min) / edge * cells).to_array().map(|part| part as u32);
    (0..PLACE_BITS)
        .flat_map(|bit| (0..3).map(move |axis| (bit, axis)))
        .fold(0, |place, (bit, axis)| place | (cell[axis as usize] >> bit & 1) << (3 * bit + axis))
}
