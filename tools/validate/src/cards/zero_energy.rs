//! B5: velocities that alternate from particle to particle.
//!
//! The corrected gradient does not see them inside a lattice, so pure collocation leaves them unchanged. The memory of non-affine
//! displacement resists: of u = (-1)^i a it sees `2 w_odd a`, where w_odd is the share of the kernel's weight on neighbors that move the
//! other way, so they oscillate with `omega = 2 w_odd sqrt(k_s mu / rho) / r`. With Wendland C2 on a cubic lattice of spacing r, w_odd is
//! 0.771 if all neighbors alternate and 0.415 if layers do. Implicit Euler reduces the amplitude by 1 / sqrt(1 + (omega dt)^2) in each
//! substep.
//!
//! Measured in the middle of the block before the surface is felt there, and as kinetic energy of the whole block over 200 substeps.
//! Acceptance: the energy never grows; below 20 % of the amplitude with c = 0.01 and position correction; in a bending beam, alternating
//! displacements below 1 % of the deflection.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use super::cantilever;
use crate::measure::velocities;
use crate::scenes::{PLAIN, elastic, lattice_box, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, SMOOTHING, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B5",
    title: "Zero-energy modes",
    reference: "Closed form of the memory's frequency; acceptance of the plan",
    figure: None,
    by_default: ByDefault::Judged([0.3, 0.3, 0.5]),
    minutes: [0.4, 0.8, 0.8],
    run,
};

const SPACING: f64 = 0.0125;
const ACROSS: f64 = 10.0;
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e5;
const SPEED: f64 = 0.01;

/// Mode that determines which way a particle moves.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    /// Weights of the cell's indices in its parity, by axis.
    axes: [i64; 3],
    /// Share of the kernel's weight on neighbors that move the other way.
    odd: f64,
}

const POINTS: Mode = Mode { name: "neighbors", axes: [1, 1, 1], odd: 0.7706 };
const LAYERS: Mode = Mode { name: "layers", axes: [1, 0, 0], odd: 0.4154 };

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mut chart = Chart {
        title: "Alternating neighbors, 200 substeps".to_owned(),
        x: Axis { label: "substep".to_owned(), unit: "1", log: false },
        y: Axis { label: "kinetic energy over that at the start".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    for mode in [POINTS, LAYERS] {
        frequency(lab, mode, findings)?;
        let smoothed =
            "iterations = 10\nxsph = 0.01\nposition_correction = { kind = \"distance\", gap = 0.25 }\n";
        let plain = format!("iterations = 10\n{PLAIN}");
        let cases = [
            ("memory", plain.clone()),
            ("memory, smoothing, position correction", smoothed.to_owned()),
            ("control without memory", format!("{plain}stabilization = 0.0\n")),
        ];
        for (index, (what, solver)) in cases.iter().enumerate() {
            let energies = energies(lab, mode, solver)?;
            let end = energies[energies.len() - 1][1];
            let name = format!("alternating {}, {what}", mode.name);
            let most = energies.iter().map(|e| e[1]).fold(0.0, f64::max);
            findings.check(
                format!("largest kinetic energy over the first, {name}"),
                "",
                most,
                Expected::AtMost(1.001),
            );
            let amplitude = format!("rms speed after 200 substeps over the first, {name}");
            let expected = if index == 2 { Expected::Anything } else { Expected::AtMost(0.2) };
            findings.check(amplitude, "", end.sqrt(), expected);
            if mode.name == POINTS.name {
                chart.curves.push(Curve::line(what, if index == 2 { GREY } else { index }, energies));
            }
        }
    }
    findings.diagram(&chart);
    let odd_even = cantilever::alternation(lab)?;
    let what = "alternating displacement over the deflection of a bending beam, 4 layers";
    findings.check(what, "", odd_even, Expected::AtMost(0.01));
    Ok(())
}

impl Mode {
    /// Returns 1 or -1 for an initial position.
    fn sign(&self, at: DVec3) -> f64 {
        let cell = (at / SPACING).to_array().map(|c| c.floor() as i64);
        let parity = (0..3).map(|k| cell[k] * self.axes[k]).sum::<i64>();
        if parity % 2 == 0 { 1.0 } else { -1.0 }
    }

    /// Returns the angular frequency by the closed form, k_s = 2 [rad/s].
    fn omega(&self) -> f64 {
        2.0 * self.odd * (2.0 * YOUNG / 2.6 / DENSITY).sqrt() / SPACING
    }
}

fn block<'a>(lab: &'a Lab, mode: Mode, dt: f64, solver: &str) -> Result<Trial<'a>, CardError> {
    let edge = ACROSS * SPACING;
    let rest = elastic(DENSITY, YOUNG, 0.3) + &lattice_box("block", [0.0; 3], [edge; 3], SPACING, "");
    let mut problem = lab.problem(&scene(dt, [0.0; 3], SPACING, solver, &rest))?;
    let start = problem.particles.position.clone();
    for (velocity, at) in problem.particles.velocity.iter_mut().zip(start) {
        *velocity = DVec3::X * SPEED * mode.sign(at);
    }
    Trial::new(lab, problem)
}

/// Checks when the middle of the block stands still for the first time, against a quarter of a period.
fn frequency(lab: &Lab, mode: Mode, findings: &mut Findings) -> Result<(), CardError> {
    let dt = 0.04 / mode.omega();
    let mut trial = block(lab, mode, dt, &format!("iterations = 10\n{PLAIN}"))?;
    let start = trial.problem.particles.position.clone();
    let middle = DVec3::splat(0.5 * ACROSS * SPACING);
    let inside: Vec<usize> =
        (0..start.len()).filter(|&p| (start[p] - middle).abs().max_element() < SPACING).collect();
    let mut last = 1.0;
    let mut found = f64::NAN;
    for i in 1..100 {
        trial.run(dt)?;
        let v = velocities(&trial.now()?);
        let along: f64 = inside.iter().map(|&p| v[p].x * mode.sign(start[p])).sum();
        let now = along / (SPEED * inside.len() as f64);
        if now <= 0.0 {
            // Velocities belong to the middle of their substep.
            found = dt * (f64::from(i) - 0.5 - now / (now - last));
            break;
        }
        last = now;
    }
    let what = format!("frequency of alternating {} by the first standstill", mode.name);
    let hertz = 0.25 / found;
    let closed = mode.omega() / std::f64::consts::TAU;
    findings.relative(what, "Hz", hertz, closed, 0.05);
    let near = Expected::Relative { reference: closed, tolerance: 0.1 };
    findings.known_by_default(lab, near, SMOOTHING);
    Ok(())
}

/// Returns the kinetic energy over the initial one, over 200 substeps.
fn energies(lab: &Lab, mode: Mode, solver: &str) -> Result<Vec<[f64; 2]>, CardError> {
    let sound = (YOUNG * 0.7 / (1.3 * 0.4) / DENSITY).sqrt();
    let dt = 0.3 * SPACING / sound;
    let mut trial = block(lab, mode, dt, solver)?;
    let first = 0.5 * trial.problem.mass.iter().sum::<f64>() * SPEED * SPEED;
    let mut all = vec![[0.0, 1.0]];
    for i in 1..=40 {
        let report = trial.run(5.0 * dt)?;
        all.push([f64::from(5 * i), report.energies.kinetic / first]);
    }
    Ok(all)
}
