//! The camera of a preview.

use std::ops::Range;

use glam::{DVec3, Vec3};

/// Vertical field of view of a fitted camera [degrees].
const FITTED_FOV: f64 = 30.0;
/// Fraction of the picture that a fitted camera fills [dimensionless].
const FILL: f64 = 0.86;
/// Azimuth and elevation from which a fitted camera looks [degrees].
const FITTED_DIRECTION: (f64, f64) = (32.0, 17.0);

/// Returns the samples of a line whose centers lie between two places [samples].
pub(crate) fn samples(low: f32, high: f32, within: Range<usize>) -> Range<usize> {
    let first = (low - 0.5).ceil().max(within.start as f32) as usize;
    first..(high + 0.5).floor().clamp(0.0, within.end as f32) as usize
}

/// A perspective view onto a pixel grid. Positions are local: relative to [`View::origin`].
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Origin of the local coordinates [m].
    pub origin: DVec3,
    /// Eye, local [m].
    pub eye: Vec3,
    /// Unit vector to the right of the picture.
    pub right: Vec3,
    /// Unit vector to the top of the picture.
    pub up: Vec3,
    /// Unit vector into the picture.
    pub forward: Vec3,
    /// Distance of the picture plane [pixels].
    pub focal: f32,
    /// Width and height [pixels].
    pub size: [usize; 2],
    /// Height of the whole picture, and the line in it at which this view begins [pixels].
    pub whole: usize,
    pub top: usize,
}

impl View {
    /// Creates a view from `eye` to `target` [m] with vertical field of view `fov` [degrees]. `origin` [m] should be near the
    /// visible scene, so that single precision suffices.
    pub fn new(eye: DVec3, target: DVec3, fov: f64, up: DVec3, origin: DVec3, size: [usize; 2]) -> Self {
        let [right, up, forward] = basis(target - eye, up);
        let focal = 0.5 * size[1] as f64 / (0.5 * fov.to_radians()).tan();
        Self {
            origin,
            eye: (eye - origin).as_vec3(),
            right: right.as_vec3(),
            up: up.as_vec3(),
            forward: forward.as_vec3(),
            focal: focal as f32,
            size,
            whole: size[1],
            top: 0,
        }
    }

    /// Returns the part of a whole view on some lines.
    pub fn band(&self, lines: Range<usize>) -> Self {
        Self { size: [self.size[0], lines.len()], top: lines.start, ..self.clone() }
    }

    /// Returns a whole view with a `divisor`-th of its pixels along each axis.
    pub fn reduced(&self, divisor: usize) -> Self {
        let size = self.size.map(|n| n.div_ceil(divisor));
        Self { size, whole: size[1], focal: self.focal / divisor as f32, ..self.clone() }
    }

    /// Returns a view in which all `points` [m] are visible and fill most of the picture.
    pub fn fitted(points: &[DVec3], up: DVec3, size: [usize; 2]) -> Self {
        let center = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let (azimuth, elevation) = (FITTED_DIRECTION.0.to_radians(), FITTED_DIRECTION.1.to_radians());
        let side = up.any_orthonormal_pair();
        let (a, b) = if up == DVec3::Y {
            (DVec3::Z, DVec3::X)
        } else if up == DVec3::Z {
            (-DVec3::Y, DVec3::X)
        } else {
            side
        };
        let toward_eye = elevation.cos() * (azimuth.cos() * a + azimuth.sin() * b) + elevation.sin() * up;
        let [right, top, forward] = basis(-toward_eye, up);

        let tan_y = (0.5 * FITTED_FOV.to_radians()).tan() * FILL;
        let tan_x = tan_y * size[0] as f64 / size[1] as f64;
        let mut target = center;
        let mut distance = 0.0;
        for _ in 0..8 {
            distance = 1e-6_f64;
            for p in points {
                let [x, y, z] = [right, top, forward].map(|axis| axis.dot(p - target));
                distance = distance.max(x.abs() / tan_x - z).max(y.abs() / tan_y - z);
            }
            // Re-center on the middle of the visible points.
            for (axis, shown) in [(right, tan_x), (top, tan_y)] {
                let slope = |p: &DVec3| axis.dot(p - target) / (distance + forward.dot(p - target));
                let low = points.iter().map(slope).fold(f64::INFINITY, f64::min);
                let high = points.iter().map(slope).fold(f64::NEG_INFINITY, f64::max);
                if (high + low).is_finite() {
                    target += axis * (0.5 * (high + low)).clamp(-shown, shown) * distance;
                }
            }
        }
        Self::new(target - forward * distance, target, FITTED_FOV, up, center, size)
    }

    /// Returns the direction of the ray through the center of a pixel, with unit component along `forward`.
    pub fn ray(&self, x: usize, y: usize) -> Vec3 {
        let [width, height] = [self.size[0], self.whole].map(|n| 0.5 * n as f32);
        let u = (x as f32 + 0.5 - width) / self.focal;
        let v = (height - (y + self.top) as f32 - 0.5) / self.focal;
        self.forward + self.right * u + self.up * v
    }

    /// Returns pixel coordinates and depth [m] of a local point; `None` behind the eye.
    pub fn project(&self, point: Vec3) -> Option<Vec3> {
        let d = point - self.eye;
        let z = self.forward.dot(d);
        if z.is_nan() || z < 1e-6 {
            return None;
        }
        let x = 0.5 * self.size[0] as f32 + self.focal * self.right.dot(d) / z;
        let y = 0.5 * self.whole as f32 - self.focal * self.up.dot(d) / z - self.top as f32;
        Some(Vec3::new(x, y, z))
    }

    /// Converts a position [m] to local coordinates.
    pub fn local(&self, position: DVec3) -> Vec3 {
        (position - self.origin).as_vec3()
    }
}

/// Returns right, top and forward unit vectors of a view along `direction`.
fn basis(direction: DVec3, up: DVec3) -> [DVec3; 3] {
    let forward = direction.normalize_or(DVec3::NEG_Z);
    let right = forward.cross(up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
    [right, right.cross(forward), forward]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_view_shows_every_point_and_wastes_little() {
        for up in [DVec3::Y, DVec3::Z] {
            for (min, max) in [
                (DVec3::new(-0.05, 0.0, -0.05), DVec3::new(0.05, 0.2, 0.05)),
                (DVec3::new(99.0, -3.0, 1.0), DVec3::new(101.0, 3.0, 1.1)),
            ] {
                let corners: Vec<DVec3> = (0..8)
                    .map(|i| DVec3::select(glam::BVec3::new(i & 1 > 0, i & 2 > 0, i & 4 > 0), max, min))
                    .collect();
                let view = View::fitted(&corners, up, [960, 540]);
                let seen: Vec<Vec3> = corners.iter().map(|&p| view.project(view.local(p)).unwrap()).collect();
                let low = seen.iter().copied().reduce(Vec3::min).unwrap();
                let high = seen.iter().copied().reduce(Vec3::max).unwrap();
                assert!(low.x > 0.0 && low.y > 0.0 && high.x < 960.0 && high.y < 540.0, "{low} {high}");
                let filled = ((high.x - low.x) / 960.0).max((high.y - low.y) / 540.0);
                assert!(filled > 0.8, "only {filled} of the picture is used");
                let middle = 0.5 * (low + high) - Vec3::new(480.0, 270.0, 0.0);
                assert!(middle.x.abs() < 10.0 && middle.y.abs() < 10.0, "off centre by {middle}");
            }
        }
    }

    #[test]
    fn up_is_up_and_rays_pass_through_their_pixels() {
        let view = View::new(DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO, 40.0, DVec3::Y, DVec3::ZERO, [64, 48]);
        let above = view.project(Vec3::new(0.0, 0.1, 0.0)).unwrap();
        let below = view.project(Vec3::new(0.0, -0.1, 0.0)).unwrap();
        assert!(above.y < below.y && (above.x - below.x).abs() < 1e-4);
        let seen = view.project(view.eye + 2.5 * view.ray(10, 37)).unwrap();
        assert!(seen.distance(Vec3::new(10.5, 37.5, 2.5)) < 1e-4, "{seen}");
        assert!(view.project(Vec3::new(2.0, 4.0, 6.0)).is_none(), "behind the eye");
    }
}
