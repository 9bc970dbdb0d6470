//! B4: a bar of 1 x 0.1 x 0.1 m spinning at one turn per second about its middle.
//!
//! Closed forms: implicit Euler has dL/dt = -omega^2 dt L, since forces have no torque about the end-of-step positions; with
//! omega = L / I this gives L0 / sqrt(1 + 2 omega^2 dt t), where omega is that of the stretched bar at the start. The centrifugal strain
//! is rho omega^2 l^2 / (2 E) in the middle with half length l, which increases the rms radius by 0.8 of it. Tolerances: the loss within
//! 2 %; strain and growth of the radius beyond the centrifugal ones below 2e-3; the strain not growing from turn to turn.

use std::f64::consts::TAU;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{angular_momentum, hencky, positions};
use crate::scenes::{PLAIN, elastic, lattice_box, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B4",
    title: "Rigid rotation",
    reference: "Implicit Euler's loss of angular momentum; centrifugal stretch",
    figure: None,
    by_default: ByDefault::Judged([0.3, 0.9, 12.0]),
    minutes: [0.4, 1.0, 25.0],
    run,
};

const DENSITY: f64 = 100.0;
const DT: f64 = 1e-3;

/// A bar.
#[derive(Clone, Copy)]
struct Bar {
    youngs_modulus: f64,
    /// Particles across the section.
    across: u32,
    iterations: u32,
    turns: u32,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let coarse = |turns| Bar { youngs_modulus: 1e6, across: 4, iterations: 15, turns };
    let fine = |youngs_modulus| Bar { youngs_modulus, across: 6, iterations: 20, turns: 3 };
    let mut bars = lab.pick(vec![coarse(1)], vec![coarse(3)], vec![coarse(10)]);
    if lab.size() == crate::Size::Full {
        bars.extend([1e5, 1e6, 1e7].map(fine));
    }
    let mut chart = Chart {
        title: "Loss of angular momentum".to_owned(),
        x: Axis { label: "turns".to_owned(), unit: "1", log: false },
        y: Axis { label: "lost share".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    for (index, bar) in bars.iter().enumerate() {
        let lost = bar.spin(lab, findings)?;
        let expected =
            (0..=20).map(|i| f64::from(i * bar.turns) / 20.0).map(|t| [t, bar.loss(t * DT)]).collect();
        chart.curves.push(Curve::dots(&bar.name(), index, lost));
        chart.curves.push(Curve::line(if index == 0 { "closed form" } else { "" }, GREY, expected));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Returns the rms distance from the axis [m].
fn radius(positions: &[DVec3]) -> f64 {
    (positions.iter().map(|x| x.x * x.x + x.y * x.y).sum::<f64>() / positions.len() as f64).sqrt()
}

impl Bar {
    fn name(&self) -> String {
        format!("E = {:.0e} Pa, {} across", self.youngs_modulus, self.across)
    }

    /// Returns the strain in the middle.
    fn centrifugal(&self) -> f64 {
        DENSITY * TAU * TAU * 0.25 / (2.0 * self.youngs_modulus)
    }

    /// Returns the fraction of the angular momentum that is lost in steps whose squares sum up to `squares` [s^2].
    fn loss(&self, squares: f64) -> f64 {
        let omega = TAU / (1.0 + 0.8 * self.centrifugal()).powi(2);
        1.0 - (1.0 + 2.0 * omega * omega * squares).sqrt().recip()
    }

    fn scene(&self) -> String {
        let spacing = 0.1 / f64::from(self.across);
        let spin = format!("angular_velocity = [0.0, 0.0, {TAU:?}]");
        let body = lattice_box("bar", [-0.5, -0.05, -0.05], [0.5, 0.05, 0.05], spacing, &spin);
        let solver = format!("iterations = {}\n{PLAIN}", self.iterations);
        scene(DT, [0.0; 3], spacing, &solver, &(elastic(DENSITY, self.youngs_modulus, 0.3) + &body))
    }

    /// Spins the bar. Returns the fraction lost after each turn.
    fn spin(&self, lab: &Lab, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
        let mut trial = lab.trial(&self.scene())?;
        let first = trial.now()?;
        let start = angular_momentum(&trial.problem, &first).z;
        let rest = radius(&trial.problem.particles.position);
        // Uniaxial stress: |ln V| = strain sqrt(1 + 2 nu^2).
        let stretched = self.centrifugal() * (1.0_f64 + 2.0 * 0.09).sqrt();
        let (mut lost, mut excess, mut residual) = (vec![[0.0, 0.0]], Vec::new(), 0.0_f64);
        let (mut squares, looks) = (0.0, 20);
        for turn in 1..=self.turns {
            for _ in 0..looks {
                let seconds = 1.0 / f64::from(looks);
                let report = trial.run(seconds)?;
                residual = residual.max(report.residual.force);
                squares += seconds * seconds / f64::from(report.substeps);
            }
            let frame = trial.now()?;
            let name = format!("{}, turn {turn}", self.name());
            let share = 1.0 - angular_momentum(&trial.problem, &frame).z / start;
            let largest = (0..frame.position.len()).map(|p| hencky(&frame, p).norm()).fold(0.0, f64::max);
            let grown = radius(&positions(&frame)) / rest - 1.0;
            let reference = self.loss(squares);
            findings.relative(format!("lost angular momentum, {name}"), "", share, reference, 0.02);
            let expected = Expected::Absolute { reference: 0.8 * self.centrifugal(), tolerance: 2e-3 };
            findings.check(format!("growth of the rms radius, {name}"), "", grown, expected);
            let what = format!("largest strain beyond the centrifugal, {name}");
            findings.check(what, "", largest - stretched, Expected::AtMost(2e-3));
            lost.push([f64::from(turn), share]);
            excess.push(largest - stretched);
        }
        let growth = excess[excess.len() - 1] - excess[0].max(0.0);
        let what = format!("growth of the strain from the first turn to the last, {}", self.name());
        findings.check(what, "", growth, Expected::AtMost(2e-4));
        findings.remark(format!(
            "{}: {} particles, dt = {DT:.0e} s, {} iterations, largest force residual {residual:.1e}",
            self.name(),
            trial.problem.particle_count(),
            self.iterations
        ));
        Ok(lost)
    }
}
