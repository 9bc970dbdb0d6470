//! Colliders so thin that matter on one side of them lies within the kernel of matter on the other.

use tuff_scene::{Collider, Geometry};

/// Returns true if matter on two sides of a collider may be nearer to each other than `support` [m]. Shapes with parts, obstacles of
/// revolution and meshes that deform count as such without a look at their sizes: where they are thick nothing is separated.
pub(super) fn is_wall(whole: &Collider, support: f64) -> bool {
    let shape = &whole.shape;
    if whole.sheet || !shape.is_plain() {
        return true;
    }
    let width = match &shape.geometry {
        _ if whole.inside => return false,
        Geometry::Plane | Geometry::Points(_) => return false,
        Geometry::Revolve { .. } => return true,
        Geometry::Mesh(mesh) => return mesh.deformation().is_some() || mesh.is_thinner_than(support),
        Geometry::Box { half } => 2.0 * half.min_element(),
        Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => 2.0 * radius,
        Geometry::Cylinder { half_height, radius } => 2.0 * radius.min(*half_height),
    };
    width < support
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use tuff_scene::{Friction, Motion, Shape};

    use super::*;

    #[test]
    fn thin_obstacles_are_walls() {
        let collider = |geometry, inside| Collider {
            name: "c".to_owned(),
            shape: Shape::new(geometry, DVec3::ZERO),
            inside,
            sheet: false,
            thickness: 0.0,
            friction: Friction::Sticky,
            adhesion: 0.0,
            motion: Motion::IDENTITY,
        };
        let plate = || Geometry::Box { half: DVec3::new(1.0, 0.04, 1.0) };
        assert!(is_wall(&collider(plate(), false), 0.1));
        assert!(!is_wall(&collider(plate(), true), 0.1), "a container has matter on one side");
        assert!(!is_wall(&collider(plate(), false), 0.05));
        assert!(!is_wall(&collider(Geometry::Plane, false), 1e9));
        let disk = Geometry::Cylinder { half_height: 0.01, radius: 1.0 };
        assert!(is_wall(&collider(disk, false), 0.1));
        assert!(!is_wall(&collider(Geometry::Sphere { radius: 0.06 }, false), 0.1));
    }
}
