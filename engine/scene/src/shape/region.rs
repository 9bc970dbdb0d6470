//! Classifies whole balls by side of a surface, so that samplers and integrators can skip uniform regions.

use glam::DVec3;

use super::{Geometry, Shape};

/// Position of a ball relative to a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Every point belongs to the shape.
    Inside,
    /// No point belongs to the shape.
    Outside,
    /// Some points may belong to the shape.
    Mixed,
}

impl Shape {
    /// Classifies the ball around the scene point `center` [m]; `Mixed` if it cannot tell.
    pub(crate) fn side(&self, center: DVec3, radius: f64) -> Side {
        let local = self.to_local(center);
        let own = match &self.geometry {
            Geometry::Mesh(mesh) => mesh.side(local, radius),
            Geometry::Points(_) => Side::Outside,
            geometry => {
                let (distance, reach) = (geometry.signed_distance(local), radius * (1.0 + 1e-9));
                if distance > reach {
                    Side::Outside
                } else if distance < -reach {
                    Side::Inside
                } else {
                    Side::Mixed
                }
            }
        };
        let own = self.union.iter().fold(own, |side, part| match (side, part.side(center, radius)) {
            (Side::Inside, _) | (_, Side::Inside) => Side::Inside,
            (Side::Outside, Side::Outside) => Side::Outside,
            _ => Side::Mixed,
        });
        if own == Side::Outside {
            return own;
        }
        self.subtract.iter().fold(own, |side, cut| match cut.side(center, radius) {
            Side::Outside => side,
            Side::Inside => Side::Outside,
            Side::Mixed if side == Side::Outside => side,
            Side::Mixed => Side::Mixed,
        })
    }
}
