//! Cloth as triangles in the depth buffer of the particles.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use tuff_scene::Scene;

use super::view::{View, samples};
use crate::cloth::{Sheet, cloths};

/// The triangles of a cloth.
pub(crate) struct Mesh {
    /// Its body.
    body: u32,
    /// Corners, as indices of its vertices.
    triangles: Vec<[u32; 3]>,
}

/// Returns all cloth, in the order in which [`Frame::torn`](tuff_problem::Frame) numbers triangles.
pub(crate) fn meshes(scene: &Scene) -> Vec<Mesh> {
    let of = |sheet: Sheet<'_>| Mesh { body: sheet.body, triangles: sheet.cloth.triangles.clone() };
    cloths(scene).map(of).collect()
}

/// Returns the triangles of cloth as indices of particles, of which `bodies` names the bodies; the vertices of a cloth follow each other.
pub(crate) fn triangles(meshes: &[Mesh], bodies: &[u32]) -> Vec<[u32; 3]> {
    let of = |mesh: &Mesh| {
        let first = bodies.iter().position(|&body| body == mesh.body).unwrap_or(bodies.len()) as u32;
        mesh.triangles.iter().map(move |t| t.map(|vertex| first + vertex)).collect::<Vec<_>>()
    };
    meshes.iter().flat_map(of).collect()
}

/// A corner as drawn.
#[derive(Clone, Copy)]
struct Corner {
    id: u32,
    /// Place in the picture [samples].
    at: Vec2,
    /// Inverse of the depth along the view [1/m].
    inverse: f32,
    /// Mean normal of the triangles around it.
    normal: Vec3,
}

/// What a sample shows of the cloth.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    /// Depth along the view [m]; infinite without cloth.
    pub depth: f32,
    /// The nearest corner.
    pub particle: u32,
    /// Unit normal towards the viewer.
    pub normal: Vec3,
}

/// Draws triangles of particles at local `position` [m]; `band` samples high parts of the picture are drawn in parallel. Returns what each
/// sample shows, shape [height, width]; empty without triangles.
pub(crate) fn draw(view: &View, position: &[Vec3], triangles: &[[u32; 3]], band: usize) -> Vec<Fragment> {
    if triangles.is_empty() {
        return Vec::new();
    }
    let [width, height] = view.size;
    let mut normal = vec![Vec3::ZERO; position.len()];
    for t in triangles {
        let [a, b, c] = t.map(|id| position[id as usize]);
        t.iter().for_each(|&id| normal[id as usize] += (b - a).cross(c - a));
    }
    let corner = |id: u32| {
        let at = view.project(position[id as usize]).filter(|at| at.is_finite())?;
        let normal = normal[id as usize].normalize_or_zero();
        Some(Corner { id, at: at.truncate(), inverse: 1.0 / at.z, normal })
    };
    let drawn: Vec<[Corner; 3]> =
        triangles.iter().filter_map(|&[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?])).collect();
    let nothing = Fragment { depth: f32::INFINITY, particle: 0, normal: Vec3::ZERO };
    let mut fragments = vec![nothing; width * height];
    fragments.par_chunks_mut(band * width).enumerate().for_each(|(index, rows)| {
        let first = index * band;
        let last = first + rows.len() / width;
        for corners in &drawn {
            let [low, high] =
                [Vec2::min, Vec2::max].map(|by| by(by(corners[0].at, corners[1].at), corners[2].at));
            for y in samples(low.y, high.y, first..last) {
                for x in samples(low.x, high.x, 0..width) {
                    let seen = &mut rows[(y - first) * width + x];
                    match fragment(view, corners, x, y) {
                        Some(fragment) if fragment.depth < seen.depth => *seen = fragment,
                        _ => {}
                    }
                }
            }
        }
    });
    fragments
}

/// Returns what a sample shows of a triangle, if it lies inside.
fn fragment(view: &View, corners: &[Corner; 3], x: usize, y: usize) -> Option<Fragment> {
    let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
    let area = |a: Vec2, b: Vec2, c: Vec2| (b - a).perp_dot(c - a);
    let [a, b, c] = corners.map(|corner| corner.at);
    let whole = area(a, b, c);
    let parts = [area(at, b, c) / whole, area(a, at, c) / whole, area(a, b, at) / whole];
    if !parts.iter().all(|part| *part >= 0.0) {
        return None;
    }
    let inverse: f32 = std::iter::zip(parts, corners).map(|(part, corner)| part * corner.inverse).sum();
    let weights: [f32; 3] = std::array::from_fn(|i| parts[i] * corners[i].inverse / inverse);
    let nearest = (0..3).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
    let normal: Vec3 = std::iter::zip(weights, corners).map(|(weight, corner)| weight * corner.normal).sum();
    let normal = normal.normalize_or(-view.forward);
    let towards = if normal.dot(view.ray(x, y)) > 0.0 { -normal } else { normal };
    Some(Fragment { depth: 1.0 / inverse, particle: corners[nearest].id, normal: towards })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn a_triangle_covers_its_area_at_its_depth_and_the_nearer_one_wins() {
        let view =
            View::new(DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO, 40.0, DVec3::Y, DVec3::ZERO, [200, 100]);
        let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let position = [
            corner(-1.0, -1.0, 0.0),
            corner(1.0, -1.0, 0.0),
            corner(0.0, 1.0, 0.0),
            corner(-0.5, -0.2, -1.0),
            corner(0.5, -0.2, -1.0),
            corner(0.0, 0.2, 1.0),
            corner(0.0, 0.0, 20.0),
        ];
        let fragments = draw(&view, &position, &[[0, 1, 2], [4, 3, 5], [4, 3, 6]], 32);
        let covered = fragments.iter().filter(|fragment| fragment.depth.is_finite()).count() as f32;
        let pixels = view.focal / 10.0;
        assert!((covered / (2.0 * pixels * pixels) - 1.0).abs() < 0.05, "{covered}");
        let at = |x: f32, y: f32| {
            let at = view.project(corner(x, y, 0.0)).unwrap();
            fragments[at.y as usize * 200 + at.x as usize]
        };
        let low = at(-0.5, -0.8);
        assert!((low.depth - 10.0).abs() < 1e-3 && low.particle == 0 && low.normal.z > 0.99);
        // The tilted one is behind at its foot and in front at its top; its normal is turned towards the viewer.
        let top = at(0.0, 0.1);
        assert!(top.depth < 9.6 && top.particle == 5 && top.normal.z > 0.0, "{}", top.depth);
        assert!((at(0.0, -0.1).depth - 10.0).abs() < 1e-3);
        assert!(draw(&view, &position, &[], 32).is_empty());
    }
}
