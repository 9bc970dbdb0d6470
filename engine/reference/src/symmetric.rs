//! Eigenvalues and pseudo-inverse of symmetric 3x3 matrices.

use glam::{DMat3, DVec3};
use tuff_problem::thresholds::RANK_TOLERANCE;

use crate::tensor::recompose;

/// Maximum number of Jacobi sweeps; convergence is quadratic and five reach f64 accuracy.
pub const SWEEPS: usize = 12;

/// Ratio of the squares off the diagonal to those on it at which the rotations end.
pub const CONVERGED: f64 = 1e-34;

/// Returns eigenvalues `w` and orthonormal eigenvectors (the columns of `U`) of a symmetric matrix, `m = U diag(w) U^T`, by
/// cyclic Jacobi rotations. Eigenvalues come in no particular order.
pub fn eigen(m: DMat3) -> (DVec3, DMat3) {
    let mut a = m.to_cols_array_2d();
    let mut u = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        let off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        let diagonal = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if off <= CONVERGED * diagonal {
            break;
        }
        rotate::<0, 1, 2>(&mut a, &mut u);
        rotate::<0, 2, 1>(&mut a, &mut u);
        rotate::<1, 2, 0>(&mut a, &mut u);
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), DMat3::from_cols_array_2d(&u))
}

/// Zeroes element (P, Q); K is the third index. Columns of `u` are the eigenvectors so far.
fn rotate<const P: usize, const Q: usize, const K: usize>(a: &mut [[f64; 3]; 3], u: &mut [[f64; 3]; 3]) {
    let apq = a[P][Q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[Q][Q] - a[P][P]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[P][P] -= t * apq;
    a[Q][Q] += t * apq;
    a[P][Q] = 0.0;
    a[Q][P] = 0.0;
    let (akp, akq) = (a[K][P], a[K][Q]);
    a[K][P] = c * akp - s * akq;
    a[K][Q] = s * akp + c * akq;
    a[P][K] = a[K][P];
    a[Q][K] = a[K][Q];
    let (up, uq) = (DVec3::from_array(u[P]), DVec3::from_array(u[Q]));
    u[P] = (c * up - s * uq).to_array();
    u[Q] = (s * up + c * uq).to_array();
}

/// Returns the pseudo-inverse of a positive semi-definite matrix, and its rank.
///
/// Eigenvalues below [`RANK_TOLERANCE`] times the largest are treated as zero. The cut-off is
/// relative, so the result scales exactly with the matrix.
pub fn pseudo_inverse(m: DMat3) -> (DMat3, u32) {
    pseudo_inverse_scaled(eigen(m), |_, _| 1.0)
}

/// As [`pseudo_inverse`] of a matrix with the given eigenvalues and eigenvectors, with every inverse eigenvalue multiplied by
/// `scale(axis, eigenvalue)`.
pub fn pseudo_inverse_scaled(
    (w, axes): (DVec3, DMat3),
    mut scale: impl FnMut(DVec3, f64) -> f64,
) -> (DMat3, u32) {
    let cut = RANK_TOLERANCE * w.max_element();
    let mut inverse = DVec3::ZERO;
    let mut rank = 0;
    for axis in 0..3 {
        if w[axis] > 0.0 && w[axis] >= cut {
            inverse[axis] = scale(axes.col(axis), w[axis]) / w[axis];
            rank += 1;
        }
    }
    (recompose(axes, inverse), rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{norm, outer};

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m = DMat3::from_cols_array_2d(&[[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, -1.0]]);
        let (w, u) = eigen(m);
        assert!(norm(recompose(u, w) - m) < 1e-14);
        assert!(norm(u.transpose() * u - DMat3::IDENTITY) < 1e-14);
    }

    #[test]
    fn eigenvalues_of_a_tiny_perturbation_keep_their_digits() {
        let u = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7);
        let exact = DVec3::new(1e-9, -2e-9, 5e-10);
        let (mut w, _) = eigen(recompose(u, exact));
        let mut sorted = w.to_array();
        sorted.sort_by(f64::total_cmp);
        w = DVec3::from_array(sorted);
        assert!((w - DVec3::new(-2e-9, 5e-10, 1e-9)).length() < 1e-23);
    }

    #[test]
    fn pseudo_inverse_satisfies_penrose_on_every_rank() {
        let (a, b, c) = (DVec3::new(1.0, 2.0, 0.5), DVec3::new(-1.0, 0.3, 0.9), DVec3::new(0.2, 0.1, -1.0));
        let plane = outer(a, a) + outer(b, b);
        for (m, rank) in [(DMat3::ZERO, 0), (outer(a, a), 1), (plane, 2), (plane + outer(c, c), 3)] {
            let (inverse, found) = pseudo_inverse(m);
            assert_eq!(found, rank);
            assert!(norm(m * inverse * m - m) < 1e-12);
            assert!(norm(inverse * m * inverse - inverse) < 1e-12);
        }
    }

    #[test]
    fn pseudo_inverse_is_scale_invariant() {
        let m =
            outer(DVec3::X, DVec3::X) + 2e-3 * outer(DVec3::Y, DVec3::Y) + 5e-4 * outer(DVec3::Z, DVec3::Z);
        for scale in [1e-30, 1e-3, 1e3, 1e30] {
            let (inverse, rank) = pseudo_inverse(scale * m);
            assert_eq!(rank, 2);
            assert!(norm(scale * inverse - pseudo_inverse(m).0) < 1e-10);
        }
    }
}
