//! Exact signed distances and normals of the analytic solids, in their local frames.

use glam::{DVec2, DVec3};

use super::revolve;
use super::{Bounds, Geometry};

/// Returns the signed distance to a rectangle `|q| <= half` (q in one quadrant, components may be negative).
fn rectangle(q: DVec2) -> f64 {
    q.max(DVec2::ZERO).length() + q.x.max(q.y).min(0.0)
}

/// Returns the unit vector from the axis toward `p`; x on the axis itself.
fn radial(p: DVec3) -> DVec3 {
    DVec3::new(p.x, 0.0, p.z).try_normalize().unwrap_or(DVec3::X)
}

/// Returns the distance from the y axis and the position along it.
fn meridian(p: DVec3) -> DVec2 {
    DVec2::new((p.x * p.x + p.z * p.z).sqrt(), p.y)
}

/// Returns `value` with the sign of `sign`; +0 counts as positive.
fn with_sign(value: f64, sign: f64) -> f64 {
    if sign < 0.0 { -value } else { value }
}

impl Geometry {
    /// Returns true if the local point `p` [m] belongs to the solid.
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.contains(p),
            Self::Points(_) => false,
            _ => self.signed_distance(p) <= 0.0,
        }
    }

    /// Returns the signed distance of a local point [m].
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        match self {
            Self::Plane => p.y,
            Self::Box { half } => {
                let q = p.abs() - half;
                q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Sphere { radius } => p.length() - radius,
            Self::Cylinder { half_height, radius } => {
                let m = meridian(p);
                rectangle(DVec2::new(m.x - radius, m.y.abs() - half_height))
            }
            Self::Capsule { half_height, radius } => {
                (p - DVec3::Y * p.y.clamp(-half_height, *half_height)).length() - radius
            }
            Self::Revolve { profile, edges } => revolve::signed_distance(profile, *edges, meridian(p)),
            Self::Mesh(mesh) => mesh.signed_distance(p),
            Self::Points(_) => f64::INFINITY,
        }
    }

    /// Returns the outward unit normal at a local point.
    pub fn normal(&self, p: DVec3) -> DVec3 {
        match self {
            Self::Plane | Self::Points(_) => DVec3::Y,
            Self::Box { half } => {
                let q = p.abs() - half;
                let outward = if q.max_element() > 0.0 {
                    q.max(DVec3::ZERO).normalize()
                } else if q.x >= q.y && q.x >= q.z {
                    DVec3::X
                } else if q.y >= q.z {
                    DVec3::Y
                } else {
                    DVec3::Z
                };
                DVec3::new(with_sign(outward.x, p.x), with_sign(outward.y, p.y), with_sign(outward.z, p.z))
            }
            Self::Sphere { .. } => p.try_normalize().unwrap_or(DVec3::Y),
            Self::Cylinder { half_height, radius } => {
                let m = meridian(p);
                let q = DVec2::new(m.x - radius, m.y.abs() - half_height);
                let n = if q.max_element() > 0.0 {
                    q.max(DVec2::ZERO).normalize()
                } else if q.x >= q.y {
                    DVec2::X
                } else {
                    DVec2::Y
                };
                radial(p) * n.x + DVec3::Y * with_sign(n.y, p.y)
            }
            Self::Capsule { half_height, .. } => {
                let core = DVec3::Y * p.y.clamp(-half_height, *half_height);
                (p - core).try_normalize().unwrap_or(DVec3::X)
            }
            Self::Revolve { profile, edges } => {
                let n = revolve::normal(profile, *edges, meridian(p));
                radial(p) * n.x + DVec3::Y * n.y
            }
            Self::Mesh(mesh) => mesh.normal(p),
        }
    }

    /// Returns the largest coordinate of the solid along a unit vector [m].
    pub(crate) fn support(&self, direction: DVec3) -> f64 {
        let [across, along] = [DVec3::new(direction.x, 0.0, direction.z).length(), direction.y];
        match self {
            Self::Sphere { radius } => *radius,
            Self::Cylinder { half_height, radius } => half_height * along.abs() + radius * across,
            Self::Capsule { half_height, radius } => half_height * along.abs() + radius,
            Self::Revolve { profile, .. } => {
                profile.iter().fold(f64::NEG_INFINITY, |most, c| most.max(c.x * across + c.y * along))
            }
            _ => self
                .bounds()
                .corners()
                .into_iter()
                .fold(f64::NEG_INFINITY, |most, c| most.max(c.dot(direction))),
        }
    }

    /// Returns the box around the solid in its local frame [m].
    pub(crate) fn bounds(&self) -> Bounds {
        let symmetric = |half: DVec3| Bounds { min: -half, max: half };
        match self {
            Self::Plane => symmetric(DVec3::INFINITY),
            Self::Box { half } => symmetric(*half),
            Self::Sphere { radius } => symmetric(DVec3::splat(*radius)),
            Self::Cylinder { half_height, radius } => symmetric(DVec3::new(*radius, *half_height, *radius)),
            Self::Capsule { half_height, radius } => {
                symmetric(DVec3::new(*radius, half_height + radius, *radius))
            }
            Self::Revolve { profile, .. } => {
                let radius = profile.iter().fold(0.0_f64, |r, c| r.max(c.x));
                let low = profile.iter().fold(f64::INFINITY, |y, c| y.min(c.y));
                let high = profile.iter().fold(f64::NEG_INFINITY, |y, c| y.max(c.y));
                Bounds { min: DVec3::new(-radius, low, -radius), max: DVec3::new(radius, high, radius) }
            }
            Self::Mesh(mesh) => mesh.bounds(),
            Self::Points(points) => Bounds::of(points.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, Shape};
    use glam::{DVec2, DVec3};

    fn shapes() -> Vec<Shape> {
        let (from, to) = (DVec3::new(0.2, 0.1, 0.0), DVec3::new(0.5, 0.9, 0.4));
        vec![
            Shape::plane(DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.0, 2.0, -1.0)),
            Shape::cuboid(DVec3::new(-0.3, 0.0, 0.1), DVec3::new(0.5, 0.4, 0.7))
                .rotated(DVec3::new(20.0, -35.0, 70.0)),
            Shape::sphere(DVec3::new(0.3, 0.2, 0.1), 0.45),
            Shape::along(Geometry::Cylinder { half_height: 0.47, radius: 0.3 }, from, to),
            Shape::along(Geometry::Capsule { half_height: 0.47, radius: 0.2 }, from, to),
            Shape::along(
                Geometry::revolve(
                    [[0.0, -0.5], [0.4, -0.5], [0.1, 0.0], [0.4, 0.5], [0.0, 0.5]].map(DVec2::from).to_vec(),
                ),
                from,
                to,
            ),
        ]
    }

    fn grid() -> impl Iterator<Item = DVec3> {
        (0..1000).map(|i| DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64) * 0.183 - 0.51)
    }

    /// An exact distance has slope 1 along its normal and lands on the surface after one step.
    #[test]
    fn one_step_along_the_normal_reaches_the_surface() {
        for shape in shapes() {
            let kind = shape.geometry.kind();
            for p in grid() {
                let (d, n) = (shape.signed_distance(p), shape.normal(p));
                assert!((n.length() - 1.0).abs() < 1e-12, "{kind}: {n} at {p}");
                let q = p - n * d;
                assert!(shape.signed_distance(q).abs() < 1e-10, "{kind}: {d} at {p}, {q} is off the surface");
                let slope = (shape.signed_distance(p + n * 1e-6) - d) / 1e-6;
                assert!((slope - 1.0).abs() < 1e-6, "{kind}: slope {slope} at {p}");
                assert_eq!(shape.contains(p), d <= 0.0);
            }
        }
    }

    #[test]
    fn published_values() {
        let unit = Shape::cuboid(DVec3::splat(-1.0), DVec3::splat(1.0));
        assert_eq!(unit.signed_distance(DVec3::ZERO), -1.0);
        assert!((unit.signed_distance(DVec3::splat(2.0)) - 3.0_f64.sqrt()).abs() < 1e-15);
        let cylinder = Shape::new(Geometry::Cylinder { half_height: 2.0, radius: 1.0 }, DVec3::ZERO);
        assert!((cylinder.signed_distance(DVec3::new(4.0, 6.0, 0.0)) - 5.0).abs() < 1e-15);
        assert!((cylinder.signed_distance(DVec3::new(0.5, 1.9, 0.0)) + 0.1).abs() < 1e-15);
        let capsule = Shape::new(Geometry::Capsule { half_height: 1.0, radius: 0.5 }, DVec3::ZERO);
        assert!((capsule.signed_distance(DVec3::new(3.0, 5.0, 0.0)) - 4.5).abs() < 1e-15);
    }

    #[test]
    fn a_cut_shape_excludes_the_cut() {
        let mut shape = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        shape.subtract.push(Shape::sphere(DVec3::ZERO, 0.5));
        assert!(!shape.contains(DVec3::splat(0.1)));
        assert!(shape.contains(DVec3::splat(0.5)));
        let p = DVec3::splat(0.2);
        assert!((shape.signed_distance(p) - (0.5 - 0.2 * 3.0_f64.sqrt())).abs() < 1e-15);
        assert!((shape.normal(p) + DVec3::ONE.normalize()).length() < 1e-12);
    }

    #[test]
    fn rotation_turns_about_the_center() {
        let shape = Shape::cuboid(DVec3::ZERO, DVec3::new(4.0, 2.0, 2.0)).rotated(DVec3::new(0.0, 0.0, 90.0));
        let bounds = shape.bounds();
        assert!((bounds.min - DVec3::new(1.0, -1.0, 0.0)).length() < 1e-14);
        assert!((bounds.max - DVec3::new(3.0, 3.0, 2.0)).length() < 1e-14);
    }
}
