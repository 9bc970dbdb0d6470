//! Motions, momenta and impulses of rigid bodies, and rotations by rotation vectors.

use glam::{DQuat, DVec3};

/// Linear and angular velocity of a rigid motion over a substep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist {
    /// Velocity of the center of mass [m/s].
    pub linear: DVec3,
    /// Angular velocity [rad/s].
    pub angular: DVec3,
}

/// Impulses on a body, summed over a substep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Sum of the impulses [N s].
    pub linear: DVec3,
    /// Sum of their moments about the center of mass [N m s].
    pub angular: DVec3,
}

/// A small change of place, which carries no momentum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displacement {
    /// Displacement of the center of mass [m].
    pub linear: DVec3,
    /// Rotation vector in radians.
    pub angular: DVec3,
}

/// State of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// Center of mass [m].
    pub position: DVec3,
    /// Rotation from the initial orientation.
    pub rotation: DQuat,
    /// Velocity of the center of mass [m/s].
    pub velocity: DVec3,
    /// Angular momentum about the center, scene axes [N m s].
    pub angular_momentum: DVec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Returns the velocity of the point at `arm` [m] from the center [m/s].
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

impl Wrench {
    /// No impulse.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Adds an impulse [N s] at `arm` [m] from the center.
    pub fn add(&mut self, impulse: DVec3, arm: DVec3) {
        self.linear += impulse;
        self.angular += arm.cross(impulse);
    }
}

impl Displacement {
    /// No displacement.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };
}

impl std::ops::Add for Wrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

/// Angle [rad] below which series replace quotients.
const SMALL: f64 = 1e-4;

/// Returns the rotation by `vector` in radians: its length is the angle, its direction the axis.
pub fn rotation(vector: DVec3) -> DQuat {
    let half = 0.5 * vector.length();
    let (factor, w) = if half < SMALL {
        let square = half * half;
        (0.5 - square / 12.0, 1.0 - square / 2.0)
    } else {
        (0.5 * libm::sin(half) / half, libm::cos(half))
    };
    let v = factor * vector;
    DQuat::from_xyzw(v.x, v.y, v.z, w)
}

/// Returns the rotation vector in radians of a unit quaternion, not longer than pi.
pub fn rotation_vector(rotation: DQuat) -> DVec3 {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    let (v, w) = (sign * DVec3::new(rotation.x, rotation.y, rotation.z), sign * rotation.w);
    let sine = v.length();
    if sine < SMALL {
        v * (2.0 + sine * sine / 3.0) / (w * w + sine * sine).sqrt()
    } else {
        v * (2.0 * libm::atan2(sine, w) / sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_rotations_are_inverse() {
        for length in [0.0, 1e-12, 1e-5, 1.9e-4, 2.1e-4, 1e-2, 1.0, 3.1] {
            let vector = length * DVec3::new(0.48, -0.6, 0.64);
            let turned = rotation(vector);
            assert!((turned.length() - 1.0).abs() < 1e-15, "{length}");
            let error = (rotation_vector(turned) - vector).length();
            assert!(error < 1e-15 * length.max(0.1), "{length}: {error:e}");
            assert!((rotation_vector(-turned) - vector).length() < 1e-14);
        }
        let quarter = rotation(std::f64::consts::FRAC_PI_2 * DVec3::Z);
        assert!((quarter * DVec3::X - DVec3::Y).length() < 1e-15);
    }
}
