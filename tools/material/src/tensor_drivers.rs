//! Element tests in f64 for models of the tensor variant: like [`crate::drivers`], for matter that may be anisotropic and that is told
//! the length of a step.
//!
//! [`axial`] pulls or loads a [`Specimen`] along one of its axes with free sides, [`shear`] shears it. A test takes place in a frame: the
//! columns of a rotation, first the axis of the test, then two axes across. The Kirchhoff stress is per volume before the test, the
//! Cauchy stress is the Kirchhoff stress over J.

use glam::{DMat3, DVec3};
use tuff_plugin::{Model, Stretch, TensorPoint, Variant};
use tuff_reference::strain::{carried, spectrum};
use tuff_reference::tensor::{from_voigt, recompose};

/// A force on a side counts as zero within this fraction of `2 mu + 3 kappa`.
const BALANCE: f64 = 1e-10;

/// Maximum number of iterations in an increment: usually it takes a few.
const ITERATIONS: usize = 40;

/// Step of the finite differences for stiffnesses.
const DIFFERENCE: f64 = 1e-6;

/// Rows and columns of the six entries of a [`Shape`].
const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// Deformation gradients that keep the axis of the test in place, in the frame of the test:
///
/// ```text
/// | x0 x5 x4 |
/// |  . x1 x3 |
/// |  . x3 x2 |
/// ```
///
/// Sides stay parallel to the axis, so no force acts on them exactly if every component of the Cauchy stress except the one along the
/// axis is zero.
type Shape = [f64; 6];

/// A piece of matter.
#[derive(Clone, Debug)]
pub struct Specimen<'a> {
    model: &'a Model,
    constants: &'a [f64],
    /// Whether the model is given the second elastic strain and F.
    shown: [bool; 2],
    state: [f64; 4],
    strain: DMat3,
    branch: DMat3,
    deformation: DMat3,
}

/// Condition along the axis in an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Along {
    /// Hencky strain since the beginning \[-\].
    Strain(f64),
    /// Force per area before the test \[Pa\]: a weight hanging from the specimen.
    Load(f64),
}

/// Measurements after an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time since the beginning of the path \[s\].
    pub time: f64,
    /// Deformation gradient F in the frame of the test.
    pub deformation: DMat3,
    /// Kirchhoff stress in the frame of the test \[Pa\].
    pub kirchhoff: DMat3,
}

impl Sample {
    /// Returns the Hencky strain along the axis.
    pub fn strain(&self) -> f64 {
        self.deformation.x_axis.x.ln()
    }

    /// Returns the Cauchy stress along the axis \[Pa\].
    pub fn cauchy(&self) -> f64 {
        self.kirchhoff.x_axis.x / self.deformation.determinant()
    }

    /// Returns the force along the axis per area before the test \[Pa\].
    pub fn nominal(&self) -> f64 {
        self.kirchhoff.x_axis.x / self.deformation.x_axis.x
    }
}

impl<'a> Specimen<'a> {
    /// Creates a specimen at rest, with the constants of [`Model::prepare`].
    pub fn new(model: &'a Model, constants: &'a [f64]) -> Self {
        let shown = match model.descriptor().variant {
            Variant::Tensor { branch, deformation } => [branch, deformation],
            Variant::Principal => [false; 2],
        };
        let (state, none) = (model.initial_state(constants), DMat3::ZERO);
        let deformation = DMat3::IDENTITY;
        Self { model, constants, shown, state, strain: none, branch: none, deformation }
    }

    /// Carries the specimen along to the deformation gradient `f` within `dt` \[s\]; `None` beyond the engine's limits on stretches.
    fn point(&self, f: DMat3, dt: f64) -> Option<TensorPoint<'a>> {
        let displacement = (f - self.deformation) * self.deformation.inverse();
        let strain = spectrum(carried(self.strain, displacement));
        let branch = spectrum(carried(self.branch, displacement));
        let known = f.is_finite() && !strain.clamped && !branch.clamped;
        let stretch =
            |hencky: DVec3, axes: DMat3| Stretch { hencky: hencky.to_array(), axes: axes.to_cols_array_2d() };
        let mut point = TensorPoint { dt, ..TensorPoint::at_rest(self.constants, self.state) };
        point.strain = stretch(strain.hencky, strain.axes);
        if self.shown[0] {
            point.branch = stretch(branch.hencky, branch.axes);
        }
        if self.shown[1] {
            point.deformation = f.transpose().to_cols_array_2d();
        }
        known.then_some(point)
    }

    fn kirchhoff(&self, f: DMat3, dt: f64) -> Option<DMat3> {
        let tau = from_voigt(self.model.respond(&self.point(f, dt)?).kirchhoff);
        tau.is_finite().then_some(tau)
    }

    /// Ends an increment and returns its measurements.
    fn deform(&mut self, f: DMat3, frame: DMat3, dt: f64, time: f64) -> Option<Sample> {
        let kirchhoff = frame.transpose() * self.kirchhoff(f, dt)? * frame;
        let update = self.model.advance(&self.point(f, dt)?);
        (self.state, self.deformation) = (update.state, f);
        self.strain = strain_of(&update.strain);
        self.branch = strain_of(&update.branch);
        Some(Sample { time, deformation: frame.transpose() * f * frame, kirchhoff })
    }

    /// Returns the forces on the faces in the frame: the derivative of the work with respect to each entry of the shape \[Pa\].
    fn forces(&self, shape: Shape, frame: DMat3, dt: f64) -> Option<Shape> {
        let local = matrix(shape);
        let kirchhoff = self.kirchhoff(frame * local * frame.transpose(), dt)?;
        let p = frame.transpose() * kirchhoff * frame * local.inverse().transpose();
        let mut forces = PLACES.map(|(row, column)| p.col(column)[row]);
        forces[3] += p.y_axis.z;
        Some(forces)
    }

    /// Finds the shape in which no force acts on the sides, by Newton's method from `guess`; `None` if there is none near or if it is not
    /// stable: the stiffness, a Hessian, must be positive.
    fn balanced(&self, along: Along, guess: Shape, frame: DMat3, dt: f64) -> Option<Shape> {
        let moduli = self.model.moduli(self.constants, &self.state);
        let tolerance = BALANCE * (2.0 * moduli.shear + 3.0 * moduli.bulk);
        let mut shape = guess;
        let (first, load) = match along {
            Along::Strain(strain) => {
                shape[0] = strain.exp();
                (1, 0.0)
            }
            Along::Load(load) => (0, load),
        };
        let forces = |shape| {
            let mut forces = self.forces(shape, frame, dt)?;
            forces[0] -= load;
            Some(forces)
        };
        for _ in 0..ITERATIONS {
            let here = forces(shape)?;
            let mut stiffness = [[0.0; 6]; 6];
            for (column, row) in stiffness.iter_mut().enumerate().skip(first) {
                let moved = |by: f64| {
                    let mut moved = shape;
                    moved[column] += by;
                    forces(moved)
                };
                let (up, down) = (moved(DIFFERENCE)?, moved(-DIFFERENCE)?);
                *row = std::array::from_fn(|i| (up[i] - down[i]) / (2.0 * DIFFERENCE));
            }
            let step = solve(stiffness, here, first)?;
            if here[first..].iter().all(|force| force.abs() <= tolerance) {
                return Some(shape);
            }
            // Limit the step so that nothing turns inside out.
            let longest = step.iter().fold(0.0_f64, |longest, x| longest.max(x.abs()));
            let scale = (0.1 / longest).min(1.0);
            shape.iter_mut().zip(step).for_each(|(x, step)| *x -= scale * step);
        }
        None
    }
}

/// Drives the specimen along the first axis of `frame` with free sides, through pairs of a condition and its duration \[s\]. Matter along
/// the axis stays along it.
///
/// The list is shorter than `path` if no stable shape balances the specimen any more: where a load has its maximum, or where fibers
/// compressed by the narrowing sides start to tilt.
pub fn axial(specimen: &Specimen, frame: DMat3, path: &[(Along, f64)]) -> Vec<Sample> {
    let mut specimen = specimen.clone();
    let mut samples: Vec<Sample> = Vec::with_capacity(path.len());
    let mut time = 0.0;
    for &(along, dt) in path {
        let local = frame.transpose() * specimen.deformation * frame;
        let guess = PLACES.map(|(row, column)| local.col(column)[row]);
        let Some(shape) = specimen.balanced(along, guess, frame, dt) else { break };
        time += dt;
        let deformation = frame * matrix(shape) * frame.transpose();
        let Some(sample) = specimen.deform(deformation, frame, dt, time) else { break };
        samples.push(sample);
    }
    samples
}

/// Returns shear strains and Cauchy shear stresses \[Pa\] of simple shear at `rate` \[1/s\] up to the shear strain `most`: the first axis
/// of `frame` is the direction of motion, the second the direction of its gradient.
pub fn shear(specimen: &Specimen, frame: DMat3, rate: f64, most: f64, steps: usize) -> Vec<[f64; 2]> {
    let mut specimen = specimen.clone();
    let (start, step) = (specimen.deformation, most / steps as f64);
    let mut curve = vec![[0.0, 0.0]];
    for index in 1..=steps {
        let gamma = step * index as f64;
        let local = DMat3::from_cols(DVec3::X, DVec3::new(gamma, 1.0, 0.0), DVec3::Z);
        let deformation = frame * local * frame.transpose() * start;
        let Some(sample) = specimen.deform(deformation, frame, step / rate, 0.0) else { break };
        curve.push([gamma, sample.kirchhoff.y_axis.x / sample.deformation.determinant()]);
    }
    curve
}

/// Returns the rotation whose first column is the axis `axis` of the scene and whose others follow cyclically.
pub fn frame(axis: usize) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    DMat3::from_cols(axes[axis % 3], axes[(axis + 1) % 3], axes[(axis + 2) % 3])
}

/// Returns `E = b - I` of a stretch.
pub(crate) fn strain_of(stretch: &Stretch) -> DMat3 {
    let principal = stretch.hencky.map(|eps| (2.0 * eps).exp_m1());
    recompose(DMat3::from_cols_array_2d(&stretch.axes), DVec3::from_array(principal))
}

fn matrix([aa, bb, cc, bc, ac, ab]: Shape) -> DMat3 {
    DMat3::from_cols(DVec3::new(aa, 0.0, 0.0), DVec3::new(ab, bb, bc), DVec3::new(ac, bc, cc))
}

/// Returns `A^-1 b` restricted to rows and columns from `first` on, with zeros before; `None` unless the symmetric part of A is positive
/// there.
fn solve(mut a: [[f64; 6]; 6], mut b: Shape, first: usize) -> Option<Shape> {
    let transposed = a;
    for (i, row) in a.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = 0.5 * (*x + transposed[j][i]);
        }
    }
    for pivot in first..6 {
        let upper = a[pivot];
        if upper[pivot] <= 0.0 || upper[pivot].is_nan() {
            return None;
        }
        for row in pivot + 1..6 {
            let share = a[row][pivot] / upper[pivot];
            a[row].iter_mut().zip(upper).for_each(|(x, above)| *x -= share * above);
            b[row] -= share * b[pivot];
        }
    }
    let mut x = [0.0; 6];
    for row in (first..6).rev() {
        let rest: f64 = (row + 1..6).map(|column| a[row][column] * x[column]).sum();
        x[row] = (b[row] - rest) / a[row][row];
    }
    Some(x)
}
