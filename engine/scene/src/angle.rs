//! Rotations from angles in degrees, the same on every machine, as no system library is involved.

use glam::{DQuat, DVec3};

/// Returns sine and cosine of an angle [degrees]; exact at multiples of 90.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let quarter = (degrees / 90.0).round();
    let rest = (degrees - quarter * 90.0) * (std::f64::consts::PI / 180.0);
    let (s, c) = (libm::sin(rest), libm::cos(rest));
    match (quarter % 4.0) as i32 {
        0 => (s, c),
        1 | -3 => (c, -s),
        2 | -2 => (-s, -c),
        _ => (-c, s),
    }
}

/// Returns the rotation by angles about x, then y, then z [degrees], all about the fixed axes.
pub(crate) fn rotation_from_degrees(angles: DVec3) -> DQuat {
    let [x, y, z] =
        [(DVec3::X, angles.x), (DVec3::Y, angles.y), (DVec3::Z, angles.z)].map(|(axis, angle)| {
            let (s, c) = sin_cos_degrees(angle / 2.0);
            DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
        });
    (z * y * x).normalize()
}

/// Returns the rotation that takes +Y to the unit vector `axis` along the shortest arc.
pub(crate) fn rotation_from_y(axis: DVec3) -> DQuat {
    let w = 1.0 + axis.y;
    if w < 1e-12 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    DQuat::from_xyzw(axis.z, 0.0, -axis.x, w).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact_and_ordered_x_y_z() {
        let turned = rotation_from_degrees(DVec3::new(90.0, 90.0, 0.0)) * DVec3::Y;
        // x first: y -> z; then y: z -> x.
        assert!((turned - DVec3::X).length() < 1e-15, "{turned}");
        assert_eq!(sin_cos_degrees(-90.0), (-1.0, 0.0));
        assert_eq!(sin_cos_degrees(540.0), (0.0, -1.0));
        let (s, c) = sin_cos_degrees(210.0);
        assert!((s + 0.5).abs() < 1e-15 && (c + 0.75_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn y_is_taken_to_any_axis() {
        for axis in [DVec3::X, DVec3::NEG_Y, DVec3::Z, DVec3::new(0.6, -0.8, 0.0), DVec3::Y] {
            assert!((rotation_from_y(axis) * DVec3::Y - axis).length() < 1e-15, "{axis}");
        }
    }
}
