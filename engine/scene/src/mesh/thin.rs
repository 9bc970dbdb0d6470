//! Meshes so thin that what touches them on one side is near what touches them on the other.

use super::Mesh;
use super::bvh::nearest_on_triangle;

/// Cosine of the angle between two sides that face away from each other: more than 120 degrees.
pub const OPPOSED: f64 = -0.5;

/// Maximum number of triangles of which a mesh is judged.
const SAMPLES: usize = 4096;

impl Mesh {
    /// Returns true if somewhere two sides face away from each other with less than `width` [m] between them. Large meshes are judged by
    /// a part of their triangles, each by its corners and its middle.
    pub fn is_thinner_than(&self, width: f64) -> bool {
        let step = self.triangles.len().div_ceil(SAMPLES).max(1);
        (0..self.triangles.len() as u32).step_by(step).any(|triangle| self.is_thin_at(triangle, width))
    }

    fn is_thin_at(&self, triangle: u32, width: f64) -> bool {
        let [a, b, c] = self.corners(triangle);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        [a, b, c, (a + b + c) / 3.0].into_iter().any(|point| {
            let mut thin = false;
            self.bvh.visit(
                |bounds| point.distance_squared(point.clamp(bounds.min, bounds.max)) < width * width,
                |other| {
                    let corners = self.corners(other);
                    let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                    if normal.dot(across.normalize_or_zero()) < OPPOSED {
                        let way = nearest_on_triangle(corners, point).0 - point;
                        thin |= way.length_squared() < width * width && way.dot(normal) <= 0.0;
                    }
                },
            );
            thin
        })
    }
}
