//! B1: free fall, momentum and energy.
//!
//! Closed forms: after n substeps of semi-implicit Euler, a body released from rest has fallen g dt^2 n (n + 1) / 2 and moves at g dt n.
//! Without external forces, linear momentum and angular momentum about the center of mass are constant, and the energy never rises.
//! Tolerances: center of mass 1e-5 of the fall (f32), linear momentum 1e-5 of sum m |v|, angular momentum 1e-3 of sum m |x| |v| and
//! halving with the step, energy 0.1 %.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};

use crate::draws::Draws;
use crate::measure::{angular_momentum, mean, positions, velocities, weighted};
use crate::scenes::{PLAIN, elastic, lattice_box, scene};
use crate::{BALANCE, ByDefault, Card, CardError, Expected, Findings, Lab, Size, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B1",
    title: "Free fall, momentum and energy",
    reference: "Exact conservation; the fall of semi-implicit Euler",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.3, 3.0]),
    minutes: [0.7, 0.8, 3.0],
    run,
};

const DT: f64 = 5e-4;
const SPACING: f64 = 0.0125;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    free_fall(lab, findings)?;
    let mut chart = Chart {
        title: "Energy without external forces".to_owned(),
        x: Axis { label: "share of the time".to_owned(), unit: "1", log: false },
        y: Axis { label: "energy over that at the start".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let mut draw =
        |kept: &Kept| chart.curves.push(Curve::line(kept.what, chart.curves.len(), kept.energy.clone()));
    let coarse = Kept::of(lab, &mut scrambled(lab, DT)?, "random velocities and stress", 0.5)?;
    let fine = Kept::of(lab, &mut scrambled(lab, 0.5 * DT)?, "the same at half the step", 0.5)?;
    let blocks = Kept::of(lab, &mut blocks(lab)?, "two blocks collide", 0.1)?;
    for kept in [&coarse, &fine, &blocks] {
        kept.judge(lab, findings);
        draw(kept);
    }
    for kept in [&fine, &blocks] {
        findings.check(
            format!("change of the angular momentum, {}", kept.what),
            "",
            kept.turned,
            Expected::AtMost(1e-3),
        );
        findings.known_by_default(lab, Expected::AtMost(0.03), BALANCE);
    }
    findings.diagram(&chart);
    if lab.by_default() {
        return Ok(());
    }
    let halves = fine.turned / coarse.turned;
    findings.check(
        "change of the angular momentum at half the step over that at the whole",
        "",
        halves,
        Expected::AtMost(0.65),
    );
    Ok(())
}

/// Returns the number of particles along the edge of a block.
fn across(lab: &Lab) -> f64 {
    if lab.size() == Size::Full { 12.0 } else { 8.0 }
}

fn block(lab: &Lab, name: &str, at: [f64; 3], rest: &str) -> String {
    lattice_box(name, at, at.map(|c| c + across(lab) * SPACING), SPACING, rest)
}

fn of(dt: f64, gravity: [f64; 3], iterations: u32, bodies: &str) -> String {
    let solver = format!("{PLAIN}iterations = {iterations}");
    scene(dt, gravity, SPACING, &solver, &(elastic(1000.0, 1e5, 0.3) + bodies))
}

fn free_fall(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let g = DVec3::new(0.0, -9.81, 0.0);
    let mut trial = lab.trial(&of(DT, g.to_array(), 5, &block(lab, "block", [0.0; 3], "")))?;
    let count = 1000;
    trial.run(f64::from(count) * DT)?;
    let frame = trial.now()?;
    let n = f64::from(count);
    let fall = g * DT * DT * n * (n + 1.0) / 2.0;
    let problem = &trial.problem;
    let moved = mean(problem, &positions(&frame)) - mean(problem, &problem.particles.position);
    let speed = mean(problem, &velocities(&frame));
    let off = (moved - fall).length() / fall.length();
    let fast = (speed - g * DT * n).length() / (g * DT * n).length();
    findings.check("error of the fall over it, 0.5 s", "", off, Expected::AtMost(1e-5));
    let longest = 1.0 / trial.problem.scene.time.frame_rate;
    findings.known_by_default(
        lab,
        Expected::AtMost(longest / (DT * n)),
        "in n steps a fall of n^2 / 2 is one of n (n + 1) / 2: the longest step is a frame of 1/24 s",
    );
    findings.check("error of the speed over it, 0.5 s", "", fast, Expected::AtMost(1e-5));
    Ok(())
}

/// Starts a block with random velocities and shear strains.
fn scrambled<'a>(lab: &'a Lab, dt: f64) -> Result<Trial<'a>, CardError> {
    let mut problem = lab.problem(&of(dt, [0.0; 3], 5, &block(lab, "block", [0.0; 3], "")))?;
    let mut draws = Draws(3);
    for v in &mut problem.particles.velocity {
        *v = 0.1 * draws.vector();
    }
    let mut trial = Trial::new(lab, problem)?;
    let strain: Vec<DVec3> = (0..trial.problem.particle_count()).map(|_| 0.02 * draws.vector()).collect();
    trial.device.set_shear_strains(&strain)?;
    Ok(trial)
}

/// Starts two blocks that meet, press and part again.
fn blocks<'a>(lab: &'a Lab) -> Result<Trial<'a>, CardError> {
    let edge = across(lab) * SPACING;
    let right = [edge + 0.03, 0.03, 0.02];
    let bodies = block(lab, "left", [0.0; 3], "velocity = [0.4, 0.0, 0.0]")
        + &block(lab, "right", right, "velocity = [-0.6, 0.0, 0.0]");
    lab.trial(&of(DT, [0.0; 3], 10, &bodies))
}

/// Conserved quantities in a motion without external forces.
struct Kept {
    what: &'static str,
    /// Change of the linear momentum over sum m |v|.
    lost: f64,
    /// Change of the angular momentum over sum m |x| |v|.
    turned: f64,
    /// Energy over the initial energy, against time over the duration.
    energy: Vec<[f64; 2]>,
    /// Highest elastic energy over the initial energy.
    elastic: f64,
    residual: f64,
}

impl Kept {
    fn of(lab: &Lab, trial: &mut Trial, what: &'static str, duration: f64) -> Result<Self, CardError> {
        let start = trial.now()?;
        let problem = &trial.problem;
        let (x, v) = (positions(&start), velocities(&start));
        let center = mean(problem, &x);
        let scale: f64 = (0..v.len()).map(|i| problem.mass[i] * v[i].length()).sum();
        let spin: f64 =
            (0..v.len()).map(|i| problem.mass[i] * v[i].length() * (x[i] - center).length()).sum();
        let (linear, angular) = (weighted(problem, &v), angular_momentum(problem, &start));
        let (mut first, mut elastic, mut residual) = (f64::NAN, 0.0_f64, 0.0_f64);
        let mut energy = Vec::new();
        let count = lab.pick(20, 20, 100);
        for i in 1..=count {
            let report = trial.run(duration / f64::from(count))?;
            let now = report.energies.kinetic + report.energies.elastic;
            first = if i == 1 { now } else { first };
            energy.push([f64::from(i) / f64::from(count), now / first]);
            elastic = elastic.max(report.energies.elastic / first);
            residual = residual.max(report.residual.force);
        }
        let end = trial.now()?;
        let lost = (weighted(&trial.problem, &velocities(&end)) - linear).length() / scale;
        let turned = (angular_momentum(&trial.problem, &end) - angular).length() / spin;
        Ok(Self { what, lost, turned, energy, elastic, residual })
    }

    fn judge(&self, lab: &Lab, findings: &mut Findings) {
        let what = self.what;
        findings.check(format!("change of the momentum, {what}"), "", self.lost, Expected::AtMost(1e-5));
        findings.known_by_default(lab, Expected::AtMost(0.01), BALANCE);
        let mut least = f64::INFINITY;
        let rises = self.energy.iter().map(|e| {
            least = least.min(e[1]);
            e[1] - least
        });
        let rise = rises.fold(0.0, f64::max);
        findings.check(format!("largest rise of the energy, {what}"), "", rise, Expected::AtMost(1e-3));
        findings.check(format!("highest elastic energy, {what}"), "", self.elastic, Expected::AtLeast(1e-3));
        findings.remark(format!("{what}: largest force residual {:.1e}", self.residual));
    }
}
