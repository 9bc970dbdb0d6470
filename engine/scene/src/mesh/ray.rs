//! Where rays meet a mesh.

use glam::DVec3;

use super::Mesh;

impl Mesh {
    /// Returns where the ray `origin + t direction` meets triangles, for t within `span`: t and the unit normal of the triangle, by
    /// increasing t. Local coordinates.
    pub fn crossings(&self, origin: DVec3, direction: DVec3, span: (f64, f64)) -> Vec<(f64, DVec3)> {
        let mut found = Vec::new();
        let inverse = direction.recip();
        self.bvh.visit(
            |bounds| {
                let (a, b) = ((bounds.min - origin) * inverse, (bounds.max - origin) * inverse);
                a.min(b).max_element().max(span.0) <= a.max(b).min_element().min(span.1)
            },
            |triangle| {
                let [a, b, c] = self.corners(triangle);
                let met = where_ray_meets([a, b, c], origin, direction);
                if let Some(t) = met.filter(|t| (span.0..=span.1).contains(t)) {
                    found.extend((b - a).cross(c - a).try_normalize().map(|normal| (t, normal)));
                }
            },
        );
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }
}

/// Returns t where the line `origin + t direction` meets a triangle (Moeller and Trumbore 1997), if it does; not for lines in its plane.
pub fn where_ray_meets([a, b, c]: [DVec3; 3], origin: DVec3, direction: DVec3) -> Option<f64> {
    let (ab, ac, to) = (b - a, c - a, origin - a);
    let across = direction.cross(ac);
    let determinant = ab.dot(across);
    let (u, turned) = (to.dot(across) / determinant, to.cross(ab));
    let (v, t) = (direction.dot(turned) / determinant, ac.dot(turned) / determinant);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(t)
}
