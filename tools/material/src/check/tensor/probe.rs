//! A model of the tensor variant at given arguments, with the quantities that the laws need there.

use glam::DMat3;
use tuff_plugin::{Moduli, Stretch, TensorResponse, TensorUpdate};
use tuff_reference::tensor::{double_dot, from_voigt, norm, outer, trace};

use super::matter::{Matter, logarithm};
use crate::check::findings::At;
use crate::check::journal::Watched;
use crate::check::probe::largest;
use crate::check::sets::Set;

/// Steps of the finite differences \[-\], the usual one first: the others are used if it is not accurate enough because the energy has a
/// kink nearby.
const DIFFERENCES: [f64; 3] = [1e-4, 1e-3, 1e-6];
/// Strain step for the stress at rest \[-\].
pub const REST_STEP: f64 = 1e-6;

/// A model at given arguments.
#[derive(Clone, Copy)]
pub struct Probe<'a> {
    /// The model.
    pub model: &'a Watched<'a>,
    /// Its parameters.
    pub set: &'a Set,
    /// Index of the parameter set.
    pub index: usize,
    /// State words before the step.
    pub state: [f64; 4],
    /// Length of the step \[s\].
    pub dt: f64,
    /// The particle, carried along.
    pub matter: Matter,
}

impl Probe<'_> {
    /// Returns a probe with other matter.
    pub fn with(&self, matter: Matter) -> Self {
        Self { matter, ..*self }
    }

    /// Returns the arguments.
    pub fn at(&self) -> At {
        let Self { index: set, state, dt, matter, .. } = *self;
        At { set, state, hencky: matter.strain.hencky, dt, matter: Some(matter) }
    }

    /// Evaluates energy and stress of the step.
    pub fn respond(&self) -> TensorResponse {
        self.model.respond(&self.matter.point(&self.set.constants, self.state, self.dt))
    }

    /// Evaluates the state that the particle keeps.
    pub fn advance(&self) -> TensorUpdate {
        self.model.advance(&self.matter.point(&self.set.constants, self.state, self.dt))
    }

    /// Returns the energy density between steps \[Pa\].
    pub fn stored(&self) -> f64 {
        self.model.stored_energy(&self.matter.point(&self.set.constants, self.state, self.dt))
    }

    /// Returns the probe after the step.
    pub fn after(&self, update: &TensorUpdate) -> Self {
        let TensorUpdate { state, strain, branch, .. } = *update;
        Self { state, matter: Matter { strain, branch, ..self.matter }, ..*self }
    }

    /// Returns the small-strain moduli.
    pub fn moduli(&self) -> Moduli {
        self.model.moduli(&self.set.constants, &self.state)
    }

    /// Returns the unit of deviations of stress and energy, `(2 mu + 3 kappa) max(1, s^2, J^2)` with stretches s of strain, branch and F
    /// \[Pa\].
    pub fn unit(&self) -> f64 {
        let Moduli { shear, bulk } = self.moduli();
        (2.0 * shear + 3.0 * bulk) * (2.0 * self.matter.size()[1]).exp()
    }

    /// Returns the distance of the stress from the derivative of respond's energy with respect to A, where the particle is carried
    /// further along with A = I + h D: in units of the stiffness times the strain. The step to the particle's start changes both sides
    /// alike. D is symmetric: energy that changes with a rotation violates objectivity instead.
    pub fn slope_error(&self, unit: f64, allowed: f64) -> f64 {
        let stress = from_voigt(self.respond().kirchhoff);
        let scale = unit * self.matter.size()[0].clamp(1e-3, 1.0);
        let energy =
            |direction: DMat3, h: f64| self.with(self.matter.carried(h * direction)).respond().energy;
        let error = |direction: DMat3, h: f64| {
            let [far, near] = [2.0 * h, h].map(|h| energy(direction, h) - energy(direction, -h));
            ((8.0 * near - far) / (12.0 * h) - double_dot(stress, direction)).abs() / scale
        };
        largest(symmetric_basis().map(|direction| {
            let mut least = f64::NAN;
            for h in DIFFERENCES {
                least = least.min(error(direction, h));
                if least <= allowed {
                    break;
                }
            }
            least
        }))
    }

    /// Returns the slope of the stress at rest along a strain of size 1, and the slope that the moduli imply \[Pa\].
    pub fn stiffness(&self, direction: DMat3) -> [f64; 2] {
        let Moduli { shear, bulk } = self.moduli();
        let stress = |h: f64| from_voigt(self.with(self.matter.carried(h * direction)).respond().kirchhoff);
        let slope = double_dot(stress(REST_STEP) - stress(-REST_STEP), direction) / (2.0 * REST_STEP);
        let volume = trace(direction) * trace(direction) / 3.0;
        [slope, 2.0 * shear * (double_dot(direction, direction) - volume) + 3.0 * bulk * volume]
    }

    /// Returns the largest deviation of another probe's answers from these answers, rotated.
    pub fn turning_error(&self, other: &Self, turn: DMat3, unit: f64) -> f64 {
        let (here, there) = (self.respond(), other.respond());
        let turned = |m: DMat3| turn * m * turn.transpose();
        let stress = norm(from_voigt(there.kirchhoff) - turned(from_voigt(here.kirchhoff)));
        let (kept, found) = (self.advance(), other.advance());
        let moved = |a: &Stretch, b: &Stretch| norm(logarithm(b) - turned(logarithm(a)));
        largest([
            stress / unit,
            (there.energy - here.energy).abs() / unit,
            (other.stored() - self.stored()).abs() / unit,
            moved(&kept.strain, &found.strain),
            moved(&kept.branch, &found.branch),
            relative(found.state, kept.state),
            (found.forget - kept.forget).abs(),
        ])
    }

    /// Returns whether all answers are finite and forget is a fraction.
    pub fn is_finite(&self) -> bool {
        let (response, update) = (self.respond(), self.advance());
        let stretches = [update.strain, update.branch];
        let numbers = stretches.iter().flat_map(|s| s.hencky.iter().chain(s.axes.as_flattened()));
        let numbers = numbers.chain(&update.state).chain(&response.kirchhoff).copied();
        numbers.chain([response.energy, self.stored()]).all(f64::is_finite)
            && (0.0..=1.0).contains(&update.forget)
    }

    /// Returns the bits of every answer; those of the stored branch only if the model has one.
    pub fn bits(&self, has_branch: bool) -> Vec<u64> {
        let (response, update) = (self.respond(), self.advance());
        let stretch = |s: &Stretch| [s.hencky.as_slice(), s.axes.as_flattened()].concat();
        let mut numbers = stretch(&update.strain);
        if has_branch {
            numbers.extend(stretch(&update.branch));
        }
        numbers.extend(update.state.iter().chain(&response.kirchhoff));
        numbers.extend([response.energy, self.stored(), update.forget]);
        numbers.iter().map(|x| x.to_bits()).chain([u64::from(update.case)]).collect()
    }
}

/// Returns six symmetric matrices that span all strains.
fn symmetric_basis() -> [DMat3; 6] {
    let [x, y, z] = DMat3::IDENTITY.to_cols_array_2d().map(glam::DVec3::from_array);
    let shear = |a, b| 0.5 * (outer(a, b) + outer(b, a));
    [outer(x, x), outer(y, y), outer(z, z), shear(y, z), shear(x, z), shear(x, y)]
}

/// Returns the largest difference of two sets of state words, in units of the larger of 1 and their own size.
pub fn relative(a: [f64; 4], b: [f64; 4]) -> f64 {
    largest([0, 1, 2, 3].map(|i| (a[i] - b[i]).abs() / b[i].abs().max(1.0)))
}

/// Returns how far axes deviate from perpendicular unit vectors.
pub fn skewness(stretch: &Stretch) -> f64 {
    let axes = DMat3::from_cols_array_2d(&stretch.axes);
    norm(axes.transpose() * axes - DMat3::IDENTITY)
}
