//! Colliders: planes and meshes are intersected exactly, other shapes by marching their signed distance.

use std::borrow::Borrow;

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use tuff_scene::Collider;
use tuff_scene::{Geometry, Mesh};

use super::view::View;

/// Maximum number of steps of a ray through one collider.
const MAX_STEPS: usize = 256;
/// Smallest step relative to the collider's size; thinner walls are not resolved.
const MIN_STEP: f64 = 1e-3;

/// Half the width of a line along an edge [samples], and the largest cosine between the normals on either side of an edge.
const EDGE_WIDTH: f64 = 2.0;
const EDGE_COSINE: f64 = 0.8;

/// Fraction of the matter behind a solid above which it is faded, and above which it is clear.
const HIDES: f32 = 0.25;
const CLEAR: f32 = 0.5;

/// Cells along the longest edge of a collider that casts a shadow.
const CASTER_CELLS: f64 = 28.0;

/// Hits of rays on colliders other than planes, in order of x, shape [height][...].
pub(crate) type Rows = Vec<Vec<Hit>>;

/// A hit of a ray on the surface of a collider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Pixel column.
    pub x: u32,
    /// Depth along the view [m].
    pub depth: f32,
    /// Unit normal, outward.
    pub normal: Vec3,
    /// Index of the collider.
    pub collider: u32,
    /// True if the collider is a container, whose contents shine through.
    pub glass: bool,
    /// Fraction of the surrounding surface that turns away sharply, from 0 to 1: the edges of a container.
    pub edge: f32,
}

/// A plane in a view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    /// A point on the plane, local [m].
    pub point: Vec3,
    /// Unit normal on the side of the matter.
    pub normal: Vec3,
    /// Unit vectors along the lines of its grid.
    pub axes: [Vec3; 2],
    /// Position of the view's origin along the axes, from the plane's own point [m].
    pub offset: [f64; 2],
}

impl Plane {
    /// Returns the depth at which `ray` meets the plane from its front; `None` elsewhere.
    pub fn depth(&self, view: &View, ray: Vec3) -> Option<f32> {
        let approach = self.normal.dot(ray);
        let height = self.normal.dot(view.eye - self.point);
        (approach < 0.0 && height > 0.0).then(|| -height / approach)
    }
}

/// Returns the planes among `colliders` at `time` [s].
pub(crate) fn planes(colliders: &[Collider], view: &View, time: f64) -> Vec<Plane> {
    let planes = colliders.iter().filter(|c| matches!(c.shape.geometry, Geometry::Plane));
    planes
        .map(|collider| {
            let pose = collider.motion.pose(time);
            let rotation = pose.rotation * collider.shape.rotation;
            let point = pose.apply(collider.shape.center);
            let side = if collider.inside { -1.0 } else { 1.0 };
            let axes = [rotation * DVec3::X, rotation * DVec3::Z];
            Plane {
                point: view.local(point),
                normal: (rotation * DVec3::Y * side).as_vec3(),
                axes: axes.map(|axis| axis.as_vec3()),
                offset: axes.map(|axis| axis.dot(view.origin - point)),
            }
        })
        .collect()
}

/// Traces all colliders that are not planes and for which `wanted` holds, at all pixels.
pub(crate) fn trace<C: Borrow<Collider>>(
    colliders: &[C],
    wanted: impl Fn(usize, &Collider) -> bool,
    view: &View,
    time: f64,
) -> Rows {
    let mut rows: Rows = vec![Vec::new(); view.size[1]];
    for (index, collider) in colliders.iter().map(Borrow::borrow).enumerate().filter(|(i, c)| wanted(*i, c)) {
        let bounds = collider.shape.bounds();
        if !bounds.size().is_finite() || bounds.is_empty() {
            continue;
        }
        let ray = Ray::new(collider, index as u32, view, time);
        let [columns, lines] = screen_box(collider, view, time);
        let range = lines[0]..lines[1];
        rows[range.clone()].par_iter_mut().zip(range).for_each(|(row, y)| {
            for x in columns[0]..columns[1] {
                ray.hits(view.ray(x, y), x as u32, row);
            }
        });
    }
    rows.par_iter_mut().for_each(|row| row.sort_by(|a, b| a.x.cmp(&b.x).then(a.depth.total_cmp(&b.depth))));
    rows
}

/// Returns how far each of `count` solid colliders is faded [0 to 1]: not at all while it hides at most a quarter of the visible
/// matter, completely if it hides half. `depth` is that of the nearest particle of every sample [m], shape [height][width].
pub(crate) fn fading(count: usize, depth: &[f32], width: usize, rows: [&Rows; 2]) -> Vec<f32> {
    let mut hidden = vec![0_u32; count];
    for row in rows.into_iter().flat_map(|rows| rows.iter().enumerate()) {
        let (y, hits) = row;
        for hit in hits.iter().filter(|hit| !hit.glass) {
            let particle = depth[y * width + hit.x as usize];
            if particle.is_finite() && hit.depth < particle {
                hidden[hit.collider as usize] += 1;
            }
        }
    }
    let seen = depth.iter().filter(|depth| depth.is_finite()).count().max(1) as f32;
    let fade = |hidden: u32| {
        let t = ((hidden as f32 / seen - HIDES) / (CLEAR - HIDES)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    hidden.into_iter().map(fade).collect()
}

/// Returns spheres just inside a solid collider, as (center in the scene at rest [m], radius [m]), which cast the collider's
/// shadow. None for planes, containers and sheets.
pub(crate) fn casters(collider: &Collider) -> Vec<(DVec3, f32)> {
    let bounds = collider.shape.bounds();
    if collider.inside
        || collider.sheet
        || !is_traced(collider)
        || !bounds.size().is_finite()
        || bounds.is_empty()
    {
        return Vec::new();
    }
    let edge = bounds.size().max_element() / CASTER_CELLS;
    let [nx, ny, nz] = bounds.size().to_array().map(|s| (s / edge).ceil().max(1.0) as usize);
    let mut spheres = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let point = bounds.min + edge * (DVec3::new(x as f64, y as f64, z as f64) + 0.5);
                let depth = -collider.shape.signed_distance(point);
                if (0.0..2.0 * edge).contains(&depth) {
                    spheres.push((point, depth.min(edge) as f32));
                }
            }
        }
    }
    spheres
}

/// Returns true if `trace` draws the collider.
pub(crate) fn is_traced(collider: &Collider) -> bool {
    !matches!(collider.shape.geometry, Geometry::Plane)
}

/// Returns the columns and lines that a collider may cover.
fn screen_box(collider: &Collider, view: &View, time: f64) -> [[usize; 2]; 2] {
    let bounds = collider.shape.bounds();
    let pose = collider.motion.pose(time);
    let mut seen = [[f32::INFINITY, f32::NEG_INFINITY]; 2];
    for corner in 0..8 {
        let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        let point = view.local(pose.apply(DVec3::new(pick(0), pick(1), pick(2))));
        let Some(p) = view.project(point) else {
            return view.size.map(|n| [0, n]);
        };
        for (range, c) in std::iter::zip(&mut seen, [p.x, p.y]) {
            *range = [range[0].min(c), range[1].max(c)];
        }
    }
    let clip = |range: [f32; 2], size: usize| {
        [(range[0] - 1.0).clamp(0.0, size as f32) as usize, (range[1] + 2.0).clamp(0.0, size as f32) as usize]
    };
    [clip(seen[0], view.size[0]), clip(seen[1], view.size[1])]
}

/// A collider with the eye in its coordinates.
struct Ray<'a> {
    collider: &'a Collider,
    index: u32,
    pose: tuff_scene::Pose,
    eye: DVec3,
    min: DVec3,
    max: DVec3,
    step: f64,
    focal: f64,
}

impl<'a> Ray<'a> {
    fn new(collider: &'a Collider, index: u32, view: &View, time: f64) -> Self {
        let pose = collider.motion.pose(time);
        let bounds = collider.shape.bounds();
        let step = MIN_STEP * bounds.size().max_element();
        let bounds = bounds.grown(2.0 * step);
        let eye = pose.inverse_apply(view.origin + view.eye.as_dvec3());
        Self {
            collider,
            index,
            pose,
            eye,
            min: bounds.min,
            max: bounds.max,
            step,
            focal: f64::from(view.focal),
        }
    }

    fn hits(&self, ray: Vec3, x: u32, row: &mut Vec<Hit>) {
        let direction = self.pose.rotation.conjugate() * ray.as_dvec3();
        match &self.collider.shape.geometry {
            Geometry::Mesh(mesh) => self.cross(mesh, direction, x, row),
            _ => self.march(direction, x, row),
        }
    }

    /// Adds the first hit of a mesh, or all hits of a container. Sheets are seen from both sides.
    fn cross(&self, mesh: &Mesh, direction: DVec3, x: u32, row: &mut Vec<Hit>) {
        let shape = &self.collider.shape;
        let local = shape.rotation.conjugate() * direction;
        let crossings = mesh.crossings(shape.to_local(self.eye), local, self.span(direction));
        let glass = self.collider.inside;
        for (at, normal) in crossings.into_iter().take(if glass { usize::MAX } else { 1 }) {
            let normal = shape.rotation * normal;
            let turned = if self.collider.sheet && normal.dot(direction) > 0.0 { -normal } else { normal };
            let point = self.eye + direction * at;
            row.push(Hit {
                x,
                depth: at as f32,
                normal: (self.pose.rotation * turned).as_vec3(),
                collider: self.index,
                glass,
                edge: if glass { self.edge(point, normal, EDGE_WIDTH * at / self.focal) } else { 0.0 },
            });
        }
    }

    fn march(&self, direction: DVec3, x: u32, row: &mut Vec<Hit>) {
        let scale = direction.length();
        let (near, far) = self.span(direction);
        let distance = |t: f64| self.collider.shape.distance_bound(self.eye + direction * t);
        let mut t = near;
        let mut before = distance(t);
        for _ in 0..MAX_STEPS {
            let next = t + before.abs().max(self.step) / scale;
            if next.is_nan() || next > far {
                return;
            }
            let after = distance(next);
            if (before < 0.0) != (after < 0.0) {
                let at = t + (next - t) * before / (before - after);
                let point = self.eye + direction * at;
                let normal = self.collider.shape.normal(point);
                let glass = self.collider.inside;
                row.push(Hit {
                    x,
                    depth: at as f32,
                    normal: (self.pose.rotation * normal).as_vec3(),
                    collider: self.index,
                    glass,
                    edge: if glass { self.edge(point, normal, EDGE_WIDTH * at / self.focal) } else { 0.0 },
                });
                if !glass {
                    return;
                }
            }
            (t, before) = (next, after);
        }
    }

    /// Returns the fraction of directions along the surface in which it turns sharply within `reach` [m] of a point.
    fn edge(&self, point: DVec3, normal: DVec3, reach: f64) -> f32 {
        let (a, b) = normal.any_orthonormal_pair();
        let turns = |way: &DVec3| self.collider.shape.normal(point + reach * *way).dot(normal) < EDGE_COSINE;
        let ways = [a, -a, b, -b];
        // One of the four directions crosses a straight edge.
        (2.0 * ways.iter().filter(|way| turns(way)).count() as f32 / ways.len() as f32).min(1.0)
    }

    /// Returns the depths at which the ray enters and leaves the box around the shape.
    fn span(&self, direction: DVec3) -> (f64, f64) {
        let inverse = direction.recip();
        let (a, b) = ((self.min - self.eye) * inverse, (self.max - self.eye) * inverse);
        (a.min(b).max_element().max(1e-6), a.max(b).min_element())
    }
}

#[cfg(test)]
mod tests {
    use tuff_scene::Friction;
    use tuff_scene::Motion;
    use tuff_scene::Shape;

    use super::*;

    fn collider(shape: Shape, inside: bool) -> Collider {
        Collider {
            name: "c".to_owned(),
            shape,
            inside,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            friction: Friction::Coulomb(0.5),
            motion: Motion::IDENTITY,
        }
    }

    fn view() -> View {
        let origin = DVec3::new(50.0, 0.0, 0.0);
        View::new(origin + 10.0 * DVec3::Z, origin, 40.0, DVec3::Y, origin, [120, 80])
    }

    #[test]
    fn a_solid_shows_its_front_and_glass_both_sides() {
        let view = view();
        for inside in [false, true] {
            let ball = [collider(Shape::sphere(view.origin, 2.0), inside)];
            let rows = trace(&ball, |_, c| is_traced(c), &view, 0.0);
            let hits: Vec<Hit> = rows[40].iter().copied().filter(|h| h.x == 60).collect();
            assert_eq!(hits.len(), if inside { 2 } else { 1 });
            assert!((hits[0].depth - 8.0).abs() < 1e-2 && hits[0].normal.z > 0.99, "{:?}", hits[0]);
            if inside {
                assert!((hits[1].depth - 12.0).abs() < 1e-2 && hits[1].normal.z < -0.99, "{:?}", hits[1]);
            }
            assert!(rows[0].is_empty());
            let covered = rows.iter().flatten().filter(|h| h.normal.z > 0.0).count() as f32;
            let pixels = view.focal * 2.0 / 96.0_f32.sqrt();
            assert!((covered / (std::f32::consts::PI * pixels * pixels) - 1.0).abs() < 0.05, "{covered}");
        }
    }

    #[test]
    fn a_container_shows_its_edges() {
        let view = view();
        let half = DVec3::splat(2.0);
        let room = [collider(Shape::cuboid(view.origin - half, view.origin + half), true)];
        let rows = trace(&room, |_, c| is_traced(c), &view, 0.0);
        // The front, 8 m away, ends this many samples beside the middle.
        let side = (2.0 / 8.0 * view.focal) as u32;
        let front = |x: u32| rows[40].iter().find(|hit| hit.x == x).unwrap().edge;
        assert_eq!((front(60), front(60 + side / 2)), (0.0, 0.0));
        assert!((60 + side - 2..60 + side).any(|x| front(x) >= 0.5));
    }

    #[test]
    fn a_plane_is_seen_from_its_front_only() {
        let view = view();
        let wall = collider(Shape::plane(view.origin, DVec3::Z), false);
        assert!(!is_traced(&wall));
        let center = view.ray(60, 40);
        let front = planes(std::slice::from_ref(&wall), &view, 0.0)[0];
        assert!((front.depth(&view, center).unwrap() - 10.0).abs() < 1e-4);
        let back = planes(&[Collider { inside: true, ..wall }], &view, 0.0)[0];
        assert!(back.depth(&view, center).is_none());
    }
}
