//! What bodies need to know of matter that presses on them.

use glam::{DMat3, DVec3};

use crate::matrix::{Matrix6, halves, inverse, product};
use crate::twist::{Twist, Wrench};

/// Adds the resistance of a point at `arm` [m] from the center to a body's matrix: `stiffness` [kg] takes its velocity to the impulse
/// that it needs, and is symmetric.
pub fn add_resistance(matrix: &mut Matrix6, stiffness: DMat3, arm: DVec3) {
    // The point moves by v - [arm] w.
    let cross = DMat3::from_cols(
        DVec3::new(0.0, arm.z, -arm.y),
        DVec3::new(-arm.z, 0.0, arm.x),
        DVec3::new(arm.y, -arm.x, 0.0),
    );
    let mixed = stiffness * -cross;
    let turning = cross * mixed;
    for i in 0..3 {
        for j in 0..3 {
            matrix[i][j] += stiffness.col(j)[i];
            matrix[i][3 + j] += mixed.col(j)[i];
            matrix[3 + j][i] += mixed.col(j)[i];
            matrix[3 + i][3 + j] += turning.col(j)[i];
        }
    }
}

/// Returns the change of twist by an impulse on a body with this matrix.
pub fn response(matrix: &Matrix6, wrench: Wrench) -> Twist {
    let (p, l) = (wrench.linear, wrench.angular);
    let [linear, angular] = halves(product(&inverse(matrix), &[p.x, p.y, p.z, l.x, l.y, l.z]));
    Twist { linear, angular }
}

/// Returns the impulse that gives a body with this matrix a twist.
pub fn impulse(matrix: &Matrix6, twist: Twist) -> Wrench {
    let (v, w) = (twist.linear, twist.angular);
    let [linear, angular] = halves(product(matrix, &[v.x, v.y, v.z, w.x, w.y, w.z]));
    Wrench { linear, angular }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::mass_matrix;

    #[test]
    fn points_resist_with_their_stiffness() {
        let arm = DVec3::new(0.3, -0.2, 0.5);
        let stiffness = DMat3::from_cols_array(&[3.0, 0.5, 0.1, 0.5, 2.0, -0.3, 0.1, -0.3, 1.5]);
        let mut matrix = mass_matrix(2.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)));
        let alone = matrix;
        add_resistance(&mut matrix, stiffness, arm);
        let twist = Twist { linear: DVec3::new(0.1, 0.7, -0.4), angular: DVec3::new(-0.5, 0.2, 0.9) };
        let (mut expected, found) = (impulse(&alone, twist), impulse(&matrix, twist));
        expected.add(stiffness * twist.at(arm), arm);
        assert!((found.linear - expected.linear).length() < 1e-14);
        assert!((found.angular - expected.angular).length() < 1e-14);
        let back = response(&matrix, found);
        assert!((back.linear - twist.linear).length() + (back.angular - twist.angular).length() < 1e-13);
    }
}
