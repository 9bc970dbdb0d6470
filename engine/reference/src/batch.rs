//! Eigenvalues of several symmetric matrices at once, one to a lane of the machine's vectors. All lanes take as many rotations as the
//! slowest, so the last bits depend on which matrices share a batch.
#![allow(clippy::needless_range_loop, reason = "loops over lanes in step become vector instructions")]

use glam::{DMat3, DVec3};
use multiversion::multiversion;

use crate::strain::{SQUARED_STRETCH, Spectrum, is_clamped};
use crate::symmetric::{CONVERGED, SWEEPS};

/// Matrices of a batch.
pub const LANES: usize = 8;

/// A number of each matrix.
pub type Lanes = [f64; LANES];

/// Symmetric matrices: xx yy zz yz xz xy.
pub type Symmetric = [Lanes; 6];

/// Eigenvalues and eigenvectors of a batch.
struct Eigen {
    values: [Lanes; 3],
    /// [vector][component].
    axes: [[Lanes; 3]; 3],
}

impl Eigen {
    fn of(matrices: &[DMat3; LANES]) -> Self {
        let mut a: Symmetric = [[0.0; LANES]; 6];
        for (lane, m) in matrices.iter().enumerate() {
            let elements = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.z, m.x_axis.z, m.x_axis.y];
            for (row, element) in std::iter::zip(&mut a, elements) {
                row[lane] = element;
            }
        }
        let mut axes = [[[0.0; LANES]; 3]; 3];
        solve(&mut a, &mut axes);
        Self { values: [a[0], a[1], a[2]], axes }
    }

    fn axes(&self, lane: usize) -> DMat3 {
        let axis = |i: usize| vector(&self.axes[i], lane);
        DMat3::from_cols(axis(0), axis(1), axis(2))
    }
}

fn vector(components: &[Lanes; 3], lane: usize) -> DVec3 {
    DVec3::new(components[0][lane], components[1][lane], components[2][lane])
}

#[multiversion(targets("x86_64+avx2"))]
fn solve(a: &mut Symmetric, axes: &mut [[Lanes; 3]; 3]) {
    diagonalize(a, axes);
}

/// Returns eigenvalues and eigenvectors, as [`crate::symmetric::eigen`].
pub fn eigen(matrices: &[DMat3; LANES]) -> [(DVec3, DMat3); LANES] {
    let eigen = Eigen::of(matrices);
    std::array::from_fn(|lane| (vector(&eigen.values, lane), eigen.axes(lane)))
}

/// Returns the spectra of strains, as [`crate::strain::spectrum`].
pub fn spectra(strains: &[DMat3; LANES]) -> [Spectrum; LANES] {
    let eigen = Eigen::of(strains);
    let mut hencky = eigen.values;
    to_hencky(&mut hencky);
    std::array::from_fn(|lane| Spectrum {
        hencky: vector(&hencky, lane),
        axes: eigen.axes(lane),
        clamped: is_clamped(vector(&eigen.values, lane)),
    })
}

/// Leaves eigenvalues in the diagonal of `a`, eigenvectors in `axes`.
#[inline(always)]
pub fn diagonalize(a: &mut Symmetric, axes: &mut [[Lanes; 3]; 3]) {
    for (i, axis) in axes.iter_mut().enumerate() {
        axis[i] = [1.0; LANES];
    }
    for _ in 0..SWEEPS {
        let mut converged = true;
        for l in 0..LANES {
            let off = a[3][l] * a[3][l] + a[4][l] * a[4][l] + a[5][l] * a[5][l];
            let diagonal = a[0][l] * a[0][l] + a[1][l] * a[1][l] + a[2][l] * a[2][l];
            converged &= off <= CONVERGED * diagonal;
        }
        if converged {
            break;
        }
        rotate::<0, 1, 2>(a, axes);
        rotate::<0, 2, 1>(a, axes);
        rotate::<1, 2, 0>(a, axes);
    }
}

/// Replaces `w` by `log(1 + w) / 2`, w limited to the admissible stretches.
#[inline(always)]
pub fn to_hencky(values: &mut [Lanes; 3]) {
    for w in values {
        for l in 0..LANES {
            w[l] = 0.5 * ln_1p(w[l].clamp(SQUARED_STRETCH.0 - 1.0, SQUARED_STRETCH.1 - 1.0));
        }
    }
}

/// Zeroes element (P, Q); K is the third index.
#[inline(always)]
fn rotate<const P: usize, const Q: usize, const K: usize>(a: &mut Symmetric, axes: &mut [[Lanes; 3]; 3]) {
    let (pq, kp, kq) = (6 - P - Q, 6 - K - P, 6 - K - Q);
    let (mut c, mut s) = ([0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        let apq = a[pq][l];
        let d = a[Q][l] - a[P][l];
        let t = 2.0 * apq / (d.abs() + (d * d + 4.0 * apq * apq).sqrt() + f64::MIN_POSITIVE);
        let t = t.copysign(t * d);
        c[l] = 1.0 / (t * t + 1.0).sqrt();
        s[l] = t * c[l];
        a[P][l] -= t * apq;
        a[Q][l] += t * apq;
        a[pq][l] = 0.0;
    }
    for l in 0..LANES {
        let (akp, akq) = (a[kp][l], a[kq][l]);
        a[kp][l] = c[l] * akp - s[l] * akq;
        a[kq][l] = s[l] * akp + c[l] * akq;
    }
    for i in 0..3 {
        for l in 0..LANES {
            let (up, uq) = (axes[P][i][l], axes[Q][i][l]);
            axes[P][i][l] = c[l] * up - s[l] * uq;
            axes[Q][i][l] = s[l] * up + c[l] * uq;
        }
    }
}

/// `log(1 + x)` for x > -1, to two units in the last place: with `1 + x = 2^k (1 + f)`, it is `k log 2 + 2 artanh(f / (2 + f))`.
#[inline(always)]
fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    // Exponent of u / sqrt 2 rounded up, so that 1 + f lies between sqrt 1/2 and sqrt 2.
    let shifted = u.to_bits().wrapping_add(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd);
    let k = (shifted >> 52) as i32 - 1023;
    let scale = f64::from_bits(((1023 - k) as u64) << 52);
    let f = if k == 0 { x } else { u * scale - 1.0 };
    let s = f / (2.0 + f);
    let q = s * s;
    let mut series = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * q + 1.0 / odd;
    }
    f64::from(k) * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strain::spectrum;
    use crate::tensor::{norm, recompose};

    #[test]
    fn logarithms_are_those_of_the_library() {
        for i in -400..=400 {
            for x in [1.03_f64.powi(i), -1.03_f64.powi(-i.abs()) * 0.9999, 1e-4 - 1.0, 0.0] {
                let exact = x.ln_1p();
                assert!((ln_1p(x) - exact).abs() <= 5e-16 * exact.abs(), "{x}: {} {exact}", ln_1p(x));
            }
        }
    }

    #[test]
    fn a_batch_has_the_spectra_of_its_strains() {
        let mut seed = 1_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for round in 0..200 {
            let size = 10_f64.powi(-round % 12);
            let mut strain = || {
                let axes = spectrum(DMat3::from_cols(
                    DVec3::new(draw(), draw(), draw()),
                    DVec3::new(0.0, draw(), draw()),
                    DVec3::new(0.0, 0.0, draw()),
                ));
                recompose(
                    axes.axes,
                    size * DVec3::new(draw(), draw(), if round % 3 == 0 { 0.0 } else { draw() }),
                )
            };
            let strains: [DMat3; LANES] =
                std::array::from_fn(|lane| if lane == 3 { DMat3::ZERO } else { strain() });
            for (strain, found) in std::iter::zip(strains, spectra(&strains)) {
                let back = recompose(found.axes, (2.0 * found.hencky).exp() - 1.0);
                assert!(norm(back - strain) < 1e-14, "{strain} {back}");
                assert!((found.axes.determinant().abs() - 1.0).abs() < 1e-14);
                let sorted = |v: DVec3| {
                    let mut a = v.to_array();
                    a.sort_by(f64::total_cmp);
                    DVec3::from_array(a)
                };
                let error = (sorted(found.hencky) - sorted(spectrum(strain).hencky)).length();
                assert!(error <= 1e-14 * norm(strain).max(1e-300), "{error}");
            }
        }
    }
}
