//! Volume and centroid: closed forms where they exist, otherwise an adaptive sum over cubes.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::{Geometry, Shape, Side, outer, revolve};
use crate::mesh::Mesh;
use crate::random::unit;

/// Relative error at which the numeric integration stops.
pub(super) const TOLERANCE: f64 = 1e-4;
/// Relative error that suffices to detect whether a closed mesh overlaps itself.
const CLOSED_TOLERANCE: f64 = 1e-3;
/// Maximum number of surface cells of the numeric integration.
const MAX_SURFACE_CELLS: usize = 200_000;

/// Size and place of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    /// Volume [m^3].
    pub volume: f64,
    /// Centroid [m]; the center of an empty shape.
    pub centroid: DVec3,
}

/// Sums over cubes inside a shape, in its local frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    /// Volume [m^3].
    pub volume: f64,
    /// Integral of x [m^4].
    pub first: DVec3,
    /// Integral of x x^T [m^5].
    pub second: DMat3,
}

impl Sum {
    const ZERO: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds a cube of this edge around `center`.
    fn add_cube(&mut self, center: DVec3, edge: f64) {
        let volume = edge.powi(3);
        self.add_point(center, volume);
        self.second += DMat3::from_diagonal(DVec3::splat(volume * edge * edge / 12.0));
    }

    fn add_point(&mut self, p: DVec3, volume: f64) {
        self.volume += volume;
        self.first += p * volume;
        self.second += outer(p, p) * volume;
    }
}

impl Shape {
    /// Returns volume and centroid together.
    pub(crate) fn measure(&self) -> Measure {
        if !self.is_plain() && !matches!(self.geometry, Geometry::Plane | Geometry::Points(_)) {
            return self.integrate(TOLERANCE);
        }
        let mut centroid = self.center;
        let volume = match &self.geometry {
            Geometry::Plane => f64::INFINITY,
            Geometry::Box { half } => 8.0 * half.x * half.y * half.z,
            Geometry::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Geometry::Cylinder { half_height, radius } => 2.0 * PI * half_height * radius * radius,
            Geometry::Capsule { half_height, radius } => {
                2.0 * PI * half_height * radius * radius + 4.0 / 3.0 * PI * radius.powi(3)
            }
            Geometry::Revolve { profile, .. } => {
                let (volume, height) = revolve::volume_and_height(profile);
                centroid = self.to_scene(DVec3::Y * height);
                volume
            }
            Geometry::Points(points) => {
                let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
                centroid = self.to_scene(mean);
                0.0
            }
            Geometry::Mesh(mesh) => {
                let (volume, local) = mesh.measured(|| self.measure_mesh(mesh));
                centroid = self.to_scene(local);
                volume
            }
        };
        Measure { volume, centroid }
    }

    /// Returns volume and local centroid of a mesh: exact if it is closed and does not overlap itself.
    fn measure_mesh(&self, mesh: &Mesh) -> (f64, DVec3) {
        if let Some((volume, local)) = mesh.enclosed() {
            let coarse = self.integrate(CLOSED_TOLERANCE);
            if (volume - coarse.volume).abs() <= 5.0 * CLOSED_TOLERANCE * volume {
                return (volume, local);
            }
        }
        let fine = self.integrate(TOLERANCE);
        (fine.volume, self.to_local(fine.centroid))
    }

    fn integrate(&self, tolerance: f64) -> Measure {
        let sum = self.sum_cubes(tolerance);
        let centroid = if sum.volume > 0.0 { self.to_scene(sum.first / sum.volume) } else { self.center };
        Measure { volume: sum.volume, centroid }
    }

    /// Adds up cubes of the local frame that lie inside. Cubes on the surface are halved until their possible contribution to the
    /// error is small, and then decided by one random point each, which leaves no bias where a surface runs along the cubes.
    pub(super) fn sum_cubes(&self, tolerance: f64) -> Sum {
        let mut sum = Sum::ZERO;
        let bounds = self.local_bounds();
        let mut edge = bounds.size().max_element() / 8.0;
        if bounds.is_empty() || edge <= 0.0 || !edge.is_finite() {
            return sum;
        }
        let count = (bounds.size() / edge).ceil().max(DVec3::ONE);
        let mut cells = Vec::new();
        for z in 0..count.z as u32 {
            for y in 0..count.y as u32 {
                for x in 0..count.x as u32 {
                    cells.push(bounds.min + (DVec3::new(x.into(), y.into(), z.into()) + 0.5) * edge);
                }
            }
        }
        loop {
            let half_diagonal = 0.75_f64.sqrt() * edge;
            let sides: Vec<Side> =
                cells.par_iter().map(|&c| self.side(self.to_scene(c), half_diagonal)).collect();
            let mut sides = sides.into_iter();
            cells.retain(|&c| match sides.next().unwrap_or(Side::Outside) {
                Side::Mixed => true,
                Side::Outside => false,
                Side::Inside => {
                    sum.add_cube(c, edge);
                    false
                }
            });
            let surface = cells.len() as f64 * edge.powi(3);
            let error = 0.5 * surface / (cells.len() as f64).sqrt().max(1.0) / (sum.volume + 0.5 * surface);
            if cells.is_empty() || error < tolerance || cells.len() * 4 > MAX_SURFACE_CELLS {
                break;
            }
            edge *= 0.5;
            cells = cells
                .iter()
                .flat_map(|&c| {
                    (0..8).map(move |corner| {
                        let sign = |axis: i32| if corner >> axis & 1 == 0 { -0.5 } else { 0.5 };
                        c + DVec3::new(sign(0), sign(1), sign(2)) * edge
                    })
                })
                .collect();
        }
        let mut random = ChaCha8Rng::seed_from_u64(0);
        for c in &mut cells {
            let offset = DVec3::new(unit(&mut random), unit(&mut random), unit(&mut random)) - 0.5;
            *c += offset * edge;
        }
        let inside: Vec<DVec3> = cells.into_par_iter().filter(|&p| self.contains(self.to_scene(p))).collect();
        for p in inside {
            sum.add_point(p, edge.powi(3));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn numeric_integration_agrees_with_closed_forms() {
        let shapes = [
            Shape::cuboid(DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.3, 2.9, 3.4))
                .rotated(DVec3::new(10.0, 20.0, 30.0)),
            Shape::sphere(DVec3::new(1.0, 0.0, 0.0), 0.3),
            Shape::along(
                Geometry::Capsule { half_height: 0.5, radius: 0.2 },
                DVec3::ZERO,
                DVec3::new(0.6, 0.8, 0.0),
            ),
            Shape::along(
                Geometry::revolve([[0.0, -0.5], [0.5, -0.5], [0.0, 0.5]].map(DVec2::from).to_vec()),
                DVec3::ZERO,
                DVec3::X,
            ),
        ];
        for shape in shapes {
            let (exact, numeric) = (shape.measure(), shape.integrate(TOLERANCE));
            let size = exact.volume.cbrt();
            assert!((numeric.volume / exact.volume - 1.0).abs() < 5e-4, "{exact:?} {numeric:?}");
            assert!((numeric.centroid - exact.centroid).length() < 5e-4 * size, "{exact:?} {numeric:?}");
        }
    }

    #[test]
    fn a_cut_takes_its_volume_away() {
        let mut shape = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        shape.subtract.push(Shape::cuboid(DVec3::new(0.5, -1.0, -1.0), DVec3::new(2.0, 0.25, 2.0)));
        assert!((shape.volume() - 0.875).abs() < 2e-4, "{}", shape.volume());
        shape.subtract.push(Shape::plane(DVec3::new(0.0, 0.5, 0.0), DVec3::NEG_Y));
        assert!((shape.volume() - 0.375).abs() < 2e-4, "{}", shape.volume());
        shape.subtract.push(Shape::sphere(DVec3::ZERO, 9.0));
        assert_eq!(shape.volume(), 0.0);
    }
}
