//! Trial strain, stress and its linearization, for several particles at once; the laws are called in between.

use multiversion::multiversion;
use tuff_problem::thresholds::{FADE, SOFTEST, STRAINLESS, UNCHANGED};

use crate::batch::Lanes;
use crate::lanes::{
    Matrices, Vectors, deviator, identity, inverse, lanes, plus_identity, scaled, squares, symmetric, times,
    times_transposed,
};
use crate::trials::Trials;

/// Particles of a batch, one to a lane. All stay zero that is not set.
#[derive(Default)]
pub struct Batch {
    /// Trial strains.
    pub trials: Trials,
    /// Principal Kirchhoff stresses [Pa].
    pub principal: Vectors,
    /// Kirchhoff stresses [Pa], for particles whose model is of the tensor variant.
    pub tensor: Matrices,
    /// Elastic moduli [Pa].
    pub shear: Lanes,
    pub bulk: Lanes,
    /// V0 dt^2 [m^3 s^2].
    pub scale: Lanes,
    /// dt [s].
    dt: f64,
    /// Sum `n = dt sum w' (v_b - v_p)` of the memory weights, displacement h stored before, and its bound [m].
    pub non_affine: Vectors,
    pub memory: Vectors,
    pub memory_bound: Lanes,
    /// dt^2 beta of the memory [kg].
    pub memory_stiffness: Lanes,
}

/// What particles do to their neighbors, one to a lane.
pub struct Response {
    /// Matrix that multiplies gradients [N s m].
    pub gradient: Matrices,
    /// Vector that multiplies memory weights [N s].
    pub memory: Vectors,
}

/// The linearized responses of particles, one to a lane.
#[derive(Clone)]
pub struct Tangents {
    /// A^-1.
    inverse: Matrices,
    /// V0 dt^2 times the shear and bulk moduli [N m s^2]; negative if there is no response.
    shear: Lanes,
    bulk: Lanes,
    /// dt^2 beta of the memory [kg].
    memory: Lanes,
    /// Kirchhoff stress at which they were computed [Pa].
    stress: Matrices,
}

impl Tangents {
    /// Returns the start of a solve: no evaluation.
    pub fn none() -> Self {
        Self {
            inverse: identity(),
            shear: lanes(|_| -1.0),
            bulk: lanes(|_| -1.0),
            memory: Lanes::default(),
            stress: Matrices::default(),
        }
    }

    /// Returns the actions of the change of stress by a change of the velocities with the sums `gradient = grad dv` [1/s] and
    /// `non_affine` [m/s].
    pub fn respond(&self, gradient: &Matrices, non_affine: &Vectors) -> Response {
        respond(self, gradient, non_affine)
    }

    /// Returns the actions whose first three components are `(weight mu + kappa)^1/2 A^-T g`, with the fourth `(3 beta)^1/2 w'`,
    /// here in the memory's first component. A particle whose velocity enters grad v by g [1/m] and n by w' gets from it a diagonal
    /// block `(mu |A^-T g|^2 + beta w'^2) I + (mu / 3 + kappa) A^-T g g^T A^-1`, whose trace is the square of the action for the
    /// weight 10/3.
    pub fn root(&self, weight: f64) -> Response {
        root(self, weight)
    }

    /// Returns `mu / (mu / 3 + kappa)` of a particle; 0 without stiffness.
    pub fn shear_share(&self, lane: usize) -> f64 {
        self.shear[lane] / (self.shear[lane] / 3.0 + self.bulk[lane]).max(f64::MIN_POSITIVE)
    }
}

impl Batch {
    /// Returns an empty batch for a substep of `dt` [s].
    pub fn new(dt: f64) -> Self {
        Self { dt, ..Self::default() }
    }

    /// Returns what the stresses do, and their linearization; `last` is that of the previous evaluation in the same solve.
    pub fn linearize(&self, last: &Tangents) -> (Response, Tangents) {
        linearize(self, last)
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn linearize(batch: &Batch, last: &Tangents) -> (Response, Tangents) {
    let mut weighted = batch.trials.axes;
    for (column, tau) in std::iter::zip(&mut weighted, &batch.principal) {
        for row in column {
            *row = lanes(|l| row[l] * tau[l]);
        }
    }
    let mut tau = times_transposed(&weighted, &batch.trials.axes);
    for (column, tensor) in std::iter::zip(tau.as_flattened_mut(), batch.tensor.as_flattened()) {
        *column = lanes(|l| column[l] + tensor[l]);
    }
    let deformation = plus_identity(&batch.trials.displacement);
    let inverse = inverse(&deformation);
    let volume = lanes(|l| batch.scale[l] / batch.dt);
    let gradient = scaled(&times_transposed(&tau, &inverse), &volume);

    let h = &batch.trials.hencky;
    let mean = lanes(|l| (h[0][l] + h[1][l] + h[2][l]) / 3.0);
    let size = lanes(|l| {
        let d = [h[0][l] - mean[l], h[1][l] - mean[l], h[2][l] - mean[l]];
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    });
    let (stress, mean_tau) = sizes(&tau);
    let mut shear = lanes(|l| batch.scale[l] * secant(stress[l], 2.0 * size[l], batch.shear[l]));
    let mut bulk = lanes(|l| batch.scale[l] * secant(mean_tau[l], 3.0 * mean[l], batch.bulk[l]));

    // From the previous evaluation: A A_last^-1 - I, symmetric part, and the change of stress.
    let mut strain = symmetric(&times(&deformation, &last.inverse));
    let mut change = tau;
    for i in 0..3 {
        strain[i][i] = lanes(|l| strain[i][i][l] - 1.0);
        for j in 0..3 {
            change[i][j] = lanes(|l| tau[i][j][l] - last.stress[i][j][l]);
        }
    }
    let (size, mean) = sizes(&strain);
    let (stress, mean_tau) = sizes(&change);
    shear = lanes(|l| {
        let along = batch.scale[l] * secant(stress[l], 2.0 * size[l], batch.shear[l]);
        let along = if size[l] < UNCHANGED { 0.0 } else { along };
        let last = last.shear[l];
        if last < 0.0 { shear[l] } else { shear[l].max(FADE * last).max(along) }
    });
    bulk = lanes(|l| {
        let along = batch.scale[l] * secant(mean_tau[l], 3.0 * mean[l], batch.bulk[l]);
        let along = if mean[l].abs() < UNCHANGED { 0.0 } else { along };
        let last = last.bulk[l];
        if last < 0.0 { bulk[l] } else { bulk[l].max(FADE * last).max(along) }
    });

    // The memory: h + n, shortened to its bound, times its stiffness.
    let trial = [0, 1, 2].map(|i: usize| lanes(|l| batch.memory[i][l] + batch.non_affine[i][l]));
    let size = lanes(|l| {
        let square = trial[0][l] * trial[0][l] + trial[1][l] * trial[1][l] + trial[2][l] * trial[2][l];
        square.sqrt().max(f64::MIN_POSITIVE)
    });
    let kept = lanes(|l| batch.memory_bound[l] / size[l]);
    let pull = lanes(|l| batch.memory_stiffness[l] / batch.dt * kept[l].min(1.0));
    let memory = lanes(|l| batch.memory_stiffness[l] * kept[l].clamp(SOFTEST, 1.0));
    let response = Response { gradient, memory: trial.map(|t| lanes(|l| t[l] * pull[l])) };
    (response, Tangents { inverse, shear, bulk, memory, stress: tau })
}

#[multiversion(targets("x86_64+avx2"))]
fn respond(tangents: &Tangents, gradient: &Matrices, non_affine: &Vectors) -> Response {
    let (mut tau, mean) = deviator(&symmetric(&times(gradient, &tangents.inverse)));
    for (i, column) in tau.iter_mut().enumerate() {
        for (j, row) in column.iter_mut().enumerate() {
            let spherical = if i == j { 3.0 } else { 0.0 };
            *row = lanes(|l| 2.0 * tangents.shear[l] * row[l] + spherical * tangents.bulk[l] * mean[l]);
        }
    }
    Response {
        gradient: times_transposed(&tau, &tangents.inverse),
        memory: non_affine.map(|n| lanes(|l| tangents.memory[l] * n[l])),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn root(tangents: &Tangents, weight: f64) -> Response {
    let factor = lanes(|l| (weight * tangents.shear[l] + tangents.bulk[l]).sqrt());
    let mut gradient = tangents.inverse;
    for (i, column) in gradient.iter_mut().enumerate() {
        for (j, row) in column.iter_mut().enumerate() {
            *row = lanes(|l| factor[l] * tangents.inverse[j][i][l]);
        }
    }
    let memory = lanes(|l| (3.0 * tangents.memory[l]).sqrt());
    Response { gradient, memory: [memory, Lanes::default(), Lanes::default()] }
}

/// Returns `stress / strain`, clamped between a small fraction of the elastic modulus and the elastic modulus [Pa].
#[inline(always)]
fn secant(stress: f64, strain: f64, elastic: f64) -> f64 {
    let ratio = (stress / strain).max(SOFTEST * elastic).min(elastic);
    if strain.abs() < STRAINLESS { elastic } else { ratio }
}

/// Returns the norm of the deviator, and a third of the trace.
#[inline(always)]
fn sizes(m: &Matrices) -> (Lanes, Lanes) {
    let (deviator, mean) = deviator(m);
    let square = squares(&deviator);
    (lanes(|l| square[l].sqrt()), mean)
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use super::*;
    use crate::batch::LANES;
    use crate::lanes::{get, get_vector, set};
    use crate::strain::{carried, limit_fold, spectrum};
    use crate::tensor::{norm, recompose};

    const MODULI: [f64; 2] = [3.0, 5.0];
    const SCALE: f64 = 0.1;
    const DT: f64 = 0.5;

    /// Returns a batch whose lane 2 holds a displacement gradient and a strain, with the given principal stresses.
    fn batch(displacement: DMat3, strain: DMat3, principal: DVec3) -> Batch {
        let mut batch = Batch::new(DT);
        batch.trials.set(2, displacement, strain);
        (batch.shear, batch.bulk, batch.scale) = ([MODULI[0]; LANES], [MODULI[1]; LANES], [SCALE; LANES]);
        batch.trials.carry();
        for (row, value) in std::iter::zip(&mut batch.principal, principal.to_array()) {
            row[2] = value;
        }
        batch
    }

    fn displacement(size: f64) -> DMat3 {
        size * DMat3::from_cols_array_2d(&[[0.3, -0.2, 0.1], [0.4, -0.5, 0.2], [-0.1, 0.3, 0.2]])
    }

    /// Residuals and commits take the same steps one particle at a time (`crate::strain`): both are the same.
    #[test]
    fn strain_and_stress_are_those_of_one_particle() {
        let strain = DMat3::from_cols_array_2d(&[[0.1, 0.03, 0.0], [0.03, -0.05, 0.02], [0.0, 0.02, 0.04]]);
        let principal = DVec3::new(2.0, -1.0, 0.5);
        for (size, folds) in [(0.1, false), (1.0, false), (4.0, true)] {
            let (limited, folded) = limit_fold(displacement(size));
            assert_eq!(folded, folds);
            let batch = batch(displacement(size), strain, principal);
            assert_eq!(batch.trials.folded(2), folds);
            assert!(norm(batch.trials.displacement(2) - limited) < 1e-14);
            let trial = carried(strain, limited);
            let sorted = |v: DVec3| {
                let mut values = v.to_array();
                values.sort_by(f64::total_cmp);
                DVec3::from_array(values)
            };
            let expected = spectrum(trial).hencky;
            assert!((sorted(batch.trials.hencky(2)) - sorted(expected)).length() < 1e-13);
            let (response, tangents) = batch.linearize(&Tangents::none());
            let axes = get(&batch.trials.axes, 2);
            assert!(norm(recompose(axes, (2.0 * batch.trials.hencky(2)).exp() - 1.0) - trial) < 1e-13);
            let inverse = (DMat3::IDENTITY + limited).inverse();
            assert!(norm(get(&tangents.inverse, 2) - inverse) < 1e-13 * norm(inverse));
            let gradient = SCALE / DT * recompose(axes, principal) * inverse.transpose();
            assert!(norm(get(&response.gradient, 2) - gradient) < 1e-13 * norm(gradient));
        }
    }

    #[test]
    fn moduli_are_secants_within_bounds_and_fade() {
        let start = batch(displacement(0.1), DMat3::ZERO, DVec3::ZERO).trials.hencky(2);
        let mean = start.element_sum() / 3.0;
        let moduli = |share: [f64; 2], last: f64| {
            let principal = 2.0 * share[0] * MODULI[0] * (start - mean) + 3.0 * share[1] * MODULI[1] * mean;
            let batch = batch(displacement(0.1), DMat3::ZERO, principal);
            // The previous evaluation was at the same strain, without stress.
            let mut before = Tangents::none();
            set(&mut before.inverse, 2, (DMat3::IDENTITY + batch.trials.displacement(2)).inverse());
            (before.shear[2], before.bulk[2]) = (SCALE * last * MODULI[0], SCALE * last * MODULI[1]);
            let (_, tangents) = batch.linearize(&before);
            [tangents.shear[2] / (SCALE * MODULI[0]), tangents.bulk[2] / (SCALE * MODULI[1])]
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

    /// The spring of the memory in closed form: within its bound, beyond it, and far beyond it.
    #[test]
    fn the_memory_is_a_spring_with_a_bound() {
        let (h, n) = (DVec3::new(0.3, 0.0, -0.1), DVec3::new(0.0, 0.4, 0.1));
        let trial = h + n;
        for (bound, share, tangent) in [(1.0, 1.0, 1.0), (0.25, 0.5, 0.5), (0.005, 0.01, SOFTEST)] {
            let mut batch = batch(DMat3::ZERO, DMat3::ZERO, DVec3::ZERO);
            (batch.memory_bound[2], batch.memory_stiffness[2]) = (bound, 7.0);
            crate::lanes::set_vector(&mut batch.memory, 2, h);
            crate::lanes::set_vector(&mut batch.non_affine, 2, n);
            let (response, tangents) = batch.linearize(&Tangents::none());
            let expected = 7.0 / DT * share * trial;
            assert!((get_vector(&response.memory, 2) - expected).length() < 1e-13, "{bound}");
            assert!((tangents.memory[2] - 7.0 * tangent).abs() < 1e-13, "{bound}");
        }
    }

    /// The product of the tangent in closed form, and its blocks' root: the square of the root is the trace of the product's block.
    #[test]
    fn the_tangent_is_isotropic_in_the_deformed_gradient() {
        let batch = batch(displacement(0.1), DMat3::ZERO, DVec3::ZERO);
        let (_, tangents) = batch.linearize(&Tangents::none());
        let (mu, kappa) = (tangents.shear[2], tangents.bulk[2]);
        let inverse = get(&tangents.inverse, 2);
        let product = |rate: DMat3| {
            let mut lanes = Matrices::default();
            set(&mut lanes, 2, rate);
            get(&tangents.respond(&lanes, &Vectors::default()).gradient, 2)
        };
        let rate = DMat3::from_cols_array_2d(&[[0.2, 0.5, -0.3], [0.1, 0.7, 0.4], [0.9, -0.6, 0.8]]);
        let d = rate * inverse;
        let d = 0.5 * (d + d.transpose());
        let mean = (d.x_axis.x + d.y_axis.y + d.z_axis.z) / 3.0 * DMat3::IDENTITY;
        let expected = (2.0 * mu * (d - mean) + 3.0 * kappa * mean) * inverse.transpose();
        assert!(norm(product(rate) - expected) < 1e-13 * norm(expected));
        // The block of a particle that enters with the gradient g: column i is the response to the unit velocity i.
        let g = DVec3::new(0.4, -0.2, 0.7);
        let unit = |i: usize| DVec3::from_array(std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
        let trace: f64 = (0..3)
            .map(|i| {
                let rate = DMat3::from_cols(unit(i) * g.x, unit(i) * g.y, unit(i) * g.z);
                (product(rate) * g)[i]
            })
            .sum();
        let root = get(&tangents.root(10.0 / 3.0).gradient, 2) * g;
        assert!((root.length_squared() - trace).abs() < 1e-13 * trace, "{} {trace}", root.length_squared());
    }
}
