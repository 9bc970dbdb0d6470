//! Mass properties of shapes: volume, center of mass, and the inertia that a rigid body needs.
//!
//! All follow from the moments of the solid: its volume V, its first moment (the centroid) and its second moment
//! `S = integral of x x^T dV` about the centroid, from which the inertia per unit density is `trace(S) 1 - S`.

use std::f64::consts::PI;

use glam::{DMat3, DVec2, DVec3};

use super::measure::TOLERANCE;
use super::{Geometry, Shape};

/// Volume, center of mass and inertia of a solid of uniform density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume [m^3].
    pub volume: f64,
    /// Center of mass in the scene [m].
    pub center: DVec3,
    /// Inertia per unit density about the center, scene axes [m^5].
    pub inertia: DMat3,
}

/// Moments of a solid in its local frame.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moments {
    /// Volume [m^3].
    volume: f64,
    /// Centroid [m].
    centroid: DVec3,
    /// Integral of `x x^T` about the centroid [m^5].
    second: DMat3,
}

impl Shape {
    /// Returns volume, center and inertia: closed forms for plain shapes, exact sums over edges and tetrahedra for solids of
    /// revolution and for closed meshes that do not overlap themselves. Shapes with parts or cuts, and all other meshes, are summed
    /// over cubes that are halved at the surface; the error stays below 1e-3 of each value. Bare points have no volume; that of a
    /// plane is infinite.
    pub fn mass_properties(&self) -> MassProperties {
        let Moments { volume, centroid, second } = self.moments();
        let turned = DMat3::from_quat(self.rotation);
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = turned * (DMat3::from_diagonal(DVec3::splat(trace)) - second) * turned.transpose();
        // Rounding in the rotation must not cost the symmetry.
        let inertia = (inertia + inertia.transpose()) * 0.5;
        MassProperties { volume, center: self.to_scene(centroid), inertia }
    }

    fn moments(&self) -> Moments {
        if !self.is_plain() {
            return self.summed();
        }
        let diagonal = |volume: f64, second: DVec3| Moments {
            volume,
            centroid: DVec3::ZERO,
            second: DMat3::from_diagonal(second),
        };
        match &self.geometry {
            Geometry::Plane => diagonal(f64::INFINITY, DVec3::INFINITY),
            Geometry::Points(_) => diagonal(0.0, DVec3::ZERO),
            Geometry::Box { half } => {
                let volume = 8.0 * half.x * half.y * half.z;
                diagonal(volume, volume / 3.0 * *half * *half)
            }
            Geometry::Sphere { radius } => {
                let volume = 4.0 / 3.0 * PI * radius.powi(3);
                diagonal(volume, DVec3::splat(volume * radius * radius / 5.0))
            }
            Geometry::Cylinder { half_height, radius } => {
                let volume = 2.0 * PI * half_height * radius * radius;
                let (across, along) =
                    (volume * radius * radius / 4.0, volume * half_height * half_height / 3.0);
                diagonal(volume, DVec3::new(across, along, across))
            }
            Geometry::Capsule { half_height, radius } => {
                let (tube, ball) =
                    (2.0 * PI * half_height * radius * radius, 4.0 / 3.0 * PI * radius.powi(3));
                let across = (tube / 4.0 + ball / 5.0) * radius * radius;
                // A half ball's centroid is 3/8 of its radius beyond its base.
                let along = tube * half_height * half_height / 3.0
                    + ball
                        * (half_height * half_height + 0.75 * half_height * radius + radius * radius / 5.0);
                diagonal(tube + ball, DVec3::new(across, along, across))
            }
            Geometry::Revolve { profile, .. } => revolved(profile),
            Geometry::Mesh(mesh) => {
                // The measure is numeric where the mesh overlaps itself.
                match mesh.enclosed().filter(|&(volume, _)| volume == self.measure().volume) {
                    Some((volume, centroid)) => {
                        Moments { volume, centroid, second: mesh.second_moment(centroid) }
                    }
                    None => self.summed(),
                }
            }
        }
    }

    /// Adds up cubes, as [`Shape::volume`] does.
    fn summed(&self) -> Moments {
        let sum = self.sum_cubes(TOLERANCE);
        if sum.volume <= 0.0 {
            return Moments { volume: 0.0, centroid: DVec3::ZERO, second: DMat3::ZERO };
        }
        let centroid = sum.first / sum.volume;
        Moments { volume: sum.volume, centroid, second: sum.second - outer(sum.first, centroid) }
    }
}

/// Returns `a b^T`.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Returns the moments of the solid that the counterclockwise profile encloses: integrals over the half plane as sums over its
/// edges (Green's theorem), `dV = pi r^2 dy` on the boundary.
fn revolved(profile: &[DVec2]) -> Moments {
    let (volume, height) = super::revolve::volume_and_height(profile);
    let (mut fourth, mut along) = (0.0, 0.0);
    for (i, a) in profile.iter().enumerate() {
        let b = profile[(i + 1) % profile.len()];
        let dy = b.y - a.y;
        let (c, d) = (a.y - height, b.y - height);
        // Integrals of r^4 and r^2 y^2 over the edge, as means of their Bernstein coefficients.
        fourth += dy * (0..5).map(|k| a.x.powi(k) * b.x.powi(4 - k)).sum::<f64>() / 5.0;
        let (radius, y) = ([a.x * a.x, a.x * b.x, b.x * b.x], [c * c, c * d, d * d]);
        const WEIGHTS: [[f64; 3]; 3] = [[1.0, 0.5, 1.0 / 6.0], [0.5, 2.0 / 3.0, 0.5], [1.0 / 6.0, 0.5, 1.0]];
        for (weights, radius) in std::iter::zip(WEIGHTS, radius) {
            along += dy * radius * (weights[0] * y[0] + weights[1] * y[1] + weights[2] * y[2]) / 5.0;
        }
    }
    let across = PI / 4.0 * fourth;
    Moments {
        volume,
        centroid: DVec3::Y * height,
        second: DMat3::from_diagonal(DVec3::new(across, PI * along, across)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Mesh, RawMesh};
    use std::sync::Arc;

    fn mesh(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Shape {
        let loaded = Mesh::build(RawMesh { vertices, triangles, segments: Vec::new() }, false).unwrap();
        Shape::new(Geometry::Mesh(Arc::new(loaded.mesh)), loaded.center)
    }

    /// A box as 12 triangles.
    fn cube(min: DVec3, max: DVec3) -> Shape {
        let corners = crate::Bounds { min, max }.corners().to_vec();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        mesh(corners, quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    /// A ball of `2 n` meridians and `n` parallels.
    fn globe(center: DVec3, radius: f64, n: u32) -> Shape {
        let mut vertices = vec![center + DVec3::Y * radius, center - DVec3::Y * radius];
        let mut triangles = Vec::new();
        let at = |i: u32, j: u32| match i {
            0 => 0,
            i if i == n => 1,
            i => 2 + (i - 1) * 2 * n + j % (2 * n),
        };
        for i in 1..n {
            for j in 0..2 * n {
                let (polar, around) = (PI * f64::from(i) / f64::from(n), PI * f64::from(j) / f64::from(n));
                let across = libm::sin(polar);
                let direction =
                    DVec3::new(across * libm::cos(around), libm::cos(polar), across * libm::sin(around));
                vertices.push(center + radius * direction);
            }
        }
        for i in 0..n {
            for j in 0..2 * n {
                triangles.push([at(i, j), at(i, j + 1), at(i + 1, j)]);
                triangles.push([at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)]);
            }
        }
        triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        mesh(vertices, triangles)
    }

    #[track_caller]
    fn same(found: MassProperties, exact: MassProperties, tolerance: f64) {
        let size = exact.volume.cbrt();
        let scale = exact.inertia.to_cols_array().into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!((found.volume / exact.volume - 1.0).abs() < tolerance, "{found:?} {exact:?}");
        assert!((found.center - exact.center).length() < tolerance * size, "{found:?} {exact:?}");
        for (a, b) in std::iter::zip(found.inertia.to_cols_array(), exact.inertia.to_cols_array()) {
            assert!((a - b).abs() < tolerance * scale, "{found:?} {exact:?}");
        }
    }

    fn cuboid(min: DVec3, max: DVec3) -> MassProperties {
        let edge = max - min;
        let volume = edge.x * edge.y * edge.z;
        let square = edge * edge;
        let inertia = DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
        MassProperties {
            volume,
            center: (min + max) * 0.5,
            inertia: DMat3::from_diagonal(volume / 12.0 * inertia),
        }
    }

    #[test]
    fn textbook_solids() {
        let (min, max) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.5, 2.9, 3.4));
        same(Shape::cuboid(min, max).mass_properties(), cuboid(min, max), 1e-14);
        let turned = Shape::cuboid(min, max).rotated(DVec3::new(0.0, 0.0, 90.0));
        let mut exact = cuboid(min, max);
        exact.inertia = DMat3::from_diagonal(DVec3::new(
            exact.inertia.y_axis.y,
            exact.inertia.x_axis.x,
            exact.inertia.z_axis.z,
        ));
        same(turned.mass_properties(), exact, 1e-14);
        // Turned by any angles the moments about the turned axes stay.
        let skew = Shape::cuboid(min, max).rotated(DVec3::new(20.0, -35.0, 70.0));
        let axis = skew.rotation * DVec3::X;
        let moment = axis.dot(skew.mass_properties().inertia * axis);
        assert!((moment / cuboid(min, max).inertia.x_axis.x - 1.0).abs() < 1e-14);

        let ball = |center, radius: f64| {
            let volume = 4.0 / 3.0 * PI * radius.powi(3);
            MassProperties {
                volume,
                center,
                inertia: DMat3::from_diagonal(DVec3::splat(0.4 * volume * radius * radius)),
            }
        };
        same(Shape::sphere(DVec3::ONE, 0.3).mass_properties(), ball(DVec3::ONE, 0.3), 1e-14);
        let along = |geometry, from, to| Shape::along(geometry, from, to).mass_properties();
        let (from, to) = (DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.0));
        let (radius, length): (f64, f64) = (0.4, 2.0);
        let volume = PI * radius * radius * length;
        let across = volume * (3.0 * radius * radius + length * length) / 12.0;
        let cylinder = MassProperties {
            volume,
            center: DVec3::new(0.0, 0.5, 0.0),
            inertia: DMat3::from_diagonal(DVec3::new(volume * radius * radius / 2.0, across, across)),
        };
        same(along(Geometry::Cylinder { half_height: 1.0, radius }, from, to), cylinder, 1e-14);
        let rod = along(Geometry::Capsule { half_height: 1e-9, radius: 0.3 }, DVec3::ZERO, DVec3::X);
        same(rod, ball(DVec3::X * 0.5, 0.3), 1e-7);
        // A capsule along z: two half balls, each with 83/320 m r^2 about its own centroid, and a tube.
        let (from, to) = (DVec3::ZERO, DVec3::Z);
        let half = 2.0 / 3.0 * PI * radius.powi(3);
        let tube = PI * radius * radius;
        let offset = 0.5 + 3.0 / 8.0 * radius;
        let across = tube * (3.0 * radius * radius + 1.0) / 12.0
            + 2.0 * half * (83.0 / 320.0 * radius * radius + offset * offset);
        let axial = (tube / 2.0 + 0.8 * half) * radius * radius;
        let capsule = MassProperties {
            volume: tube + 2.0 * half,
            center: DVec3::Z * 0.5,
            inertia: DMat3::from_diagonal(DVec3::new(across, across, axial)),
        };
        same(along(Geometry::Capsule { half_height: 0.5, radius }, from, to), capsule, 1e-14);
        let revolve = |profile: &[[f64; 2]]| {
            along(
                Geometry::revolve(profile.iter().copied().map(DVec2::from).collect()),
                DVec3::ZERO,
                DVec3::Y,
            )
        };
        // The profile of `from` to `to` is measured from their middle.
        let exact = along(Geometry::Cylinder { half_height: 0.5, radius }, DVec3::ZERO, DVec3::Y);
        same(revolve(&[[0.0, -0.5], [0.4, -0.5], [0.4, 0.5], [0.0, 0.5]]), exact, 1e-14);
        // A cone: 3/10 m r^2 about its axis, 3/20 m r^2 + 3/80 m h^2 across, its centroid at a quarter of the height.
        let (volume, height): (f64, f64) = (PI * 0.16 / 3.0, 1.0);
        let across = volume * (0.15 * 0.16 + 0.0375 * height * height);
        let cone = MassProperties {
            volume,
            center: DVec3::Y * 0.25,
            inertia: DMat3::from_diagonal(DVec3::new(across, 0.3 * volume * 0.16, across)),
        };
        same(revolve(&[[0.0, -0.5], [0.4, -0.5], [0.0, 0.5]]), cone, 1e-14);
    }

    #[test]
    fn meshes_are_sums_of_tetrahedra() {
        let (min, max) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.5, 2.9, 3.4));
        same(cube(min, max).mass_properties(), cuboid(min, max), 1e-13);
        let exact = Shape::sphere(DVec3::ONE, 0.3).mass_properties();
        same(globe(DVec3::ONE, 0.3, 48).mass_properties(), exact, 5e-3);
        // Twice as fine: a quarter of the error.
        let error =
            |n| 1.0 - globe(DVec3::ONE, 0.3, n).mass_properties().inertia.x_axis.x / exact.inertia.x_axis.x;
        let ratio = error(24) / error(48);
        assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn parts_and_cuts_are_within_a_thousandth() {
        let (min, max) = (DVec3::new(-0.5, 0.0, -0.5), DVec3::new(0.5, 0.6, 0.5));
        let hole = Shape::along(
            Geometry::Cylinder { half_height: 1.0, radius: 0.15 },
            DVec3::new(0.2, -0.7, 0.1),
            DVec3::new(0.2, 1.3, 0.1),
        );
        let drilled = Shape { subtract: vec![hole], ..Shape::cuboid(min, max) };
        let whole = cuboid(min, max);
        let plug = Shape::along(
            Geometry::Cylinder { half_height: 0.3, radius: 0.15 },
            DVec3::new(0.2, 0.0, 0.1),
            DVec3::new(0.2, 0.6, 0.1),
        )
        .mass_properties();
        let volume = whole.volume - plug.volume;
        let center = (whole.volume * whole.center - plug.volume * plug.center) / volume;
        // Parallel axes: the inertia about `center` of a part.
        let about = |part: &MassProperties| {
            let away = part.center - center;
            let shift = DMat3::from_diagonal(DVec3::splat(away.length_squared())) - outer(away, away);
            part.inertia + shift * part.volume
        };
        let exact = MassProperties { volume, center, inertia: about(&whole) - about(&plug) };
        same(drilled.mass_properties(), exact, 1e-3);
        let joined = Shape {
            union: vec![Shape::cuboid(DVec3::new(0.0, 0.0, -0.5), max)],
            ..Shape::cuboid(min, DVec3::new(0.2, 0.6, 0.5))
        };
        same(joined.mass_properties(), whole, 1e-3);
        let nothing = Shape { subtract: vec![Shape::cuboid(min, max)], ..Shape::cuboid(min, max) };
        assert!(nothing.mass_properties().volume <= 1e-3 * whole.volume);
    }

    /// Where a mesh overlaps itself its tetrahedra count twice.
    #[test]
    fn a_mesh_that_overlaps_itself_counts_once() {
        let corners = |min, max| crate::Bounds { min, max }.corners().to_vec();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6_u32]];
        let faces = |first: u32| {
            quads.into_iter().flat_map(move |[a, b, c, d]| {
                [[a, b, c], [a, c, d]].map(|triangle| triangle.map(|v| v + first))
            })
        };
        let mut vertices = corners(DVec3::ZERO, DVec3::new(0.6, 1.0, 1.0));
        vertices.extend(corners(DVec3::new(0.4, 0.0, 0.0), DVec3::ONE));
        let both = mesh(vertices, faces(0).chain(faces(8)).collect());
        same(both.mass_properties(), cuboid(DVec3::ZERO, DVec3::ONE), 1e-3);
    }
}
