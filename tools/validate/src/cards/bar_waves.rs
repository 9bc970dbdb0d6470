//! B7: a pulse and the axial ring of a bar of 1 x 0.1 x 0.1 m.
//!
//! Closed forms: with free sides, a pulse that is long compared to the width travels at c_bar = sqrt(E / rho); between rollers, at
//! c_p = sqrt((lambda + 2 mu) / rho). A bar held at one end rings at c_bar / (4 L).
//!
//! Between Poisson-disk points the gradient is of first order: a bar with four points across rings 12 % low (for information).
//!
//! The pulse starts as a velocity v0 cos^2 over 0.2 m at the free end: half of it travels away as a cos^2 pulse of 0.4 m. The speed
//! follows from the times at which two stations 0.5 m apart reach half of their maximum velocity. A pulse in a bar with free sides
//! disperses (Love: c = c_bar (1 - nu^2 k^2 h^2 / 12) for a square section of edge h, 0.7 % at this length). dt c / dx = 0.2 with 16 or
//! more spacings per pulse: implicit Euler damps oscillations of frequency omega by `exp(-omega^2 dt t / 2)`, here most of the pulse by
//! one or two tenths, and so widens it.

use std::f64::consts::PI;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{Sections, Swing, positions, velocities};
use crate::scenes::{PLAIN, body, elastic, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// Why pulses arrive early with default settings.
const SPREADS: &str = "implicit Euler damps short waves at the step that is found: the pulse widens, and its half height comes earlier";

/// The card.
pub const CARD: Card = Card {
    id: "B7",
    title: "Waves and axial ring of a bar",
    reference: "Speeds of bar and pressure waves; c_bar / (4 L)",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.3, 6.0]),
    minutes: [0.2, 0.4, 12.0],
    run,
};

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.1;
const DENSITY: f64 = 100.0;
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const SPEED: f64 = 0.01;
const PULSE: f64 = 0.2;
const STATIONS: [f64; 2] = [0.3, 0.8];
/// Why rollers have a wider range when there are few particles across.
const WALLS: &str = "Rollers: a layer that passes normal stress on to a wall carries about half of it, so the section gives way; the \
                     share of the walls falls with the particles across (B6), and the error with it.";

/// A bar.
#[derive(Clone, Copy)]
struct Bar {
    across: u32,
    rollers: bool,
    /// Poisson-disk points instead of a lattice.
    random: bool,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u32] = lab.pick(&[4], &[4, 6], &[4, 6, 8, 12]);
    let mut chart = chart("Velocity of the pulse, free sides", "time", "s");
    for rollers in [false, true] {
        let mut errors = Vec::new();
        for (index, &across) in counts.iter().enumerate() {
            let bar = Bar { across, rollers, random: false };
            let heard = bar.pulse(lab, findings)?;
            errors.push(bar.judge(lab, &heard, findings));
            if !rollers {
                for (k, points) in heard.iter().enumerate() {
                    let name = if k == 0 { format!("{across} layers") } else { String::new() };
                    chart.curves.push(Curve::dots(&name, index, points.clone()));
                }
            }
        }
        if let [.., coarse, fine] = errors[..] {
            let name = if rollers { "between rollers" } else { "with free sides" };
            // The uncertainty of the arrival times alone amounts to half a percent.
            let what = format!("error of the speed {name}, finer of two");
            findings.check(what, "", fine.abs(), Expected::AtMost(coarse.abs().max(0.006)));
        }
    }
    let bar = Bar { across: 12, rollers: false, random: false };
    for station in STATIONS {
        let shape = (0..=200).map(|i| f64::from(i) * 0.9 / 200.0 / bar.speed());
        let points = shape.map(|t| [t, 0.5 * SPEED * bump(station - bar.speed() * t)]).collect();
        let name = if station == STATIONS[0] { "c_bar, no dispersion" } else { "" };
        chart.curves.push(Curve::line(name, GREY, points));
    }
    findings.diagram(&chart);
    let mut ring = self::chart("Axial ring, free sides", "time", "s");
    for (index, &across) in counts.iter().enumerate() {
        Bar { across, rollers: false, random: false }.ring(lab, index, findings, &mut ring)?;
    }
    let random = Bar { across: counts[0], rollers: false, random: true };
    random.ring(lab, counts.len(), findings, &mut ring)?;
    findings.diagram(&ring);
    Ok(())
}

/// Pulse over its height as a function of the distance from its middle; an even function, continued beyond the free end.
fn bump(x: f64) -> f64 {
    if x.abs() < PULSE { (0.5 * PI * x / PULSE).cos().powi(2) } else { 0.0 }
}

impl Bar {
    fn name(&self) -> String {
        let points = if self.random { "random points" } else { "layers" };
        format!("{}, {} {points}", if self.rollers { "rollers" } else { "free sides" }, self.across)
    }

    fn spacing(&self) -> f64 {
        WIDTH / f64::from(self.across)
    }

    fn pressure_speed() -> f64 {
        (YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) / DENSITY).sqrt()
    }

    fn speed(&self) -> f64 {
        if self.rollers { Self::pressure_speed() } else { (YOUNG / DENSITY).sqrt() }
    }

    /// Writes the scene. `held` is the number of cells before x = 0 that do not move.
    fn scene(&self, dt: f64, held: f64) -> String {
        let low = -held * self.spacing();
        let shape =
            format!("{{ box = {{ min = [{low:?}, 0.0, 0.0], max = [{LENGTH:?}, {WIDTH:?}, {WIDTH:?}] }} }}");
        let kind = if self.random { "kind = \"poisson_disk\", seed = 3" } else { "kind = \"lattice\"" };
        let sampling = format!("{{ {kind}, spacing = {:?} }}", self.spacing());
        let mut rest = elastic(DENSITY, YOUNG, POISSON) + &body("bar", &shape, &sampling, "");
        if self.rollers {
            for (name, at, normal) in [
                ("under", [0.0; 3], [0.0, 1.0, 0.0]),
                ("over", [0.0, WIDTH, 0.0], [0.0, -1.0, 0.0]),
                ("back", [0.0; 3], [0.0, 0.0, 1.0]),
                ("front", [0.0, 0.0, WIDTH], [0.0, 0.0, -1.0]),
            ] {
                rest += &plane(name, at, normal, "friction = 0.0");
            }
        }
        if held > 0.0 {
            rest += "[[pin]]\nbody = \"bar\"\nregion = { box = { min = [-1.0, -1.0, -1.0], max = [0.0, 1.0, 1.0] } }\n";
        }
        let solver = format!("iterations = 5\nmultiplier = \"tensor\"\n{PLAIN}");
        scene(dt, [0.0; 3], self.spacing(), &solver, &rest)
    }

    /// Records velocities over time at the stations.
    fn pulse(&self, lab: &Lab, findings: &mut Findings) -> Result<[Vec<[f64; 2]>; 2], CardError> {
        let dt = 0.2 * self.spacing() / Self::pressure_speed();
        let mut problem = lab.problem(&self.scene(dt, 0.0))?;
        let start = problem.particles.position.clone();
        for (v, x) in problem.particles.velocity.iter_mut().zip(&start) {
            v.x = SPEED * bump(x.x);
        }
        let mut trial = crate::Trial::new(lab, problem)?;
        let sections = Sections::of(&trial.problem);
        let middles: Vec<f64> = sections.means(&start).iter().map(|m| m.x).collect();
        let mut heard = [Vec::new(), Vec::new()];
        let duration = 0.9 * LENGTH / self.speed();
        let each = 4;
        let mut residual = 0.0_f64;
        for i in 1..=(duration / dt / f64::from(each)) as u32 {
            residual = residual.max(trial.run(f64::from(each) * dt)?.residual.force);
            let v = sections.means(&velocities(&trial.now()?));
            // Velocities belong to the middle of their substep.
            let time = dt * (f64::from(i * each) - 0.5);
            for (points, station) in heard.iter_mut().zip(STATIONS) {
                points.push([time, between(&middles, &v, station)]);
            }
        }
        let number = trial.problem.particle_count();
        findings.remark(format!(
            "{}: {number} particles, dt = {dt:.2e} s, largest force residual {residual:.1e}",
            self.name()
        ));
        Ok(heard)
    }

    /// Checks the speed and returns its relative error.
    fn judge(&self, lab: &Lab, heard: &[Vec<[f64; 2]>; 2], findings: &mut Findings) -> f64 {
        let [one, other] = [0, 1].map(|k| arrival(&heard[k]));
        let found = (STATIONS[1] - STATIONS[0]) / (other - one);
        let highest = heard[1].iter().map(|p| p[1]).fold(0.0, f64::max) / (0.5 * SPEED);
        findings.record(format!("height of the pulse after 0.8 m, {}", self.name()), "", highest);
        findings.relative(format!("speed of the pulse, {}", self.name()), "m/s", found, self.speed(), 0.03);
        let near = Expected::Relative { reference: self.speed(), tolerance: 0.08 };
        findings.known_by_default(lab, near, SPREADS);
        if self.rollers && !lab.by_default() {
            let low = 1.0 - 0.3 / f64::from(self.across);
            findings.known(Expected::Between(low * self.speed(), self.speed()), WALLS);
        }
        found / self.speed() - 1.0
    }

    /// Releases the bar in its lowest axial mode with the mode's velocity.
    fn ring(
        &self,
        lab: &Lab,
        color: usize,
        findings: &mut Findings,
        chart: &mut Chart,
    ) -> Result<(), CardError> {
        let dt = 0.5 * self.spacing() / Self::pressure_speed();
        let omega = 0.5 * PI * self.speed() / LENGTH;
        let mut problem = lab.problem(&self.scene(dt, 2.0))?;
        let start = problem.particles.position.clone();
        let mode = |x: DVec3| (0.5 * PI * x.x.max(0.0) / LENGTH).sin();
        for (v, x) in problem.particles.velocity.iter_mut().zip(&start) {
            v.x = SPEED * mode(*x);
        }
        let norm: f64 = start.iter().map(|x| mode(*x).powi(2)).sum();
        let mut trial = crate::Trial::new(lab, problem)?;
        let each = (1.2 * PI / omega / dt / 40.0).round().max(1.0) as u32;
        let mut samples = Vec::new();
        for i in 1..=40 {
            trial.run(f64::from(each) * dt)?;
            let now = positions(&trial.now()?);
            let moved: f64 = now.iter().zip(&start).map(|(x, at)| (x.x - at.x) * mode(*at)).sum();
            samples.push([dt * f64::from(i * each), moved / norm]);
        }
        let shape = |omega: f64, t: f64| (-0.5 * omega * omega * dt * t).exp() * (omega * t).sin();
        let swing = Swing::fit(&samples, omega, shape);
        let what = format!("frequency of the axial ring, {}", self.name());
        let (found, expected) = (swing.omega / (2.0 * PI), self.speed() / (4.0 * LENGTH));
        if self.random {
            findings.record(what, "Hz", found);
        } else {
            findings.relative(what, "Hz", found, expected, 0.03);
        }
        let theory = (0..=100).map(|i| f64::from(i) * 1.2 * PI / omega / 100.0);
        let theory = theory.map(|t| [t, SPEED / omega * shape(omega, t)]).collect();
        chart.y = Axis { label: "displacement of the tip".to_owned(), unit: "m", log: false };
        chart.curves.push(Curve::line(if color == 0 { "c_bar / (4 L)" } else { "" }, GREY, theory));
        chart.curves.push(Curve::dots(&self.name(), color, samples));
        Ok(())
    }
}

/// Returns the mean velocity along the bar at a position between the centers of sections [m/s].
fn between(middles: &[f64], velocities: &[DVec3], at: f64) -> f64 {
    let last = middles.partition_point(|&m| m < at).clamp(1, middles.len() - 1);
    let part = (at - middles[last - 1]) / (middles[last] - middles[last - 1]);
    velocities[last - 1].x + part * (velocities[last].x - velocities[last - 1].x)
}

/// Returns the time at which half of the maximum is first exceeded [s].
fn arrival(points: &[[f64; 2]]) -> f64 {
    let half = 0.5 * points.iter().map(|p| p[1]).fold(0.0, f64::max);
    let passes = points.windows(2).find(|w| w[0][1] < half && w[1][1] >= half);
    passes.map_or(f64::NAN, |w| w[0][0] + (half - w[0][1]) / (w[1][1] - w[0][1]) * (w[1][0] - w[0][0]))
}

fn chart(title: &str, label: &str, unit: &'static str) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis { label: label.to_owned(), unit, log: false },
        y: Axis { label: "velocity".to_owned(), unit: "m/s", log: false },
        ..Chart::default()
    }
}
