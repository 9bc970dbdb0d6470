//! Distances of unions and intersections from those of their parts.

use glam::DVec3;

/// A surface as seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Surface {
    /// Signed distance [m], negative inside.
    pub distance: f64,
    /// Outward unit normal.
    pub normal: DVec3,
}

/// Sine squared of the angle between two normals below which their surfaces count as parallel.
pub const PARALLEL: f64 = 1e-6;

impl Surface {
    /// Returns the surface of the complement.
    pub fn flipped(self) -> Self {
        Self { distance: -self.distance, normal: -self.normal }
    }

    /// Returns the surface of the intersection of two solids. Where the nearest point is on the edge in which they meet, both surfaces
    /// count as planes, `x - edge = alpha n_a + beta n_b`; elsewhere the farther one is the nearest.
    pub fn intersection(self, other: Self) -> Self {
        let cosine = self.normal.dot(other.normal);
        let sine2 = self.normal.cross(other.normal).length_squared();
        let alpha = self.distance - cosine * other.distance;
        let beta = other.distance - cosine * self.distance;
        if sine2 > PARALLEL && alpha > 0.0 && beta > 0.0 {
            let away = (alpha * self.normal + beta * other.normal) / sine2;
            let distance = away.length();
            return Self { distance, normal: away / distance };
        }
        if other.distance > self.distance { other } else { self }
    }

    /// Returns the surface of the union of two solids.
    pub fn union(self, other: Self) -> Self {
        self.flipped().intersection(other.flipped()).flipped()
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::Shape;

    /// Distances to boxes, as exact distances to the intersection or union of other boxes.
    #[test]
    fn edges_of_intersections_and_unions_are_exact() {
        let cut = |min: [f64; 3]| Shape::cuboid(DVec3::from(min), DVec3::splat(9.0));
        // [0, 1]^3 as a larger box minus what is beyond x = 1, and beyond y = 1.
        let mut part = Shape::cuboid(DVec3::ZERO, DVec3::new(3.0, 3.0, 1.0));
        part.subtract = vec![cut([1.0, -9.0, -9.0]), cut([-9.0, 1.0, -9.0])];
        // The same box, joined from two.
        let mut joined = Shape::cuboid(DVec3::ZERO, DVec3::new(0.6, 1.0, 1.0));
        joined.union = vec![Shape::cuboid(DVec3::new(0.4, 0.0, 0.0), DVec3::ONE)];
        let whole = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        for (x, y) in [(1.3, 1.4), (1.2, 0.5), (0.5, 1.1), (0.95, 0.5), (1.7, 1.05)] {
            let p = DVec3::new(x, y, 0.5);
            assert!((part.signed_distance(p) - whole.signed_distance(p)).abs() < 1e-14, "{p}");
            assert!((part.normal(p) - whole.normal(p)).length() < 1e-12, "{p}");
            let (found, exact) = (joined.signed_distance(p), whole.signed_distance(p));
            assert!((found - exact).abs() < 1e-14, "{p}: {found} {exact}");
        }
    }

    #[test]
    fn a_hole_in_a_plate_has_a_round_rim() {
        let mut plate = Shape::cuboid(DVec3::new(-1.0, -0.1, -1.0), DVec3::new(1.0, 0.0, 1.0));
        let hole = super::super::Geometry::Cylinder { half_height: 1.0, radius: 0.3 };
        plate.subtract = vec![Shape::along(hole, DVec3::NEG_Y, DVec3::Y)];
        // 0.3 m from the rim, inward and up.
        let p = DVec3::new(0.3 - 0.18, 0.24, 0.0);
        assert!((plate.signed_distance(p) - 0.3).abs() < 1e-14);
        assert!((plate.normal(p) - DVec3::new(-0.6, 0.8, 0.0)).length() < 1e-12);
        // In the hole and in the plate.
        assert!((plate.signed_distance(DVec3::new(0.0, -0.05, 0.1)) - 0.2).abs() < 1e-14);
        assert!((plate.signed_distance(DVec3::new(0.5, -0.02, 0.0)) + 0.02).abs() < 1e-14);
    }
}
