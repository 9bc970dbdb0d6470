//! Triangles and edges of cloth, which matter, other cloth and the cloth itself touch.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use tuff_scene::{BodyKind, Obstacle, Overlap, Particles, Scene, contact_radius};

use crate::links::NO_MEMBER;
use crate::{Boxes, Extent, SEPARATION_TOLERANCE};

/// Part of the mean length of its edges that a cloth keeps from itself at most: its own neighbors are no farther.
const OWN_GAP: f64 = 0.5;

/// What the contact of a cloth needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Its body.
    pub body: u32,
    /// Distance that points without extent keep from it [m].
    pub half_thickness: f64,
    /// Distance that it keeps from itself [m].
    pub own_gap: f64,
    /// Coulomb's coefficient of all that touches it [dimensionless].
    pub friction: f64,
}

/// A part of a cloth that is touched: a triangle or an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch<const N: usize> {
    /// Ids of its corners.
    pub corners: [u32; N],
    /// Index of its sheet.
    pub sheet: u32,
    /// Triangles of cloth of which it is a part, as [`Links`](crate::Links) number them, padded with [`NO_MEMBER`]: it is there as long as
    /// one of them.
    pub triangles: [u32; 2],
}

/// The cloth of a scene as others touch it. Cloth with `contact = false` is not among it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheets {
    /// Sheets, in the order of bodies.
    pub all: Vec<Sheet>,
    /// Triangles, sheet by sheet.
    pub triangles: Vec<Patch<3>>,
    /// Edges, sheet by sheet.
    pub edges: Vec<Patch<2>>,
}

impl Sheets {
    /// Collects the cloth of a scene.
    pub fn of(scene: &Scene, particles: &Particles) -> Self {
        let mut sheets = Self::default();
        let mut next = 0;
        for (body, index) in std::iter::zip(&scene.bodies, 0..) {
            let BodyKind::Cloth(cloth) = &body.kind else { continue };
            let first_triangle = next;
            next += cloth.triangles.len() as u32;
            if !cloth.contact {
                continue;
            }
            let first = particles.body.partition_point(|&b| b < index) as u32;
            let sheet = sheets.all.len() as u32;
            let mut edges: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
            for (triangle, own) in std::iter::zip(&cloth.triangles, first_triangle..) {
                let corners = triangle.map(|vertex| first + vertex);
                sheets.triangles.push(Patch { corners, sheet, triangles: [own, NO_MEMBER] });
                for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|i| corners[i])) {
                    edges
                        .entry([a.min(b), a.max(b)])
                        .and_modify(|both| both[1] = own)
                        .or_insert([own, NO_MEMBER]);
                }
            }
            let edges = edges.into_iter();
            sheets.edges.extend(edges.map(|(corners, triangles)| Patch { corners, sheet, triangles }));
            sheets.all.push(Sheet {
                body: index,
                half_thickness: 0.5 * cloth.thickness,
                own_gap: cloth.thickness.min(OWN_GAP * cloth.spacing),
                friction: cloth.friction,
            });
        }
        sheets
    }

    /// Returns which matter starts closer to a sheet than contact.
    pub fn overlaps(&self, scene: &Scene, particles: &Particles) -> Vec<Overlap> {
        if self.is_empty() {
            return Vec::new();
        }
        let at = |id: u32| particles.position[id as usize];
        let tolerance = SEPARATION_TOLERANCE * scene.solver.kernel_radius;
        let boxes =
            Boxes::new(self.triangles.iter().map(|t| Extent::around(t.corners.map(at), 0.0)).collect());
        let widest = self.all.iter().map(|sheet| sheet.half_thickness).fold(0.0, f64::max);
        // Depth of every particle in the sheets that it overlaps.
        let depths = |p: usize| -> Vec<(u32, f64)> {
            let (x, radius) = (particles.position[p], contact_radius(particles.rest_volume[p]));
            let mut found: Vec<(u32, f64)> = Vec::new();
            for index in boxes.overlapping(&Extent::around([x], radius + widest)) {
                let Patch { corners: [a, b, c], sheet, .. } = self.triangles[index as usize];
                let distance = Meeting::PointTriangle.distance(&[x, at(a), at(b), at(c)]);
                let depth = radius + self.all[sheet as usize].half_thickness - distance;
                match found.iter_mut().find(|(known, _)| *known == sheet) {
                    _ if depth <= tolerance => {}
                    Some((_, deepest)) => *deepest = deepest.max(depth),
                    None => found.push((sheet, depth)),
                }
            }
            found
        };
        let matter = |p: &usize| scene.bodies[particles.body[*p] as usize].kind.is_matter();
        let of_particle: Vec<Vec<(u32, f64)>> = (0..particles.len())
            .into_par_iter()
            .map(|p| if matter(&p) { depths(p) } else { Vec::new() })
            .collect();
        let mut overlaps: BTreeMap<(usize, u32), (usize, f64)> = BTreeMap::new();
        for (found, &body) in std::iter::zip(of_particle, &particles.body) {
            for (sheet, depth) in found {
                let (count, deepest) = overlaps.entry((body as usize, sheet)).or_default();
                (*count, *deepest) = (*count + 1, deepest.max(depth));
            }
        }
        let overlap = |((body, sheet), (count, depth)): ((usize, u32), (usize, f64))| Overlap {
            body,
            with: Obstacle::Body(self.all[sheet as usize].body as usize),
            particles: count,
            depth,
            deep: 0,
            moved: DVec3::ZERO,
            of: particles.body.iter().filter(|&&b| b as usize == body).count(),
        };
        overlaps.into_iter().map(overlap).collect()
    }

    /// Returns true if nothing can be touched.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the index of the sheet that is a body.
    pub fn of_body(&self, body: u32) -> Option<u32> {
        self.all.iter().position(|sheet| sheet.body == body).map(|index| index as u32)
    }

    /// Returns the distance that parts of two sheets keep [m].
    pub fn gap(&self, a: u32, b: u32) -> f64 {
        let [one, other] = [a, b].map(|sheet| &self.all[sheet as usize]);
        if a == b { one.own_gap } else { one.half_thickness + other.half_thickness }
    }
}

/// Members of a contact with a sheet: a point and the corners of a triangle, or the ends of two edges.
pub const SHEET_MEMBERS: usize = 4;

/// How two parts approach each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Their relative motion is the sum of those of the members times these: positive on the side to which the normal points.
    pub weights: [f64; SHEET_MEMBERS],
    /// Unit normal.
    pub normal: DVec3,
    /// Distance [m]; negative once the parts have passed through each other.
    pub distance: f64,
}

/// Parts of which only these fractions of an edge or triangle lie outside have still met inside: neighbors share their borders.
const BORDER: f64 = 1e-6;

/// Sine of the angle between edges below which they have no common normal.
const PARALLEL_EDGES: f64 = 1e-3;

/// What meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Member 0 and the triangle of the others.
    PointTriangle,
    /// The edges of members 0 and 1, and of 2 and 3.
    EdgeEdge,
}

impl Meeting {
    /// Returns how the parts approach each other between two places of their members [m], along straight lines; `None` for edges that are
    /// nearest to each other at an end, which is for points and triangles to see.
    pub fn approach(self, start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Approach> {
        let normal = |x: &[DVec3; 4]| match self {
            Self::PointTriangle => (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero(),
            Self::EdgeEdge => {
                let (a, b) = (x[1] - x[0], x[3] - x[2]);
                let n = a.cross(b);
                let parallel = n.length_squared()
                    < PARALLEL_EDGES * PARALLEL_EDGES * a.length_squared() * b.length_squared();
                if parallel { DVec3::ZERO } else { n.normalize() }
            }
        };
        let height = |x: &[DVec3; 4], n: DVec3| match self {
            Self::PointTriangle => n.dot(x[0] - x[1]),
            Self::EdgeEdge => n.dot(x[0] - x[2]),
        };
        let (first, last) = (normal(start), normal(end));
        let (mut before, mut now) = (height(start, first), height(end, last));
        let side = if before < 0.0 { -1.0 } else { 1.0 };
        (before, now) = (side * before, side * now);
        let nearest = self.nearest(end);
        if now < 0.0 && first != DVec3::ZERO && last != DVec3::ZERO {
            let time = before / (before - now);
            let met = std::array::from_fn(|i| start[i].lerp(end[i], time));
            if self.faces(&met) {
                let weights = nearest.unwrap_or_else(|| self.weights([0.5; 2]));
                return Some(Approach { weights, normal: side * last, distance: now });
            }
        }
        let weights = nearest?;
        let apart: DVec3 = std::iter::zip(weights, end).map(|(weight, x)| weight * *x).sum();
        let distance = apart.length();
        let normal = if distance > 0.0 { apart / distance } else { side * last };
        Some(Approach { weights, normal, distance })
    }

    /// Returns the distance of the parts [m].
    pub fn distance(self, x: &[DVec3; 4]) -> f64 {
        if let Some(weights) = self.nearest(x) {
            return std::iter::zip(weights, x).map(|(weight, x)| weight * *x).sum::<DVec3>().length();
        }
        let ends = [[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]].map(|[p, a, b]| on_edge(x[p], x[a], x[b]).1);
        ends.into_iter().fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Returns true if the parts, at the same height, overlap.
    fn faces(self, x: &[DVec3; 4]) -> bool {
        let inside = -BORDER..=1.0 + BORDER;
        match self {
            Self::PointTriangle => barycentric(x).iter().all(|weight| inside.contains(weight)),
            Self::EdgeEdge => lines(x).is_some_and(|at| at.iter().all(|part| inside.contains(part))),
        }
    }

    fn weights(self, [s, t]: [f64; 2]) -> [f64; 4] {
        match self {
            Self::PointTriangle => [1.0, s + t - 1.0, -s, -t],
            Self::EdgeEdge => [1.0 - s, s, t - 1.0, -t],
        }
    }

    /// Returns the weights of the nearest places; `None` for edges with one at an end.
    fn nearest(self, x: &[DVec3; 4]) -> Option<[f64; 4]> {
        match self {
            Self::PointTriangle => {
                let [s, t] = nearest_of_triangle(x);
                Some(self.weights([s, t]))
            }
            Self::EdgeEdge => {
                let at = lines(x)?;
                at.iter().all(|part| (0.0..=1.0).contains(part)).then(|| self.weights(at))
            }
        }
    }
}

/// Returns the barycentric coordinates of the foot of a point on the plane of a triangle.
fn barycentric(x: &[DVec3; 4]) -> [f64; 3] {
    let (u, v, d) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
    let n = u.cross(v);
    let scale = 1.0 / n.length_squared().max(f64::MIN_POSITIVE);
    let (s, t) = (d.cross(v).dot(n) * scale, u.cross(d).dot(n) * scale);
    [1.0 - s - t, s, t]
}

/// Returns the coordinates along the edges from the first corner of the place of a triangle that is nearest to a point.
fn nearest_of_triangle(x: &[DVec3; 4]) -> [f64; 2] {
    let [_, s, t] = barycentric(x);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        return [s, t];
    }
    let on = |a: DVec3, b: DVec3| on_edge(x[0], a, b);
    let (along, to) = (on(x[1], x[2]), on(x[1], x[3]));
    let across = on(x[2], x[3]);
    if along.1 <= to.1 && along.1 <= across.1 {
        [along.0, 0.0]
    } else if to.1 <= across.1 {
        [0.0, to.0]
    } else {
        [1.0 - across.0, across.0]
    }
}

/// Returns the part of an edge that is nearest to a point, and the square of their distance [m^2].
fn on_edge(x: DVec3, a: DVec3, b: DVec3) -> (f64, f64) {
    let edge = b - a;
    let part = ((x - a).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (part, (a + part * edge - x).length_squared())
}

/// Returns where two lines are nearest, as parts of the edges; `None` if they are about parallel.
fn lines(x: &[DVec3; 4]) -> Option<[f64; 2]> {
    let (a, b, d) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
    let (aa, ab, bb) = (a.length_squared(), a.dot(b), b.length_squared());
    let determinant = aa * bb - ab * ab;
    if determinant <= PARALLEL_EDGES * PARALLEL_EDGES * aa * bb {
        return None;
    }
    let (da, db) = (d.dot(a), d.dot(b));
    Some([(ab * db - bb * da) / determinant, (aa * db - ab * da) / determinant])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn point(x: DVec3) -> [DVec3; 4] {
        [x, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
    }

    /// Compares with the nearest of many places.
    #[test]
    fn the_nearest_place_is_found() {
        for k in 0..200 {
            let draw =
                |i: u32| f64::from((k * 3 + i).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 23) - 1.0;
            let x = 1.5 * DVec3::new(draw(0), draw(1), draw(2));
            let found = Meeting::PointTriangle.approach(&point(x), &point(x)).unwrap();
            let n = 200;
            let places = (0..=n)
                .flat_map(|i| (0..=n - i).map(move |j| DVec3::new(i as f64, j as f64, 0.0) / n as f64));
            let least = places.map(|place| place.distance(x)).fold(f64::INFINITY, f64::min);
            assert!(
                found.distance <= least + 1e-12 && found.distance > least - 1e-2,
                "{x}: {} {least}",
                found.distance
            );
            let at: DVec3 = std::iter::zip(found.weights, point(x)).map(|(weight, x)| weight * x).sum();
            assert!((at - found.distance * found.normal).length() < 1e-12);
        }
    }

    #[test]
    fn a_point_that_passes_through_is_seen_and_one_that_passes_by_is_not() {
        for side in [1.0, -1.0] {
            let through = Meeting::PointTriangle
                .approach(&point(DVec3::new(0.2, 0.3, 0.1 * side)), &point(DVec3::new(0.3, 0.2, -0.2 * side)))
                .unwrap();
            assert!((through.distance + 0.2).abs() < 1e-12 && through.normal.dot(DVec3::Z) * side > 0.999);
            let by = Meeting::PointTriangle
                .approach(&point(DVec3::new(1.2, 1.3, 0.1 * side)), &point(DVec3::new(0.9, 0.9, -0.2 * side)))
                .unwrap();
            assert!(by.distance > 0.0);
        }
        // The triangle passes the point.
        let moved = point(DVec3::new(0.2, 0.2, 0.0)).map(|x| x + DVec3::Z);
        let start = [DVec3::new(0.2, 0.2, 1.05), moved[1], moved[2], moved[3]];
        let end = [start[0], moved[1] + DVec3::Z, moved[2] + DVec3::Z, moved[3] + DVec3::Z];
        let through = Meeting::PointTriangle.approach(&start, &end).unwrap();
        assert!((through.distance + 0.95).abs() < 1e-12 && through.normal.z > 0.0, "{through:?}");
    }

    #[test]
    fn edges_that_cross_are_seen() {
        let at = |z: f64| [DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.1, z), -DVec3::Y, DVec3::Y];
        let before = Meeting::EdgeEdge.approach(&at(0.3), &at(0.2)).unwrap();
        assert!((before.distance - 0.2).abs() < 1e-12 && before.normal.z > 0.999, "{before:?}");
        let after = Meeting::EdgeEdge.approach(&at(0.3), &at(-0.1)).unwrap();
        assert!((after.distance + 0.1).abs() < 1e-12 && after.normal.z > 0.999, "{after:?}");
        let ends = |z: f64| at(z).map(|x| x).map(|x| if x.z == z { x + 3.0 * DVec3::X } else { x });
        assert!(Meeting::EdgeEdge.approach(&ends(0.3), &ends(-0.1)).is_none(), "they pass by");
    }

    #[test]
    fn weights_do_not_move_what_moves_together() {
        for meeting in [Meeting::PointTriangle, Meeting::EdgeEdge] {
            let weights = meeting.weights([0.3, 0.6]);
            assert!(weights.iter().sum::<f64>().abs() < 1e-15);
        }
    }
}
