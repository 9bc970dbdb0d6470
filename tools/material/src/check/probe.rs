//! A model at given arguments, with the quantities that the laws need there.

use tuff_material_sdk::abi::{CASE_COMPRESSION_TIP, CASE_TIP};
use tuff_material_sdk::principal::{deviator, norm, trace};
use tuff_material_sdk::{Moduli, Projection, plastic};

use super::findings::{At, Worst};
use super::journal::Watched;
use super::sets::Set;

/// Steps of the finite differences \[-\]; the best one counts, so that a nearby kink of the energy does no harm.
const DIFFERENCES: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// Relative change of a strain below which it counts as unchanged.
const UNCHANGED: f64 = 1e-14;
/// Distance from a projected strain within which the border of the elastic domain must be found, relative to the flow and to the strain.
const REACH: [f64; 2] = [1e-3, 1e-6];

/// Location of projected strains of one parameter set, under one choice of the state.
pub struct Surface {
    /// Whether the surface is that of the state returned by project, or of the state before.
    of_new_state: bool,
    /// Distance by which a projected strain moves when it is projected again.
    pub twice: Worst,
    /// Whether matter that flowed ends inside.
    pub inside: Worst,
}

impl Surface {
    /// Starts without trials; `allowed`: how far a projected strain may move \[-\].
    pub fn new(of_new_state: bool, allowed: f64) -> Self {
        Self { of_new_state, twice: Worst::new(allowed), inside: Worst::yes_or_no() }
    }

    /// Returns how many of its two laws hold.
    pub fn kept(&self) -> u8 {
        [&self.twice, &self.inside].map(|law| u8::from(law.holds())).iter().sum()
    }

    /// Checks that a projected strain stays in place, and that a strain that flowed has a neighbor that would flow.
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

/// A model at given arguments.
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
    /// Returns a probe with another strain and step.
    pub fn with(&self, hencky: [f64; 3], dt: f64) -> Self {
        Self { at: At { hencky, dt, ..self.at }, ..*self }
    }

    /// Evaluates the return mapping.
    pub fn project(&self) -> Projection {
        self.model.project(&self.set.constants, &self.at.state, self.at.dt, self.at.hencky)
    }

    /// Returns the energy density at a strain, with the state before \[Pa\].
    pub fn energy(&self, hencky: [f64; 3]) -> f64 {
        self.model.energy(&self.set.constants, &self.at.state, hencky)
    }

    /// Returns the stress at a strain, with the state before \[Pa\].
    pub fn kirchhoff(&self, hencky: [f64; 3]) -> [f64; 3] {
        self.model.kirchhoff(&self.set.constants, &self.at.state, hencky)
    }

    /// Returns the largest difference between the stress of a batch and that of its particles, in units of `unit` \[Pa\]. The batch is
    /// shorter than its rows, and its particles differ.
    pub fn batch_error(&self, unit: f64) -> f64 {
        let hencky = self.at.hencky;
        let strains = [[0.0; 3], hencky.map(|x| 0.1 * x), hencky];
        let mut rows = [[f64::NAN; 4]; 3];
        for (particle, strain) in strains.into_iter().enumerate() {
            for (row, strain) in rows.iter_mut().zip(strain) {
                row[particle] = strain;
            }
        }
        let start = self.model.model.initial_state(&self.set.constants);
        let states = [start, self.at.state, self.at.state];
        let together = self.model.stress(&self.set.constants, &states, self.at.dt, &rows);
        let errors = [0, 1, 2].map(|particle: usize| {
            let at = At { state: states[particle], ..self.at };
            let alone = Probe { at, ..*self }.with(strains[particle], self.at.dt);
            let expected = alone.kirchhoff(alone.project().hencky);
            distance(together.map(|row| row[particle]), expected) / unit
        });
        let spills = together.iter().any(|row| row[3] != 0.0);
        if spills { f64::INFINITY } else { largest(errors) }
    }

    /// Returns the small-strain moduli.
    pub fn moduli(&self) -> Moduli {
        self.model.moduli(&self.set.constants, &self.at.state)
    }

    /// Returns the unit of deviations of stress and energy \[Pa\].
    pub fn unit(&self, hencky: [f64; 3]) -> f64 {
        stress_unit(self.moduli(), hencky)
    }

    /// Returns whether the projection and its energy and stress are finite, and forget is a fraction.
    pub fn is_finite(&self, projection: &Projection) -> bool {
        let energy = self.energy(projection.hencky);
        let stress = self.kirchhoff(projection.hencky);
        let numbers = projection.hencky.iter().chain(&projection.state).chain(&stress).chain([&energy]);
        numbers.copied().all(f64::is_finite) && (0.0..=1.0).contains(&projection.forget)
    }

    /// Returns the distance of the stress from fourth-order central differences of the energy, in units of the stiffness times the
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

    /// Returns how far the forget factor is from that of the projection, which is 0 at a tip.
    pub fn forget_error(&self, first: &Projection) -> f64 {
        let is_tip = [CASE_TIP, CASE_COMPRESSION_TIP].contains(&first.case);
        let expected = if is_tip { 0.0 } else { plastic::forget_factor(self.at.hencky, first.hencky) };
        (first.forget - expected).abs()
    }

    /// Returns the largest difference after permuting the strains.
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

/// Returns `(2 mu + 3 kappa) max(1, s^2, J^2)` \[Pa\]: the unit of deviations of stress and energy.
pub fn stress_unit(moduli: Moduli, hencky: [f64; 3]) -> f64 {
    let largest = hencky.iter().fold(trace(hencky), |largest, &eps| largest.max(eps));
    (2.0 * moduli.shear + 3.0 * moduli.bulk) * (2.0 * largest.max(0.0)).exp()
}

/// Returns the largest value; NaN if one of them is NaN.
pub fn largest<const N: usize>(values: [f64; N]) -> f64 {
    values.into_iter().fold(0.0, |worst, x| if worst.is_nan() || x <= worst { worst } else { x })
}

/// Returns the largest absolute difference; NaN if one of them is NaN.
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    largest([0, 1, 2].map(|i| (a[i] - b[i]).abs()))
}

fn relative(a: [f64; 4], b: [f64; 4]) -> f64 {
    largest([0, 1, 2, 3].map(|i| (a[i] - b[i]).abs() / b[i].abs().max(1.0)))
}

/// Returns the largest difference of two projections; for state words in units of the larger of 1 and their own size.
pub fn difference(a: &Projection, b: &Projection) -> f64 {
    largest([distance(a.hencky, b.hencky), relative(a.state, b.state), (a.forget - b.forget).abs()])
}

/// Returns whether project has left a strain unchanged.
pub fn is_unchanged(trial: [f64; 3], projected: [f64; 3]) -> bool {
    distance(trial, projected) <= UNCHANGED * trial.iter().fold(0.0_f64, |size, x| size.max(x.abs()))
}

/// Returns whether all numbers are bitwise identical.
pub fn same_bits(a: &Projection, b: &Projection) -> bool {
    let bits = |p: &Projection| {
        let [x, y, z] = p.hencky.map(f64::to_bits);
        (x, y, z, p.state.map(f64::to_bits), p.forget.to_bits(), p.case)
    };
    bits(a) == bits(b)
}
