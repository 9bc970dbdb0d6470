//! Nearest surface points for queries that stay close to each other.

use glam::DVec3;

use super::bvh::{Bvh, Nearest, nearest_on_triangle};
use super::{Mesh, Seen};

/// Number of triangles that are kept; shaders keep as many.
pub const NEAR_TRIANGLES: usize = 8;

/// The triangles nearest to a point. Around it they suffice for nearest surface points: the surface point nearest to a point at a distance
/// s is nearer than d + s, so that its triangle is nearer than d + 2 s to the first point, where d is the first point's own distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The point, local.
    center: DVec3,
    /// Distance from it up to which the triangles suffice [m]; negative where nothing is kept.
    reach: f64,
    count: usize,
    triangles: [u32; NEAR_TRIANGLES],
}

impl Default for Near {
    fn default() -> Self {
        Self { center: DVec3::ZERO, reach: -1.0, count: 0, triangles: [0; NEAR_TRIANGLES] }
    }
}

impl Near {
    /// Returns true if the kept triangles suffice for a local point.
    fn holds(&self, p: DVec3) -> bool {
        self.reach >= 0.0 && p.distance_squared(self.center) <= self.reach * self.reach
    }
}

impl Mesh {
    /// Returns the triangles nearest to a local point, for points within `wanted` [m] of it or less, if they are too many.
    pub fn near(&self, center: DVec3, wanted: f64) -> Near {
        let mut kept =
            Kept { distance: [f64::INFINITY; NEAR_TRIANGLES + 1], triangle: [0; NEAR_TRIANGLES + 1] };
        self.bvh.gather(self, center, wanted, &mut kept);
        // Rounding must not make a triangle look just too far.
        let first = kept.distance[0];
        let reach = (0.5 * (1.0 - 1e-9) * (kept.distance[NEAR_TRIANGLES] - first)).min(wanted);
        let farthest = first + 2.0 * reach;
        let count =
            kept.distance[..NEAR_TRIANGLES].iter().take_while(|d| **d <= farthest && d.is_finite()).count();
        let reach = if count > 0 { reach } else { -1.0 };
        Near { center, reach, count, triangles: std::array::from_fn(|i| kept.triangle[i]) }
    }

    /// As [`Mesh::seen_within`] without a limit, by the triangles of `near` where they suffice.
    pub fn seen_near(&self, near: &Near, p: DVec3) -> Option<Seen> {
        if !near.holds(p) {
            return self.seen_within(p, f64::INFINITY);
        }
        let mut best: Option<(f64, Nearest)> = None;
        for &triangle in &near.triangles[..near.count] {
            let (point, feature) = nearest_on_triangle(self.corners(triangle), p);
            let squared = p.distance_squared(point);
            if best.as_ref().is_none_or(|(least, _)| squared < *least) {
                best = Some((squared, Nearest { distance: squared.sqrt(), point, triangle, feature }));
            }
        }
        self.seen(p, &best?.1)
    }
}

/// The nearest triangles found so far, by distance; the last entry is only for its distance.
struct Kept {
    distance: [f64; NEAR_TRIANGLES + 1],
    triangle: [u32; NEAR_TRIANGLES + 1],
}

impl Kept {
    /// Returns the squared distance beyond which triangles do not matter, if those within `wanted` of the nearest do.
    fn bound(&self, wanted: f64) -> f64 {
        let most = self.distance[NEAR_TRIANGLES].min(self.distance[0] + 2.0 * wanted);
        most * most
    }

    fn add(&mut self, distance: f64, triangle: u32) {
        let mut at = NEAR_TRIANGLES;
        if distance >= self.distance[at] {
            return;
        }
        while at > 0 && self.distance[at - 1] > distance {
            self.distance[at] = self.distance[at - 1];
            self.triangle[at] = self.triangle[at - 1];
            at -= 1;
        }
        (self.distance[at], self.triangle[at]) = (distance, triangle);
    }
}

impl Bvh {
    /// Adds the triangles nearest to a point: as many as fit, or those that are at most twice `wanted` [m] farther than the nearest.
    fn gather(&self, mesh: &Mesh, p: DVec3, wanted: f64, kept: &mut Kept) {
        self.visit_nearest(p, f64::INFINITY, |triangles| {
            for &triangle in triangles {
                let (point, _) = nearest_on_triangle(mesh.corners(triangle), p);
                kept.add(p.distance(point), triangle);
            }
            kept.bound(wanted)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::RawMesh;

    /// Rolling ground: a grid of 24 by 24 squares of edge 1.
    fn ground() -> Mesh {
        let height = |x: u32, z: u32| 0.4 * f64::from(x).sin() + 0.3 * (0.7 * f64::from(z)).cos();
        let corner = |i: u32| DVec3::new(f64::from(i % 25), height(i % 25, i / 25), f64::from(i / 25));
        let squares = (0..24 * 24).map(|i| i / 24 * 25 + i % 24);
        let triangles = squares.flat_map(|i| [[i, i + 25, i + 26], [i, i + 26, i + 1]]).collect();
        let raw = RawMesh { vertices: (0..25 * 25).map(corner).collect(), triangles, ..RawMesh::default() };
        Mesh::build(raw, true).unwrap().mesh.patches(false).swap_remove(0)
    }

    /// Within its reach the kept triangles show what the whole mesh shows.
    #[test]
    fn kept_triangles_show_what_all_do() {
        let (mesh, mut random) = (ground(), 1_u32);
        let mut number = |most: f64| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            most * (2.0 * f64::from(random >> 8) / f64::from(1 << 24) - 1.0)
        };
        let mut seen = 0;
        for i in 0..2000 {
            let center = DVec3::new(number(11.0), number(1.0), number(11.0));
            let wanted = [1e-3, 0.05, 0.3, 3.0][i % 4];
            let near = mesh.near(center, wanted);
            assert!(near.count > 0 && near.reach >= 0.0 && near.reach <= wanted);
            for _ in 0..10 {
                let way = DVec3::new(number(1.0), number(1.0), number(1.0)).normalize() * number(near.reach);
                let p = center + 0.999 * way;
                seen += usize::from(near.holds(p));
                let (all, kept) =
                    (mesh.seen_within(p, f64::INFINITY).unwrap(), mesh.seen_near(&near, p).unwrap());
                assert!(
                    (all.distance - kept.distance).abs() < 1e-12,
                    "{p}: {} and {}",
                    all.distance,
                    kept.distance
                );
            }
        }
        assert!(seen > 19_000, "{seen} of 20000 by the kept triangles");
    }
}
