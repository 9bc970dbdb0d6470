//! Small helpers for 3x3 matrices.

use glam::{DMat3, DVec3};

/// `u v^T`.
#[inline]
pub fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}

/// Sum of the diagonal.
#[inline]
pub fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// Sum of the products of corresponding elements, `A : B`.
#[inline]
pub fn double_dot(a: DMat3, b: DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// Frobenius norm.
#[inline]
pub fn norm(m: DMat3) -> f64 {
    double_dot(m, m).sqrt()
}

/// `(m + m^T) / 2`.
#[inline]
pub fn symmetric_part(m: DMat3) -> DMat3 {
    0.5 * (m + m.transpose())
}

/// `(m - m^T) / 2`.
#[inline]
pub fn skew_part(m: DMat3) -> DMat3 {
    0.5 * (m - m.transpose())
}

/// `U diag(d) U^T`.
#[inline]
pub fn recompose(axes: DMat3, diagonal: DVec3) -> DMat3 {
    let scaled =
        DMat3::from_cols(axes.x_axis * diagonal.x, axes.y_axis * diagonal.y, axes.z_axis * diagonal.z);
    scaled * axes.transpose()
}

/// Cayley approximation of the rotation nearest to `I + W`: `(I - W/2)^-1 (I + W/2)` for a skew matrix W.
#[inline]
pub fn cayley(skew: DMat3) -> DMat3 {
    (DMat3::IDENTITY - 0.5 * skew).inverse() * (DMat3::IDENTITY + 0.5 * skew)
}

/// Elements of a symmetric matrix as xx yy zz yz xz xy.
#[inline]
pub fn voigt(m: DMat3) -> [f64; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.z_axis.y, m.z_axis.x, m.y_axis.x]
}

/// The symmetric matrix with the elements xx yy zz yz xz xy.
#[inline]
pub fn from_voigt([xx, yy, zz, yz, xz, xy]: [f64; 6]) -> DMat3 {
    DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cayley_is_a_rotation_by_two_atan_of_half_the_angle() {
        let w = DVec3::new(0.3, -0.2, 0.5);
        let skew = DMat3::from_cols_array_2d(&[[0.0, w.z, -w.y], [-w.z, 0.0, w.x], [w.y, -w.x, 0.0]]);
        let rotation = cayley(skew);
        let exact = DMat3::from_axis_angle(w.normalize(), 2.0 * (w.length() / 2.0).atan());
        assert!(norm(rotation - exact) < 1e-14);
    }

    #[test]
    fn outer_product_acts_as_u_times_v_dot() {
        let (u, v, x) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 0.5, 2.0), DVec3::new(0.3, 0.1, 0.7));
        assert!((outer(u, v) * x - u * v.dot(x)).length() < 1e-15);
        assert_eq!(voigt(outer(u, v) + outer(v, u)), [-2.0, 2.0, 12.0, 5.5, -1.0, -1.5]);
    }
}
