//! Matrices of six rows, linear then angular, and small symmetric systems.

use glam::{DMat3, DQuat, DVec3};

use crate::twist::Twist;

/// A vector of twists or impulses: linear, then angular.
pub(crate) type Vector6 = [f64; 6];

/// A matrix that takes twists to impulses, scene axes, about the center of mass: [kg], [kg m] and [kg m^2].
pub type Matrix6 = [[f64; 6]; 6];

/// Returns a twist as numbers.
pub(crate) fn numbers(twist: Twist) -> Vector6 {
    let (v, w) = (twist.linear, twist.angular);
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

/// Returns numbers as the pair of linear and angular part.
pub(crate) fn halves(v: Vector6) -> [DVec3; 2] {
    [DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5])]
}

/// Returns the row of a velocity along `direction` at `arm` from the center.
pub(crate) fn row(direction: DVec3, arm: DVec3) -> Vector6 {
    let moment = arm.cross(direction);
    [direction.x, direction.y, direction.z, moment.x, moment.y, moment.z]
}

/// Returns the row of an angular velocity along `direction`.
pub(crate) fn angular_row(direction: DVec3) -> Vector6 {
    [0.0, 0.0, 0.0, direction.x, direction.y, direction.z]
}

pub(crate) fn dot(a: &Vector6, b: &Vector6) -> f64 {
    (0..6).map(|i| a[i] * b[i]).sum()
}

pub(crate) fn product(matrix: &Matrix6, v: &Vector6) -> Vector6 {
    std::array::from_fn(|i| dot(&matrix[i], v))
}

/// Returns the matrix of a body of this mass [kg] and inertia [kg m^2].
pub(crate) fn mass_matrix(mass: f64, inertia: DMat3) -> Matrix6 {
    let mut matrix = [[0.0; 6]; 6];
    for i in 0..3 {
        matrix[i][i] = mass;
        for j in 0..3 {
            matrix[3 + i][3 + j] = inertia.col(j)[i];
        }
    }
    matrix
}

/// Returns the inverse of a symmetric positive definite matrix by Cholesky's factors. A pivot that rounding makes negative is replaced
/// by the least positive share of its diagonal.
pub(crate) fn inverse<const N: usize>(matrix: &[[f64; N]; N]) -> [[f64; N]; N] {
    let mut lower = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - sum;
            lower[i][j] = if i == j {
                rest.max(f64::EPSILON * matrix[i][i]).max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / lower[j][j]
            };
        }
    }
    let mut inverse = [[0.0; N]; N];
    for (column, row) in inverse.iter_mut().enumerate() {
        let mut x = [0.0; N];
        for i in 0..N {
            let unit = if i == column { 1.0 } else { 0.0 };
            let sum: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
            x[i] = (unit - sum) / lower[i][i];
        }
        for i in (0..N).rev() {
            let sum: f64 = (i + 1..N).map(|k| lower[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / lower[i][i];
        }
        // Symmetric: rows are columns.
        *row = x;
    }
    inverse
}

/// Returns principal axes and moments of a symmetric matrix, by Jacobi's rotations: `inertia = R diag(moments) R^T`.
pub(crate) fn principal(inertia: DMat3) -> (DQuat, DVec3) {
    let mut a = inertia;
    let mut axes = DMat3::IDENTITY;
    let scale = a.to_cols_array().into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for _ in 0..50 {
        let off = |i: usize, j: usize| a.col(j)[i].abs();
        let (p, q) = [(0, 1), (0, 2), (1, 2)]
            .into_iter()
            .fold((0, 1), |best, pair| if off(pair.0, pair.1) > off(best.0, best.1) { pair } else { best });
        if off(p, q) <= 1e-16 * scale {
            break;
        }
        let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * a.col(q)[p]);
        let t = if theta < 0.0 { -1.0 } else { 1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(p)[p] = c;
        turn.col_mut(q)[q] = c;
        turn.col_mut(q)[p] = s;
        turn.col_mut(p)[q] = -s;
        a = turn.transpose() * a * turn;
        axes *= turn;
    }
    if axes.determinant() < 0.0 {
        axes = -axes;
    }
    (DQuat::from_mat3(&axes).normalize(), DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twist::rotation;

    #[test]
    fn inverses_and_principal_axes() {
        let turned = DMat3::from_quat(rotation(DVec3::new(0.3, -1.0, 0.7)));
        let inertia = turned * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 5.0)) * turned.transpose();
        let (axes, moments) = principal(inertia);
        let axes = DMat3::from_quat(axes);
        let again = axes * DMat3::from_diagonal(moments) * axes.transpose();
        assert!((again - inertia).to_cols_array().into_iter().all(|x| x.abs() < 1e-14), "{again}");
        let matrix = mass_matrix(3.0, inertia);
        let inverse = inverse(&matrix);
        let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        for (i, row) in matrix.iter().enumerate() {
            // Symmetric: rows are columns.
            for (j, column) in inverse.iter().enumerate() {
                assert!((dot(row, column) - unit(i, j)).abs() < 1e-14);
            }
        }
        assert_eq!(principal(DMat3::from_diagonal(DVec3::splat(2.0))), (DQuat::IDENTITY, DVec3::splat(2.0)));
    }
}
