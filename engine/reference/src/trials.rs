//! Trial strains of several particles at once, one to a lane, and their spectra: what Newton passes and sweeps have in common.

use glam::{DMat3, DVec3};
use multiversion::multiversion;
use tuff_problem::thresholds::{FOLD_DETERMINANT, FOLD_LIMIT};

use crate::batch::{Lanes, Symmetric, diagonalize, to_hencky};
use crate::lanes::{
    Matrices, Vectors, determinant, get, get_vector, lanes, plus_identity, scaled, set, squares, times,
    times_transposed,
};
use crate::strain::{Spectrum, is_clamped};
use crate::tensor::voigt;

/// Trial strains of particles. Lanes that are not set hold zeros.
#[derive(Default)]
pub struct Trials {
    /// `Lg = dt grad v` before [`carry`](Self::carry), afterwards limited as by [`crate::strain::limit_fold`].
    pub displacement: Matrices,
    /// Elastic strain E before [`carry`](Self::carry), afterwards the eigenvalues of the trial strain.
    strain: Symmetric,
    /// Principal axes of the trial strain.
    pub axes: Matrices,
    /// Principal trial Hencky strains.
    pub hencky: Vectors,
    /// `det(I + Lg)` before the limit.
    determinant: Lanes,
}

impl Trials {
    /// Sets the displacement gradient `Lg` and the strain E at the start of the substep.
    pub fn set(&mut self, lane: usize, displacement: DMat3, strain: DMat3) {
        set(&mut self.displacement, lane, displacement);
        for (element, value) in std::iter::zip(&mut self.strain, voigt(strain)) {
            element[lane] = value;
        }
    }

    /// Computes the spectra of the trial strains.
    pub fn carry(&mut self) {
        carry(self);
    }

    /// Returns the limited displacement gradient.
    pub fn displacement(&self, lane: usize) -> DMat3 {
        get(&self.displacement, lane)
    }

    /// Returns true if the displacement gradient folds the neighborhood.
    pub fn folded(&self, lane: usize) -> bool {
        self.determinant[lane] < FOLD_DETERMINANT
    }

    /// Returns the principal trial Hencky strains.
    pub fn hencky(&self, lane: usize) -> DVec3 {
        get_vector(&self.hencky, lane)
    }

    /// Returns the spectrum of the trial strain.
    pub fn spectrum(&self, lane: usize) -> Spectrum {
        let values = DVec3::new(self.strain[0][lane], self.strain[1][lane], self.strain[2][lane]);
        Spectrum { hencky: self.hencky(lane), axes: get(&self.axes, lane), clamped: is_clamped(values) }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn carry(trials: &mut Trials) {
    let size = squares(&trials.displacement);
    let determinant = determinant(&plus_identity(&trials.displacement));
    let scale = lanes(|l| {
        let limited = (FOLD_LIMIT / size[l].sqrt()).min(1.0);
        if determinant[l] < FOLD_DETERMINANT { limited } else { 1.0 }
    });
    let lg = scaled(&trials.displacement, &scale);
    // E + Lg (I + E) + (I + E) Lg^T + Lg (I + E) Lg^T
    let e = [
        [trials.strain[0], trials.strain[5], trials.strain[4]],
        [trials.strain[5], trials.strain[1], trials.strain[3]],
        [trials.strain[4], trials.strain[3], trials.strain[2]],
    ];
    let moved = times(&lg, &plus_identity(&e));
    let both = times_transposed(&moved, &lg);
    let element = |i: usize, j: usize| {
        lanes(|l| e[i][j][l] + moved[i][j][l] + moved[j][i][l] + 0.5 * (both[i][j][l] + both[j][i][l]))
    };
    let mut strain =
        [element(0, 0), element(1, 1), element(2, 2), element(1, 2), element(0, 2), element(0, 1)];
    trials.axes = Matrices::default();
    diagonalize(&mut strain, &mut trials.axes);
    (trials.displacement, trials.strain, trials.determinant) = (lg, strain, determinant);
    trials.hencky = [strain[0], strain[1], strain[2]];
    to_hencky(&mut trials.hencky);
}
