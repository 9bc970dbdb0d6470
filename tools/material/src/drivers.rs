//! Element tests in f64: one homogeneous piece of matter led along a path of strain and stress.
//!
//! A [`Specimen`] is loaded along fixed principal axes by [`consolidate`] and [`axial`], and sheared by [`shear`];
//! [`flow_stress`] shears until the stress no longer changes. Stress is tension positive; Kirchhoff stress tau is
//! per volume before the test, Cauchy stress is `tau / J`. As in the engine, a stress belongs to the state words at
//! the start of its increment.

use glam::{DMat3, DVec3};
use tuff_plugin::Model;
use tuff_reference::strain::SQUARED_STRETCH;
use tuff_reference::symmetric::eigen;
use tuff_reference::tensor::{recompose, symmetric_part};

/// A sum of stresses counts as balanced within this part of `2 mu + 3 kappa`.
const BALANCE: f64 = 1e-13;

/// Largest Hencky strain by which one increment may widen or narrow the specimen.
const WIDEST: f64 = 2.0;

/// Increments of a consolidation.
const CONSOLIDATION: usize = 50;

/// Shear strain of an increment and of a block of them, and most blocks, of [`flow_stress`].
const FLOW: (f64, f64, usize) = (0.01, 0.5, 60);

/// A piece of matter, its axes those of the test: 0 along it, 1 and 2 across.
#[derive(Clone, Debug)]
pub struct Specimen<'a> {
    model: &'a Model,
    constants: &'a [f64],
    elastic: [f64; 3],
    state: [f64; 4],
    last: Sample,
}

/// What is measured after an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Hencky strains of the specimen since the beginning, elastic and plastic together \[-\].
    pub strain: [f64; 3],
    /// Principal Kirchhoff stresses \[Pa\].
    pub kirchhoff: [f64; 3],
    /// State words.
    pub state: [f64; 4],
}

impl Sample {
    /// Volume per volume at the beginning \[-\].
    pub fn volume(&self) -> f64 {
        self.strain.iter().sum::<f64>().exp()
    }

    /// Principal Cauchy stresses \[Pa\].
    pub fn cauchy(&self) -> [f64; 3] {
        self.kirchhoff.map(|tau| tau / self.volume())
    }
}

/// `p = -tr / 3`, compression positive, and `q = across - along`, positive where the specimen is pressed along its
/// axis; `|q|` is `sqrt(3/2) |dev|` where both directions across are alike.
pub fn p_q(stress: [f64; 3]) -> [f64; 2] {
    [-stress.iter().sum::<f64>() / 3.0, 0.5 * (stress[1] + stress[2]) - stress[0]]
}

/// What is held across the specimen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Across {
    /// This Cauchy stress \[Pa\]: 0 for free faces, minus the cell pressure in a triaxial test.
    Stress(f64),
    /// The volume of the specimen.
    Volume,
}

impl<'a> Specimen<'a> {
    /// At rest, with the constants of [`Model::prepare`].
    pub fn new(model: &'a Model, constants: &'a [f64]) -> Self {
        let state = model.initial_state(constants);
        let kirchhoff = model.kirchhoff(constants, &state, [0.0; 3]);
        let last = Sample { strain: [0.0; 3], kirchhoff, state };
        Self { model, constants, elastic: [0.0; 3], state, last }
    }

    /// The last measurement.
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

    /// Stresses within this are none \[Pa\].
    fn tolerance(&self) -> f64 {
        let moduli = self.model.moduli(self.constants, &self.state);
        BALANCE * (2.0 * moduli.shear + 3.0 * moduli.bulk)
    }
}

/// Compresses the specimen alike from all sides to a cell pressure \[Pa\]; `None` where it cannot bear it.
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

/// Loads along the axis through the Hencky strains `path`, counted from the specimen's own, at `rate` \[1/s\].
///
/// The list is shorter than `path` where nothing balances the stress across any more.
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

/// Shear strains and Cauchy shear stresses \[Pa\] of simple shear at `rate` \[1/s\] to the shear strain `most`.
///
/// The specimen keeps the strain in which it is given; its volume does not change any more.
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

/// Cauchy shear stress \[Pa\] of steady simple shear at `rate` \[1/s\]; `None` where it never becomes steady.
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

/// A specimen whose principal axes turn: its elastic strain as `E = b - I`.
struct Sheared<'a> {
    specimen: Specimen<'a>,
    strain: DMat3,
}

impl<'a> Sheared<'a> {
    fn new(specimen: &Specimen<'a>) -> Self {
        let strain = DVec3::from_array(specimen.elastic.map(|eps| (2.0 * eps).exp_m1()));
        Self { specimen: specimen.clone(), strain: DMat3::from_diagonal(strain) }
    }

    /// Shears by `A = I + gamma x y^T` within `dt` \[s\]; the Cauchy shear stress \[Pa\] afterwards.
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

/// A Hencky strain within the stretches that the engine hands to models.
fn admissible(hencky: f64) -> f64 {
    let (least, most) = SQUARED_STRETCH;
    // NaN, of a squared stretch below 0, becomes the smallest stretch.
    hencky.max(0.5 * least.ln()).min(0.5 * most.ln())
}

fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// A root of a function that does not decrease: a bracket is grown from `guess` in steps from `step` on, then false
/// position (Illinois), with bisection where that is slow.
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
        // Where the stress jumps over the target, the place of the jump is the best there is.
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
