//! A homogeneous piece of matter in f64 under mixed control: each of the six components of strain or stress is prescribed.
//!
//! The piece is strained without spin: an increment `dD` (symmetric) carries F to `exp(dD) F`. The strain that is reported is the sum of
//! the increments; along axes that stay it is the Hencky strain. Stress is Cauchy's, positive in tension. Both variants of models are
//! driven in the order in which the engine calls them: stress and energy belong to the state words at the start of an increment.

use glam::{DMat3, DVec3};
use tuff_plugin::{Model, Stretch, TensorPoint, Variant};
use tuff_reference::strain::{carried, spectrum};
use tuff_reference::symmetric::eigen;
use tuff_reference::tensor::{from_voigt, recompose, trace, voigt};

use crate::device::Trial;
use crate::tensor_drivers::strain_of;

/// Names of the components, in their order.
pub const COMPONENTS: [&str; 6] = ["xx", "yy", "zz", "yz", "xz", "xy"];

/// A stress counts as reached within this fraction of the largest stress, or, if rounding allows no more, of `2 mu + 3 kappa`.
const BALANCE: f64 = 1e-9;
const ROUGH: f64 = 1e-10;
/// Fraction of `2 mu + 3 kappa` below which stresses are rounding.
const ROUNDING: f64 = 1e-14;
/// Step of the finite differences \[-\].
const DIFFERENCE: f64 = 1e-7;
/// Addition to the stiffness, relative to `2 mu + 3 kappa`, where matter flows without resistance.
const REGULAR: f64 = 1e-9;
/// Largest number of iterations in an increment, and largest strain in one iteration.
const ITERATIONS: usize = 60;
const LONGEST: f64 = 0.05;
/// How often an iteration's step is halved at most, and how often an increment.
const SHORTENINGS: i32 = 12;
const HALVINGS: u32 = 6;

/// Why an increment cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreached {
    /// A stretch would leave the engine's limits, or an answer is not finite.
    Limits,
    /// No strain was found that gives the stresses.
    Stress,
}

/// What is prescribed for one component at the end of an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// Strain since the start \[-\].
    Strain(f64),
    /// Cauchy stress \[Pa\].
    Stress(f64),
}

/// Measurements after an increment.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Strain since the start \[-\]; shear components are half of the angle.
    pub strain: [f64; 6],
    /// Cauchy stress \[Pa\].
    pub stress: [f64; 6],
    /// Volume relative to the start \[-\].
    pub volume: f64,
    /// Energy density per volume at the start \[Pa\].
    pub energy: f64,
    /// State words after the increment; stress and energy belong to those before it.
    pub state: [f64; 4],
    /// The call of a model of the principal variant that led here, and the projected strains.
    pub trial: Option<(Trial, [f64; 3])>,
}

impl Sample {
    /// Returns `p = -tr sigma / 3` and `q = sqrt(3/2) |dev sigma|` \[Pa\].
    pub fn p_q(&self) -> [f64; 2] {
        let [xx, yy, zz, yz, xz, xy] = self.stress;
        let p = -(xx + yy + zz) / 3.0;
        let square = |x: f64| x * x;
        let dev =
            square(xx + p) + square(yy + p) + square(zz + p) + 2.0 * (square(yz) + square(xz) + square(xy));
        [p, (1.5 * dev).sqrt()]
    }
}

/// A piece of matter.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    model: &'a Model,
    constants: &'a [f64],
    /// Whether the model is given the second elastic strain and F.
    shown: [bool; 2],
    state: [f64; 4],
    strain: DMat3,
    branch: DMat3,
    deformation: DMat3,
    sample: Sample,
    /// Strain rate of the last increment \[1/s\].
    rate: [f64; 6],
}

impl<'a> Piece<'a> {
    /// Creates a piece at rest, with the constants of [`Model::prepare`].
    pub fn new(model: &'a Model, constants: &'a [f64]) -> Self {
        let shown = match model.descriptor().variant {
            Variant::Tensor { branch, deformation } => [branch, deformation],
            Variant::Principal => [false; 2],
        };
        let state = model.initial_state(constants);
        let (none, nothing) = (DMat3::ZERO, [0.0; 6]);
        let sample =
            Sample { strain: nothing, stress: nothing, volume: 1.0, energy: 0.0, state, trial: None };
        let deformation = DMat3::IDENTITY;
        Self {
            model,
            constants,
            shown,
            state,
            strain: none,
            branch: none,
            deformation,
            sample,
            rate: nothing,
        }
    }

    /// Returns the last measurement.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Advances by an increment of `dt` \[s\], or, where no strain gives its stresses, by halves of it, quarters and so on. After an error
    /// the piece is as far as it came.
    ///
    /// # Errors
    /// [`Unreached`].
    pub fn advance(&mut self, controls: [Control; 6], dt: f64) -> Result<&Sample, Unreached> {
        self.halved(controls, dt, HALVINGS)?;
        Ok(&self.sample)
    }

    fn halved(&mut self, controls: [Control; 6], dt: f64, halvings: u32) -> Result<(), Unreached> {
        match self.reach(controls, dt) {
            Err(Unreached::Stress) if halvings > 0 => {
                let half = std::array::from_fn(|i| match controls[i] {
                    Control::Strain(strain) => Control::Strain(0.5 * (self.sample.strain[i] + strain)),
                    Control::Stress(stress) => Control::Stress(0.5 * (self.sample.stress[i] + stress)),
                });
                self.halved(half, 0.5 * dt, halvings - 1)?;
                self.halved(controls, 0.5 * dt, halvings - 1)
            }
            outcome => outcome,
        }
    }

    fn reach(&mut self, controls: [Control; 6], dt: f64) -> Result<(), Unreached> {
        let moduli = self.model.moduli(self.constants, &self.state);
        let stiffness = 2.0 * moduli.shear + 3.0 * moduli.bulk;
        let free: Vec<usize> = (0..6).filter(|&i| matches!(controls[i], Control::Stress(_))).collect();
        let increment: [f64; 6] = std::array::from_fn(|i| match controls[i] {
            Control::Strain(strain) => strain - self.sample.strain[i],
            Control::Stress(_) => self.rate[i] * dt,
        });
        let excess = |increment: [f64; 6]| -> Option<Vec<f64>> {
            let stress = self.strained(increment, dt)?.sample.stress;
            let of = |&i: &usize| match controls[i] {
                Control::Stress(target) => stress[i] - target,
                Control::Strain(_) => 0.0,
            };
            Some(free.iter().map(of).collect())
        };
        // From the rate of the last increment, or from no strain of what is free, whichever is nearer.
        let mut held = increment;
        free.iter().for_each(|&i| held[i] = 0.0);
        let starts = [held, increment].into_iter().filter_map(|start| Some((start, excess(start)?)));
        let nearest = starts.min_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)));
        let (mut increment, mut here) = nearest.ok_or(Unreached::Limits)?;
        let largest =
            controls.iter().zip(self.sample.stress).fold(0.0_f64, |most, (control, stress)| match control {
                Control::Stress(target) => most.max(target.abs()),
                Control::Strain(_) => most.max(stress.abs()),
            });
        let allowed = (BALANCE * largest).clamp(ROUNDING * stiffness, ROUGH * stiffness);
        for _ in 0..ITERATIONS {
            if size(&here) <= allowed {
                break;
            }
            let nearer = Self::newton_step(&free, increment, &here, stiffness, &excess);
            let Some(nearer) = nearer else { break };
            (increment, here) = nearer;
        }
        if size(&here) > ROUGH * stiffness {
            return Err(Unreached::Stress);
        }
        *self = self.strained(increment, dt).ok_or(Unreached::Limits)?;
        Ok(())
    }

    /// Returns an increment with a smaller excess of stress, and that; `None` if the step of Newton's method does not lead to one.
    fn newton_step(
        free: &[usize],
        increment: [f64; 6],
        here: &[f64],
        stiffness: f64,
        excess: &impl Fn([f64; 6]) -> Option<Vec<f64>>,
    ) -> Option<([f64; 6], Vec<f64>)> {
        let mut rows = vec![vec![0.0; free.len()]; free.len()];
        for (column, &i) in free.iter().enumerate() {
            let moved = |by: f64| {
                let mut moved = increment;
                moved[i] += by;
                excess(moved)
            };
            let (up, down) = (moved(DIFFERENCE)?, moved(-DIFFERENCE)?);
            for (row, slopes) in rows.iter_mut().enumerate() {
                slopes[column] = (up[row] - down[row]) / (2.0 * DIFFERENCE);
            }
            rows[column][column] += REGULAR * stiffness;
        }
        let step = solve(rows, here.to_vec())?;
        // Shorten the step until it helps.
        let longest = (LONGEST / size(&step)).min(1.0);
        (0..SHORTENINGS).find_map(|shortenings| {
            let mut tried = increment;
            let share = longest * 0.5_f64.powi(shortenings);
            free.iter().zip(&step).for_each(|(&i, step)| tried[i] -= share * step);
            let there = excess(tried)?;
            (size(&there) < size(here)).then_some((tried, there))
        })
    }

    /// Returns the piece after an increment of strain.
    fn strained(&self, increment: [f64; 6], dt: f64) -> Option<Self> {
        let total = from_voigt(increment);
        let (w, axes) = eigen(total);
        let displacement = recompose(axes, DVec3::from_array(w.to_array().map(f64::exp_m1)));
        let strain = spectrum(carried(self.strain, displacement));
        let branch = spectrum(carried(self.branch, displacement));
        if strain.clamped || branch.clamped {
            return None;
        }
        let volume = self.sample.volume * trace(total).exp();
        let mut next = self.clone();
        next.deformation = (DMat3::IDENTITY + displacement) * self.deformation;
        let stretch =
            |hencky: DVec3, axes: DMat3| Stretch { hencky: hencky.to_array(), axes: axes.to_cols_array_2d() };
        let (tau, energy, trial) = if let Variant::Tensor { .. } = self.model.descriptor().variant {
            let mut point = TensorPoint { dt, ..TensorPoint::at_rest(self.constants, self.state) };
            point.strain = stretch(strain.hencky, strain.axes);
            if self.shown[0] {
                point.branch = stretch(branch.hencky, branch.axes);
            }
            if self.shown[1] {
                point.deformation = next.deformation.transpose().to_cols_array_2d();
            }
            let tau = from_voigt(self.model.respond(&point).kirchhoff);
            let update = self.model.advance(&point);
            (next.state, next.strain, next.branch) =
                (update.state, strain_of(&update.strain), strain_of(&update.branch));
            let kept = TensorPoint { strain: update.strain, branch: update.branch, ..point };
            (tau, self.model.stored_energy(&kept), None)
        } else {
            let hencky = strain.hencky.to_array();
            let projected = self.model.project(self.constants, &self.state, dt, hencky);
            let tau = self.model.kirchhoff(self.constants, &self.state, projected.hencky);
            let energy = self.model.energy(self.constants, &self.state, projected.hencky);
            next.state = projected.state;
            next.strain = strain_of(&stretch(DVec3::from_array(projected.hencky), strain.axes));
            let trial = Trial { constants: self.constants.to_vec(), state: self.state, hencky, dt };
            (recompose(strain.axes, DVec3::from_array(tau)), energy, Some((trial, projected.hencky)))
        };
        let cauchy = tau * (1.0 / volume);
        next.sample = Sample {
            strain: std::array::from_fn(|i| self.sample.strain[i] + increment[i]),
            stress: voigt(cauchy),
            volume,
            energy,
            state: next.state,
            trial,
        };
        if dt > 0.0 {
            next.rate = increment.map(|x| x / dt);
        }
        (cauchy.is_finite() && energy.is_finite()).then_some(next)
    }
}

/// Returns the largest magnitude.
fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size, x| size.max(x.abs()))
}

/// Solves a linear system by elimination with row exchange; `None` if it is singular.
fn solve(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()))?;
        rows.swap(pivot, best);
        right.swap(pivot, best);
        let upper = rows[pivot].clone();
        if upper[pivot] == 0.0 || !upper[pivot].is_finite() {
            return None;
        }
        for row in pivot + 1..n {
            let share = rows[row][pivot] / upper[pivot];
            rows[row].iter_mut().zip(&upper).for_each(|(x, above)| *x -= share * above);
            right[row] -= share * right[pivot];
        }
    }
    for row in (0..n).rev() {
        let rest: f64 = (row + 1..n).map(|column| rows[row][column] * right[column]).sum();
        right[row] = (right[row] - rest) / rows[row][row];
    }
    Some(right)
}
