//! 3 x 3 matrices of several particles, one to a lane of the machine's vectors. The functions are inlined into callers that are
//! compiled for several instruction sets.
#![allow(clippy::needless_range_loop, reason = "loops over lanes in step become vector instructions")]

use glam::{DMat3, DVec3};

use crate::batch::{LANES, Lanes};

/// Vectors, \[component\].
pub type Vectors = [Lanes; 3];

/// Matrices, \[column\]\[row\].
pub type Matrices = [Vectors; 3];

/// Returns the values of `f` of each lane.
#[inline(always)]
pub fn lanes(f: impl Fn(usize) -> f64) -> Lanes {
    let mut result = [0.0; LANES];
    for (l, value) in result.iter_mut().enumerate() {
        *value = f(l);
    }
    result
}

/// Returns the vector of a lane.
#[inline(always)]
pub fn get_vector(v: &Vectors, lane: usize) -> DVec3 {
    DVec3::new(v[0][lane], v[1][lane], v[2][lane])
}

/// Sets the vector of a lane.
#[inline(always)]
pub fn set_vector(v: &mut Vectors, lane: usize, value: DVec3) {
    for (component, value) in std::iter::zip(v, value.to_array()) {
        component[lane] = value;
    }
}

/// Returns the matrix of a lane.
#[inline(always)]
pub fn get(m: &Matrices, lane: usize) -> DMat3 {
    let column = |c: usize| get_vector(&m[c], lane);
    DMat3::from_cols(column(0), column(1), column(2))
}

/// Sets the matrix of a lane.
#[inline(always)]
pub fn set(m: &mut Matrices, lane: usize, value: DMat3) {
    for (column, values) in std::iter::zip(m, [value.x_axis, value.y_axis, value.z_axis]) {
        set_vector(column, lane, values);
    }
}

/// Returns the identity in every lane.
pub fn identity() -> Matrices {
    plus_identity(&Matrices::default())
}

/// Returns `m + I`.
#[inline(always)]
pub fn plus_identity(m: &Matrices) -> Matrices {
    let mut sum = *m;
    for i in 0..3 {
        sum[i][i] = lanes(|l| m[i][i][l] + 1.0);
    }
    sum
}

/// Returns `factor m`.
#[inline(always)]
pub fn scaled(m: &Matrices, factor: &Lanes) -> Matrices {
    let mut product = *m;
    for column in &mut product {
        for row in column {
            *row = lanes(|l| row[l] * factor[l]);
        }
    }
    product
}

/// Returns `(m + m^T) / 2`.
#[inline(always)]
pub fn symmetric(m: &Matrices) -> Matrices {
    let mut part = *m;
    for i in 0..3 {
        for j in 0..3 {
            part[i][j] = lanes(|l| 0.5 * (m[i][j][l] + m[j][i][l]));
        }
    }
    part
}

/// Returns the sum of the squares of the elements.
#[inline(always)]
pub fn squares(m: &Matrices) -> Lanes {
    let mut sum = [0.0; LANES];
    for element in m.as_flattened() {
        sum = lanes(|l| sum[l] + element[l] * element[l]);
    }
    sum
}

/// Returns the deviator, and a third of the trace.
#[inline(always)]
pub fn deviator(m: &Matrices) -> (Matrices, Lanes) {
    let mean = lanes(|l| (m[0][0][l] + m[1][1][l] + m[2][2][l]) / 3.0);
    let mut deviator = *m;
    for i in 0..3 {
        deviator[i][i] = lanes(|l| m[i][i][l] - mean[l]);
    }
    (deviator, mean)
}

/// Returns `a b`.
#[inline(always)]
pub fn times(a: &Matrices, b: &Matrices) -> Matrices {
    let mut product = [[[0.0; LANES]; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            product[i][j] =
                lanes(|l| a[0][j][l] * b[i][0][l] + a[1][j][l] * b[i][1][l] + a[2][j][l] * b[i][2][l]);
        }
    }
    product
}

/// Returns `a b^T`.
#[inline(always)]
pub fn times_transposed(a: &Matrices, b: &Matrices) -> Matrices {
    let mut product = [[[0.0; LANES]; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            product[i][j] =
                lanes(|l| a[0][j][l] * b[0][i][l] + a[1][j][l] * b[1][i][l] + a[2][j][l] * b[2][i][l]);
        }
    }
    product
}

#[inline(always)]
fn cofactor(m: &Matrices, i: usize, j: usize) -> Lanes {
    let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    lanes(|l| m[a][c][l] * m[b][d][l] - m[a][d][l] * m[b][c][l])
}

/// Returns the determinants.
#[inline(always)]
pub fn determinant(m: &Matrices) -> Lanes {
    let (x, y, z) = (cofactor(m, 0, 0), cofactor(m, 0, 1), cofactor(m, 0, 2));
    lanes(|l| m[0][0][l] * x[l] + m[0][1][l] * y[l] + m[0][2][l] * z[l])
}

/// Returns the inverse matrices.
#[inline(always)]
pub fn inverse(m: &Matrices) -> Matrices {
    let determinant = determinant(m);
    let factor = lanes(|l| 1.0 / determinant[l]);
    let mut inverse = [[[0.0; LANES]; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let cofactor = cofactor(m, i, j);
            inverse[j][i] = lanes(|l| cofactor[l] * factor[l]);
        }
    }
    inverse
}
