//! Element tests in f64: one homogeneous piece of matter is driven along a path of strain and stress.
//!
//! A [`Specimen`] is loaded along fixed principal axes by [`consolidate`] and [`axial`], and sheared by [`shear`]; [`flow_stress`] shears
//! until the stress no longer changes. Stress is positive in tension; the Kirchhoff stress tau is per volume before the test, the Cauchy
//! stress is `tau / J`. As in the engine, a stress belongs to the state words at the start of its increment.

use glam::{DMat3, DVec3};
use tuff_plugin::Model;
use tuff_reference::strain::SQUARED_STRETCH;
use tuff_reference::symmetric::eigen;
use tuff_reference::tensor::{recompose, symmetric_part};

/// A sum of stresses counts as balanced within this fraction of `2 mu + 3 kappa`.
const BALANCE: f64 = 1e-13;

/// Largest Hencky strain by which the specimen may widen or narrow in one increment.
const WIDEST: f64 = 2.0;

/// Number of increments in a consolidation.
const CONSOLIDATION: usize = 50;

/// Parameters of [`flow_stress`]: shear strain of an increment and of a block of increments, and maximum number of blocks.
const FLOW: (f64, f64, usize) = (0.01, 0.5, 60);

/// A piece of matter in the axes of the test: 0 along it, 1 and 2 across.
#[derive(Clone, Debug)]
pub struct Specimen<'a> {
    model: &'a Model,
    constants: &'a [f64],
    elastic: [f64; 3],
    state: [f64; 4],
    last: Sample,
}

/// Measurements after an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Total Hencky strains of the specimen since the beginning, elastic plus plastic \[-\].
    pub strain: [f64; 3],
    /// Principal Kirchhoff stresses \[Pa\].
    pub kirchhoff: [f64; 3],
    /// State words.
    pub state: [f64; 4],
}

impl Sample {
    /// Returns the volume relative to the beginning \[-\].
    pub fn volume(&self) -> f64 {
        self.strain.iter().sum::<f64>().exp()
    }

    /// Returns the principal Cauchy stresses \[Pa\].
    pub fn cauchy(&self) -> [f64; 3] {
        self.kirchhoff.map(|tau| tau / self.volume())
    }
}

/// Returns `p = -tr / 3`, positive in compression, and `q = across - along`, positive if the specimen is compressed along its axis; `|q|`
/// is `sqrt(3/2) |dev|` if both directions across are equal.
pub fn p_q(stress: [f64; 3]) -> [f64; 2] {
    [-stress.iter().sum::<f64>() / 3.0, 0.5 * (stress[1] + stress[2]) - stress[0]]
}

/// Condition across the specimen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Across {
    /// Holds this Cauchy stress \[Pa\]: 0 for free faces, minus the cell pressure in a triaxial test.
    Stress(f64),
    /// Holds the volume of the specimen.
    Volume,
}

impl<'a> Specimen<'a> {
    /// Creates a specimen at rest, with the constants of [`Model::prepare`].
    pub fn new(model: &'a Model, constants: &'a [f64]) -> Self {
        let state = model.initial_state(constants);
        let kirchhoff = model.kirchhoff(constants, &state, [0.0; 3]);
        let last = Sample { strain: [0.0; 3], kirchhoff, state };
        Self { model, constants, elastic: [0.0; 3], state, last }
    }

    /// Returns the last measurement.
    pub fn sample(&self) -> &Sample {
        &self.last
    }

    /// Strains by an increment of Hencky strain within `dt` \[s\].
    fn strained(&self, increment: [f64; 3], dt: f64) -> Self {
        let trial = sum(self.elastic, increment).map(admissible);
        let projected = self.model.project(self.constants, &self.state, dt, trial);
        let last = Sample {
            strain: sum(self.last.strain, increment),
            kirchhoff: self.model.kirchhoff(self.constants, &self.state, projected.hencky),
            state: projected.state,
        };
        Self { elastic: projected.hencky, state: projected.state, last, ..*self }
    }

    /// Returns the tolerance within which stresses count as zero \[Pa\].
    fn tolerance(&self) -> f64 {
        let moduli = self.model.moduli(self.constants, &self.state);
        BALANCE * (2.0 * moduli.shear + 3.0 * moduli.bulk)
    }
}

/// Compresses the specimen isotropically to a cell pressure \[Pa\]; `None` if it cannot bear the pressure.
pub fn consolidate<'a>(specimen: &Specimen<'a>, pressure: f64) -> Option<Specimen<'a>> {
    let mut specimen = specimen.clone();
    let mut guess = 0.0;
    for step in 1..=CONSOLIDATION {
        let target = -pressure * step as f64 / CONSOLIDATION as f64;
        let excess = |x: f64| specimen.strained([x; 3], 1.0).last.cauchy()[0] - target;
        guess = root(excess, guess, 1e-6, specimen.tolerance())?;
        specimen = specimen.strained([guess; 3], 1.0);
    }
    Some(specimen)
}

/// Loads along the axis through the Hencky strains `path`, relative to the specimen's own, at `rate` \[1/s\].
///
/// The list is shorter than `path` if the stress across can no longer be balanced.
pub fn axial(specimen: &Specimen, path: &[f64], across: Across, rate: f64) -> Vec<Sample> {
    let mut specimen = specimen.clone();
    let mut samples = Vec::with_capacity(path.len());
    let start = specimen.last.strain[0];
    let mut ratio = -0.5;
    for &strain in path {
        let along = start + strain - specimen.last.strain[0];
        let dt = along.abs() / rate;
        let wide = match across {
            Across::Volume => Some(-0.5 * along),
            Across::Stress(target) => {
                let excess = |x: f64| {
                    let [_, a, b] = specimen.strained([along, x, x], dt).last.cauchy();
                    0.5 * (a + b) - target
                };
                root(excess, ratio * along, 0.1 * along.abs(), specimen.tolerance())
            }
        };
        let Some(wide) = wide else { break };
        if along != 0.0 {
            ratio = wide / along;
        }
        specimen = specimen.strained([along, wide, wide], dt);
        if !specimen.last.kirchhoff.iter().all(|tau| tau.is_finite()) {
            break;
        }
        samples.push(specimen.last);
    }
    samples
}

/// Returns shear strains and Cauchy shear stresses \[Pa\] of simple shear at `rate` \[1/s\] up to the shear strain `most`.
///
/// The specimen keeps its initial strain; its volume stays constant.
pub fn shear(specimen: &Specimen, rate: f64, most: f64, steps: usize) -> Vec<[f64; 2]> {
    let mut sheared = Sheared::new(specimen);
    let step = most / steps as f64;
    let mut curve = vec![[0.0, 0.0]];
    for index in 1..=steps {
        let stress = sheared.strain_by(step, step / rate);
        if !stress.is_finite() {
            break;
        }
        curve.push([step * index as f64, stress]);
    }
    curve
}

/// Returns the Cauchy shear stress \[Pa\] of steady simple shear at `rate` \[1/s\]; `None` if it never becomes steady.
pub fn flow_stress(specimen: &Specimen, rate: f64) -> Option<f64> {
    let (step, block, blocks) = FLOW;
    let mut sheared = Sheared::new(specimen);
    let mut before = f64::NAN;
    for _ in 0..blocks {
        let mut stress = f64::NAN;
        for _ in 0..(block / step) as usize {
            stress = sheared.strain_by(step, step / rate);
        }
        if (stress - before).abs() <= 1e-6 * stress.abs() {
            return Some(stress);
        }
        before = stress;
    }
    None
}

/// A specimen whose principal axes rotate: its elastic strain is stored as `E = b - I`.
struct Sheared<'a> {
    specimen: Specimen<'a>,
    strain: DMat3,
}

impl<'a> Sheared<'a> {
    fn new(specimen: &Specimen<'a>) -> Self {
        let strain = DVec3::from_array(specimen.elastic.map(|eps| (2.0 * eps).exp_m1()));
        Self { specimen: specimen.clone(), strain: DMat3::from_diagonal(strain) }
    }

    /// Shears by `A = I + gamma x y^T` within `dt` \[s\] and returns the Cauchy shear stress \[Pa\] afterwards.
    fn strain_by(&mut self, gamma: f64, dt: f64) -> f64 {
        let Specimen { model, constants, state, last, .. } = &mut self.specimen;
        let (l, e) = (DMat3::from_cols(DVec3::ZERO, gamma * DVec3::X, DVec3::ZERO), self.strain);
        let t = l.transpose();
        let trial = e + (l * e + e * t) + l * e * t + (l + t + l * t);
        let (w, axes) = eigen(symmetric_part(trial));
        let hencky = w.to_array().map(|w| admissible(0.5 * w.ln_1p()));
        let projected = model.project(constants, state, dt, hencky);
        let kirchhoff = model.kirchhoff(constants, state, projected.hencky);
        self.strain = recompose(axes, DVec3::from_array(projected.hencky.map(|eps| (2.0 * eps).exp_m1())));
        *state = projected.state;
        recompose(axes, DVec3::from_array(kirchhoff)).y_axis.x / last.volume()
    }
}

/// Limits a Hencky strain to the stretches that the engine passes to models.
fn admissible(hencky: f64) -> f64 {
    let (least, most) = SQUARED_STRETCH;
    // NaN, from a squared stretch below 0, becomes the smallest stretch.
    hencky.max(0.5 * least.ln()).min(0.5 * most.ln())
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Finds a root of a nondecreasing function: grows a bracket from `guess` with steps starting at `step`, then uses false position
/// (Illinois), with bisection where this is slow.
pub(crate) fn root(f: impl Fn(f64) -> f64, guess: f64, step: f64, tolerance: f64) -> Option<f64> {
    let (mut a, mut fa) = (guess, f(guess));
    if fa.abs() <= tolerance {
        return Some(a);
    }
    let mut step = if fa > 0.0 { -step.max(1e-12) } else { step.max(1e-12) };
    let (mut b, mut fb) = loop {
        let b = a + step;
        let fb = f(b);
        if !fb.is_finite() || (b - guess).abs() > WIDEST {
            return None;
        }
        if fb.abs() <= tolerance {
            return Some(b);
        }
        if fa * fb < 0.0 {
            break (b, fb);
        }
        (a, fa) = (b, fb);
        step *= 2.0;
    };
    for turn in 0..200 {
        let c = if turn % 4 == 3 { 0.5 * (a + b) } else { (a * fb - b * fa) / (fb - fa) };
        let fc = f(c);
        // If the stress jumps across the target, the position of the jump is the best solution.
        if fc.abs() <= tolerance || c == a || c == b {
            return Some(c);
        }
        if fc * fb < 0.0 {
            (a, fa) = (b, fb);
        } else {
            fa *= 0.5;
        }
        (b, fb) = (c, fc);
    }
    Some(b)
}
