//! Trial strain, stress and its linearization, for several particles at once; the laws are called one by one in between.
#![allow(clippy::needless_range_loop, reason = "loops over lanes in step become vector instructions")]

use glam::{DMat3, DVec3};
use multiversion::multiversion;

use crate::batch::{LANES, Lanes, Symmetric, diagonalize, to_hencky};
use crate::strain::FOLD_DETERMINANT;

/// Lower bound of the secant moduli, as a fraction of the elastic moduli.
pub const SOFTEST: f64 = 0.1;

/// Principal strain below which there is no secant.
const STRAINLESS: f64 = 1e-7;

/// Change of strain below which there is none.
const UNCHANGED: f64 = 1e-6;

/// Smallest ratio of a modulus to its value in the previous evaluation.
const FADE: f64 = 0.5;

/// Matrices, [column][row].
type Matrices = [[Lanes; 3]; 3];

/// Particles of a batch, one to a lane. All stay zero that is not set.
#[derive(Default)]
pub struct Batch {
    /// `Lg = dt grad v` before [`carry`](Self::carry), afterwards limited as by [`crate::strain::limit_fold`].
    pub displacement: Matrices,
    /// Elastic strain E before [`carry`](Self::carry), afterwards the eigenvalues of the trial strain.
    pub strain: Symmetric,
    /// Principal axes of the trial strain.
    axes: Matrices,
    /// Principal trial Hencky strains.
    pub hencky: [Lanes; 3],
    /// Principal Kirchhoff stresses [Pa].
    pub principal: [Lanes; 3],
    /// Kirchhoff stresses [Pa], for particles whose model is of the tensor variant.
    pub tensor: Matrices,
    /// Elastic moduli [Pa] before [`linearize`](Self::linearize), afterwards secants times `scale`.
    pub shear: Lanes,
    pub bulk: Lanes,
    /// V0 dt^2 [m^3 s^2].
    pub scale: Lanes,
    /// A^-1 and tau [Pa] of the previous evaluation before [`linearize`](Self::linearize), afterwards of this one.
    pub inverse: Matrices,
    pub stress: Matrices,
    /// Moduli of the previous evaluation times `scale`; negative if there is none.
    pub last_shear: Lanes,
    pub last_bulk: Lanes,
    /// `tau A^-T` [Pa].
    gradient: Matrices,
}

impl Batch {
    /// Computes the spectra of the trial strains.
    pub fn carry(&mut self) {
        carry(self);
    }

    /// Computes stresses and tangents.
    pub fn linearize(&mut self) {
        linearize(self);
    }

    /// Returns the displacement gradient of a particle.
    pub fn displacement(&self, lane: usize) -> DMat3 {
        get(&self.displacement, lane)
    }

    /// Returns the principal trial Hencky strains of a particle.
    pub fn hencky(&self, lane: usize) -> DVec3 {
        DVec3::new(self.hencky[0][lane], self.hencky[1][lane], self.hencky[2][lane])
    }

    /// Returns `tau A^-T` of a particle [Pa].
    pub fn gradient(&self, lane: usize) -> DMat3 {
        get(&self.gradient, lane)
    }
}

/// Returns the matrix of a lane.
pub fn get(m: &Matrices, lane: usize) -> DMat3 {
    let column = |c: usize| DVec3::new(m[c][0][lane], m[c][1][lane], m[c][2][lane]);
    DMat3::from_cols(column(0), column(1), column(2))
}

/// Sets the matrix of a lane.
pub fn set(m: &mut Matrices, lane: usize, value: DMat3) {
    for (column, values) in std::iter::zip(m, value.to_cols_array_2d()) {
        for (row, value) in std::iter::zip(column, values) {
            row[lane] = value;
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn carry(batch: &mut Batch) {
    let lg = &mut batch.displacement;
    let size = squares(lg);
    let determinant = determinant(&plus_identity(lg));
    let scale = lanes(|l| {
        let limited = (0.5 / size[l].sqrt()).min(1.0);
        if determinant[l] < FOLD_DETERMINANT { limited } else { 1.0 }
    });
    for column in lg.iter_mut() {
        for row in column {
            *row = lanes(|l| row[l] * scale[l]);
        }
    }
    // E + Lg (I + E) + (I + E) Lg^T + Lg (I + E) Lg^T
    let e = [
        [batch.strain[0], batch.strain[5], batch.strain[4]],
        [batch.strain[5], batch.strain[1], batch.strain[3]],
        [batch.strain[4], batch.strain[3], batch.strain[2]],
    ];
    let moved = times(lg, &plus_identity(&e));
    let both = times_transposed(&moved, lg);
    let element = |i: usize, j: usize| {
        lanes(|l| e[i][j][l] + moved[i][j][l] + moved[j][i][l] + 0.5 * (both[i][j][l] + both[j][i][l]))
    };
    let mut strain =
        [element(0, 0), element(1, 1), element(2, 2), element(1, 2), element(0, 2), element(0, 1)];
    batch.axes = [[[0.0; LANES]; 3]; 3];
    diagonalize(&mut strain, &mut batch.axes);
    batch.strain = strain;
    batch.hencky = [strain[0], strain[1], strain[2]];
    to_hencky(&mut batch.hencky);
}

#[multiversion(targets("x86_64+avx2"))]
fn linearize(batch: &mut Batch) {
    let mut scaled = batch.axes;
    for (column, tau) in std::iter::zip(&mut scaled, &batch.principal) {
        for row in column {
            *row = lanes(|l| row[l] * tau[l]);
        }
    }
    let mut tau = times_transposed(&scaled, &batch.axes);
    for (column, tensor) in std::iter::zip(tau.as_flattened_mut(), batch.tensor.as_flattened()) {
        *column = lanes(|l| column[l] + tensor[l]);
    }
    let deformation = plus_identity(&batch.displacement);
    let inverse = inverse(&deformation);
    batch.gradient = times_transposed(&tau, &inverse);

    let h = &batch.hencky;
    let mean = lanes(|l| (h[0][l] + h[1][l] + h[2][l]) / 3.0);
    let size = lanes(|l| {
        let d = [h[0][l] - mean[l], h[1][l] - mean[l], h[2][l] - mean[l]];
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    });
    let (deviator, mean_tau) = parts(&tau);
    let mut shear = lanes(|l| batch.scale[l] * secant(deviator[l], 2.0 * size[l], batch.shear[l]));
    let mut bulk = lanes(|l| batch.scale[l] * secant(mean_tau[l], 3.0 * mean[l], batch.bulk[l]));

    // From the previous evaluation: A A_last^-1 - I, symmetric part, and the change of stress.
    let step = times(&deformation, &batch.inverse);
    let mut strain = step;
    let mut change = tau;
    for i in 0..3 {
        for j in 0..3 {
            let unit = if i == j { 1.0 } else { 0.0 };
            strain[i][j] = lanes(|l| 0.5 * (step[i][j][l] + step[j][i][l]) - unit);
            change[i][j] = lanes(|l| tau[i][j][l] - batch.stress[i][j][l]);
        }
    }
    let (size, mean) = parts(&strain);
    let (deviator, mean_tau) = parts(&change);
    shear = lanes(|l| {
        let along = batch.scale[l] * secant(deviator[l], 2.0 * size[l], batch.shear[l]);
        let along = if size[l] < UNCHANGED { 0.0 } else { along };
        let last = batch.last_shear[l];
        if last < 0.0 { shear[l] } else { shear[l].max(FADE * last).max(along) }
    });
    bulk = lanes(|l| {
        let along = batch.scale[l] * secant(mean_tau[l], 3.0 * mean[l], batch.bulk[l]);
        let along = if mean[l].abs() < UNCHANGED { 0.0 } else { along };
        let last = batch.last_bulk[l];
        if last < 0.0 { bulk[l] } else { bulk[l].max(FADE * last).max(along) }
    });
    (batch.shear, batch.bulk, batch.inverse, batch.stress) = (shear, bulk, inverse, tau);
}

/// Returns `stress / strain`, clamped between a small fraction of the elastic modulus and the elastic modulus [Pa].
#[inline(always)]
fn secant(stress: f64, strain: f64, elastic: f64) -> f64 {
    let ratio = (stress / strain).max(SOFTEST * elastic).min(elastic);
    if strain.abs() < STRAINLESS { elastic } else { ratio }
}

#[inline(always)]
fn lanes(f: impl Fn(usize) -> f64) -> Lanes {
    let mut result = [0.0; LANES];
    for (l, value) in result.iter_mut().enumerate() {
        *value = f(l);
    }
    result
}

/// Returns `m + I`.
#[inline(always)]
fn plus_identity(m: &Matrices) -> Matrices {
    let mut sum = *m;
    for i in 0..3 {
        sum[i][i] = lanes(|l| m[i][i][l] + 1.0);
    }
    sum
}

/// Returns the sum of the squares of the elements.
#[inline(always)]
fn squares(m: &Matrices) -> Lanes {
    let mut sum = [0.0; LANES];
    for element in m.as_flattened() {
        sum = lanes(|l| sum[l] + element[l] * element[l]);
    }
    sum
}

/// Returns the norm of the deviator, and the mean.
#[inline(always)]
fn parts(m: &Matrices) -> (Lanes, Lanes) {
    let mean = lanes(|l| (m[0][0][l] + m[1][1][l] + m[2][2][l]) / 3.0);
    let mut deviator = *m;
    for i in 0..3 {
        deviator[i][i] = lanes(|l| m[i][i][l] - mean[l]);
    }
    let square = squares(&deviator);
    (lanes(|l| square[l].sqrt()), mean)
}

#[inline(always)]
fn times(a: &Matrices, b: &Matrices) -> Matrices {
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
fn times_transposed(a: &Matrices, b: &Matrices) -> Matrices {
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

#[inline(always)]
fn determinant(m: &Matrices) -> Lanes {
    let (x, y, z) = (cofactor(m, 0, 0), cofactor(m, 0, 1), cofactor(m, 0, 2));
    lanes(|l| m[0][0][l] * x[l] + m[0][1][l] * y[l] + m[0][2][l] * z[l])
}

#[inline(always)]
fn inverse(m: &Matrices) -> Matrices {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strain::{carried, limit_fold, spectrum};
    use crate::tensor::{norm, recompose, voigt};

    const MODULI: [f64; 2] = [3.0, 5.0];

    /// Returns a batch whose lane 2 holds a displacement gradient and a strain, with the given principal stresses.
    fn batch(displacement: DMat3, strain: DMat3, principal: DVec3) -> Batch {
        let mut batch = Batch::default();
        set(&mut batch.displacement, 2, displacement);
        for (row, value) in std::iter::zip(&mut batch.strain, voigt(strain)) {
            row[2] = value;
        }
        (batch.shear, batch.bulk, batch.scale) = ([MODULI[0]; LANES], [MODULI[1]; LANES], [0.1; LANES]);
        (batch.last_shear, batch.last_bulk) = ([-1.0; LANES], [-1.0; LANES]);
        batch.carry();
        for (row, value) in std::iter::zip(&mut batch.principal, principal.to_array()) {
            row[2] = value;
        }
        batch
    }

    fn displacement(size: f64) -> DMat3 {
        size * DMat3::from_cols_array_2d(&[[0.3, -0.2, 0.1], [0.4, -0.5, 0.2], [-0.1, 0.3, 0.2]])
    }

    /// Sweeps take the same steps one particle at a time (`crate::strain`): here is that both are the same.
    #[test]
    fn strain_and_stress_are_those_of_one_particle() {
        let strain = DMat3::from_cols_array_2d(&[[0.1, 0.03, 0.0], [0.03, -0.05, 0.02], [0.0, 0.02, 0.04]]);
        let principal = DVec3::new(2.0, -1.0, 0.5);
        for (size, folds) in [(0.1, false), (1.0, false), (4.0, true)] {
            let (limited, folded) = limit_fold(displacement(size));
            assert_eq!(folded, folds);
            let mut batch = batch(displacement(size), strain, principal);
            assert!(norm(batch.displacement(2) - limited) < 1e-14);
            let trial = carried(strain, limited);
            let sorted = |v: DVec3| {
                let mut values = v.to_array();
                values.sort_by(f64::total_cmp);
                DVec3::from_array(values)
            };
            let expected = spectrum(trial).hencky;
            assert!((sorted(batch.hencky(2)) - sorted(expected)).length() < 1e-13);
            batch.linearize();
            let axes = get(&batch.axes, 2);
            assert!(norm(recompose(axes, (2.0 * batch.hencky(2)).exp() - 1.0) - trial) < 1e-13);
            let inverse = (DMat3::IDENTITY + limited).inverse();
            assert!(norm(get(&batch.inverse, 2) - inverse) < 1e-13 * norm(inverse));
            let gradient = recompose(axes, principal) * inverse.transpose();
            assert!(norm(batch.gradient(2) - gradient) < 1e-13 * norm(gradient));
        }
    }

    #[test]
    fn moduli_are_secants_within_bounds_and_fade() {
        let start = batch(displacement(0.1), DMat3::ZERO, DVec3::ZERO).hencky(2);
        let mean = start.element_sum() / 3.0;
        let moduli = |share: [f64; 2], last: f64| {
            let principal = 2.0 * share[0] * MODULI[0] * (start - mean) + 3.0 * share[1] * MODULI[1] * mean;
            let mut batch = batch(displacement(0.1), DMat3::ZERO, principal);
            (batch.last_shear[2], batch.last_bulk[2]) = (0.1 * last * MODULI[0], 0.1 * last * MODULI[1]);
            // The previous evaluation was at the same strain and stress.
            let now = batch.displacement(2);
            set(&mut batch.inverse, 2, (DMat3::IDENTITY + now).inverse());
            batch.linearize();
            [batch.shear[2] / (0.1 * MODULI[0]), batch.bulk[2] / (0.1 * MODULI[1])]
        };
        for (share, last, expected) in [
            ([0.5, 0.7], -1.0, [0.5, 0.7]),
            ([0.01, 0.02], -1.0, [SOFTEST; 2]),
            ([1.5, 2.0], -1.0, [1.0; 2]),
            ([0.2, 0.7], 0.8, [0.4, 0.7]),
        ] {
            let found = moduli(share, last);
            let error = [0, 1].map(|i: usize| (found[i] - expected[i]).abs());
            assert!(error[0] < 1e-12 && error[1] < 1e-12, "{found:?} instead of {expected:?}");
        }
    }
}
