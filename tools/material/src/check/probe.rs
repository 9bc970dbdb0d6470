//! A model at some arguments: what the laws ask of it there.

use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Projection};

use super::findings::{At, Worst};
use super::journal::Watched;
use super::sets::Set;

/// Steps of the finite differences \[-\]; the best counts, so that a kink of the energy beside the strain does not.
const DIFFERENCES: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// Change of a strain, as share of its size, below which it counts as unchanged.
const UNCHANGED: f64 = 1e-14;
/// How far from a projected strain the border of the elastic domain is looked for, as share of the flow and of the strain.
const REACH: [f64; 2] = [1e-3, 1e-6];

/// Where projected strains of one parameter set lie, under one choice of the state.
pub struct Surface {
    /// Whether the surface is that of the state that project returns, or that of the state before.
    of_new_state: bool,
    /// How far a projected strain moves when it is projected again.
    pub twice: Worst,
    /// Whether what flowed ends inside.
    pub inside: Worst,
}

impl Surface {
    /// Nothing seen yet.
    pub fn new(of_new_state: bool) -> Self {
        Self { of_new_state, twice: Worst::new(1e-9), inside: Worst::yes_or_no() }
    }

    /// How many of its two laws hold.
    pub fn kept(&self) -> u8 {
        [&self.twice, &self.inside].map(|law| u8::from(law.holds())).iter().sum()
    }

    /// A projected strain stays where it is, and what flowed has a neighbor that would flow.
    pub fn check(&mut self, probe: &Probe<'_>, first: &Projection, has_flowed: bool) {
        let trial = probe.at.hencky;
        let state = if self.of_new_state { first.state } else { probe.at.state };
        let here = Probe { at: At { state, hencky: first.hencky, ..probe.at }, ..*probe };
        self.twice.enter(distance(here.project().hencky, first.hencky), probe.at);
        let flow = distance(trial, first.hencky);
        if !has_flowed || flow < 1e-9 {
            return;
        }
        let step = (REACH[0] * flow).max(REACH[1] * norm(first.hencky)).max(1e-8);
        let back = [0, 1, 2].map(|i| trial[i] - first.hencky[i]);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let outward = [back, deviator(first.hencky), first.hencky];
        let both_ways = axes.into_iter().chain(axes.map(|axis| axis.map(|x: f64| -x)));
        let flows = outward.into_iter().chain(both_ways).any(|direction| {
            let size = norm(direction);
            let hencky = [0, 1, 2].map(|i| first.hencky[i] + step * direction[i] / size.max(1e-300));
            size > 0.0 && !is_unchanged(hencky, here.with(hencky, here.at.dt).project().hencky)
        });
        self.inside.judge(!flows, probe.at);
    }
}

/// A model at some arguments.
#[derive(Clone, Copy)]
pub struct Probe<'a> {
    /// The model.
    pub model: &'a Watched<'a>,
    /// Its parameters.
    pub set: &'a Set,
    /// The other arguments.
    pub at: At,
}

impl Probe<'_> {
    /// With another strain and step.
    pub fn with(&self, hencky: [f64; 3], dt: f64) -> Self {
        Self { at: At { hencky, dt, ..self.at }, ..*self }
    }

    /// The return mapping.
    pub fn project(&self) -> Projection {
        self.model.project(&self.set.constants, &self.at.state, self.at.dt, self.at.hencky)
    }

    /// Energy density at a strain, with the state before \[Pa\].
    pub fn energy(&self, hencky: [f64; 3]) -> f64 {
        self.model.energy(&self.set.constants, &self.at.state, hencky)
    }

    /// Stress at a strain, with the state before \[Pa\].
    pub fn kirchhoff(&self, hencky: [f64; 3]) -> [f64; 3] {
        self.model.kirchhoff(&self.set.constants, &self.at.state, hencky)
    }

    /// Small-strain moduli.
    pub fn moduli(&self) -> Moduli {
        self.model.moduli(&self.set.constants, &self.at.state)
    }

    /// Unit of deviations of stress and energy \[Pa\].
    pub fn unit(&self, hencky: [f64; 3]) -> f64 {
        stress_unit(self.moduli(), hencky)
    }

    /// Whether the projection, and energy and stress there, are finite and forget is a share.
    pub fn is_finite(&self, projection: &Projection) -> bool {
        let energy = self.energy(projection.hencky);
        let stress = self.kirchhoff(projection.hencky);
        let numbers = projection.hencky.iter().chain(&projection.state).chain(&stress).chain([&energy]);
        numbers.copied().all(f64::is_finite) && (0.0..=1.0).contains(&projection.forget)
    }

    /// Distance of the stress from central differences of fourth order of the energy, in units of the stiffness times the
    /// strain.
    pub fn slope_error(&self, unit: f64) -> f64 {
        let hencky = self.at.hencky;
        let stress = self.kirchhoff(hencky);
        let scale = unit * norm(hencky).clamp(1e-3, 1.0);
        let error = |axis: usize, h: f64| {
            let shifted = |by: f64| {
                let mut hencky = hencky;
                hencky[axis] += by;
                self.energy(hencky)
            };
            let near = 8.0 * (shifted(h) - shifted(-h));
            let slope = (near - (shifted(2.0 * h) - shifted(-2.0 * h))) / (12.0 * h);
            (slope - stress[axis]).abs() / scale
        };
        let errors =
            [0, 1, 2].map(|axis| DIFFERENCES.map(|h| error(axis, h)).into_iter().fold(f64::NAN, f64::min));
        largest(errors)
    }

    /// Largest difference after the strains have changed places.
    pub fn direction_error(&self, first: &Projection, unit: f64) -> f64 {
        let hencky = self.at.hencky;
        let (energy, stress) = (self.energy(hencky), self.kirchhoff(hencky));
        let error = |order: [usize; 3]| {
            let moved = |v: [f64; 3]| order.map(|i| v[i]);
            let other = self.with(moved(hencky), self.at.dt);
            let projection = other.project();
            largest([
                distance(projection.hencky, moved(first.hencky)),
                relative(projection.state, first.state),
                (other.energy(other.at.hencky) - energy).abs() / unit,
                distance(other.kirchhoff(other.at.hencky), moved(stress)) / unit,
            ])
        };
        error([1, 2, 0]).max(error([0, 2, 1]))
    }
}

/// `(2 mu + 3 kappa) max(1, s^2, J^2)` \[Pa\]: the unit of deviations of stress and energy.
pub fn stress_unit(moduli: Moduli, hencky: [f64; 3]) -> f64 {
    let largest = hencky.iter().fold(trace(hencky), |largest, &eps| largest.max(eps));
    (2.0 * moduli.shear + 3.0 * moduli.bulk) * (2.0 * largest.max(0.0)).exp()
}

/// The largest; NaN if one is.
pub fn largest<const N: usize>(values: [f64; N]) -> f64 {
    values.into_iter().fold(0.0, |worst, x| if worst.is_nan() || x <= worst { worst } else { x })
}

/// Largest absolute difference; NaN if one is.
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    largest([0, 1, 2].map(|i| (a[i] - b[i]).abs()))
}

fn relative(a: [f64; 4], b: [f64; 4]) -> f64 {
    largest([0, 1, 2, 3].map(|i| (a[i] - b[i]).abs() / b[i].abs().max(1.0)))
}

/// Largest difference of two projections; of state words in units of the larger of 1 and themselves.
pub fn difference(a: &Projection, b: &Projection) -> f64 {
    largest([distance(a.hencky, b.hencky), relative(a.state, b.state), (a.forget - b.forget).abs()])
}

/// Whether project has left a strain alone.
pub fn is_unchanged(trial: [f64; 3], projected: [f64; 3]) -> bool {
    distance(trial, projected) <= UNCHANGED * trial.iter().fold(0.0_f64, |size, x| size.max(x.abs()))
}

/// Whether all numbers are the same to the last bit.
pub fn same_bits(a: &Projection, b: &Projection) -> bool {
    let bits = |p: &Projection| {
        let [x, y, z] = p.hencky.map(f64::to_bits);
        (x, y, z, p.state.map(f64::to_bits), p.forget.to_bits(), p.case)
    };
    bits(a) == bits(b)
}
