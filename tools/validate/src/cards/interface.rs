//! E3: bodies that meet and part, and matter that breaks: what one-point gradients make of surfaces inside matter.
//!
//! *Interfaces.* Two equal elastic bars meet end to end at speeds +-v: they touch for 2 L / c with c = sqrt(E / rho), exchange
//! velocities, and part. Neighbors of another body count in the velocity gradient like any others, so the bodies could stick together:
//! the bars must leave with the speed they came with. They interact softly from two spacings on, so their turnaround takes longer; its
//! duration and their smallest distance are recorded. The memory of zero-energy modes covers only the particle's own body.
//!
//! *Fracture.* A bar of Cam Clay with a waist is slowly pulled apart. Its strength is given by the surface
//! (1 + 2 beta) q^2 + M^2 (p + beta p0)(p - p0) = 0 at q = sigma, p = -sigma / 3; beyond it the matter opens and p0 falls, and the
//! remaining matter must bear nothing: the memory is cleared where the matter has failed, so it must not hold the pieces together.

use glam::DVec3;
use nalgebra::Matrix3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{clusters, kirchhoff, positions, velocities};
use crate::scenes::{PLAIN, body, elastic, lattice_box, material, scene};
use crate::{ByDefault, Card, CardError, DAMPING, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E3",
    title: "Interfaces and fracture",
    reference: "Bars in one dimension; strength of the Cam Clay surface",
    figure: None,
    by_default: ByDefault::Judged([0.2, 0.2, 2.0]),
    minutes: [0.4, 1.5, 6.0],
    run,
};

const YOUNG: f64 = 2e4;
const DENSITY: f64 = 100.0;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    meet(lab, findings)?;
    pull(lab, findings)
}

/// Speed of either bar over the wave speed.
const PACE: f64 = 2e-3;

/// Lets two bars meet end to end.
fn meet(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let across = lab.pick(4, 4, 8);
    let memories: &[f64] = if lab.by_default() { &[2.0] } else { lab.pick(&[2.0], &[2.0, 0.0], &[2.0, 0.0]) };
    let mut chart = Chart {
        title: "Velocity of the bar from the left".to_owned(),
        x: Axis { label: "time since contact / (2 L / c)".to_owned(), unit: "1", log: false },
        y: Axis { label: "velocity / v".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let exact = vec![[0.0, 1.0], [1.0, -1.0], [12.0, -1.0]];
    chart.curves.push(Curve::line("elastic bars", GREY, exact));
    for (color, &memory) in memories.iter().enumerate() {
        let (curve, near) = collide(lab, across, memory, findings)?;
        let name = if memory > 0.0 { "with memory" } else { "without memory" };
        let last = curve[curve.len() - 1][1];
        let what = format!("velocity of a bar over the one before, after the impact, {name}");
        findings.check(what, "", last, Expected::Absolute { reference: -1.0, tolerance: 0.05 });
        findings.known_by_default(lab, Expected::Between(-1.05, -0.55), DAMPING);
        let turn = curve.iter().find(|c| c[1] <= 0.0).map_or(f64::NAN, |c| c[0]);
        findings.record(format!("time until the turn over 2 L / c, {name}"), "", turn);
        findings.record(format!("least distance of centers of both bars, {name}"), "spacings", near);
        chart.curves.push(Curve::dots(name, color, curve));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Returns the mean velocity of the left bar over v against the time since contact over 2 L / c, and the smallest distance between
/// centers of both bars over the spacing.
fn collide(
    lab: &Lab,
    across: u32,
    memory: f64,
    findings: &mut Findings,
) -> Result<(Vec<[f64; 2]>, f64), CardError> {
    let width = 0.04;
    let spacing = width / f64::from(across);
    let (length, wave) = (5.0 * width, (YOUNG / DENSITY).sqrt());
    let v = PACE * wave;
    let bar = |name: &str, from: f64, v: f64| {
        let max = [from + length, width, width];
        lattice_box(name, [from, 0.0, 0.0], max, spacing, &format!("velocity = [{v:?}, 0.0, 0.0]"))
    };
    // Particles interact from two spacings on: the bars are one spacing apart when their first particles do.
    let gap = 1.2 * spacing;
    let parts =
        elastic(DENSITY, YOUNG, 0.3) + &bar("left", -length - 0.5 * gap, v) + &bar("right", 0.5 * gap, -v);
    let dt = 0.25 * spacing / wave;
    let solver = format!("iterations = 10\nstabilization = {memory:?}\n{PLAIN}");
    let mut trial = lab.trial(&scene(dt, [0.0; 3], spacing, &solver, &parts))?;
    let contact = 2.0 * length / wave;
    let approach = 0.5 * (gap - spacing) / v;
    let count = trial.problem.particle_count() / 2;
    let mut curve = Vec::new();
    let mut near = f64::INFINITY;
    trial.run(approach)?;
    for look in 0..60 {
        let frame = trial.now()?;
        let mean = velocities(&frame).iter().take(count).sum::<DVec3>() / count as f64;
        curve.push([0.2 * f64::from(look), mean.x / v]);
        let x = positions(&frame);
        let end = x[..count].iter().map(|x| x.x).fold(f64::NEG_INFINITY, f64::max);
        let start = x[count..].iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
        near = near.min((start - end) / spacing);
        trial.run(0.2 * contact)?;
    }
    findings.remark(format!(
        "Bars that meet, k_s = {memory}: {} particles, {across} across, steps of {dt:.1e} s, 10 iterations, no smoothing or \
         position correction.",
        2 * count
    ));
    Ok((curve, near))
}

/// Cam Clay parameters of the brittle candy: Poisson's ratio, alpha0, beta, xi, M.
const POISSON: f64 = 0.35;
const ALPHA: f64 = -0.02;
const BETA: f64 = 0.5;
const XI: f64 = 1.0;
const SLOPE: f64 = 2.36;
/// Combined travel of both ends over the length of the bar, and its duration [s].
const TRAVEL: f64 = 0.08;
const TIME: f64 = 0.5;

/// Returns the axial stress that the matter can bear [Pa].
fn strength() -> f64 {
    let cap = YOUNG / (3.0 * (1.0 - 2.0 * POISSON)) * (1e-5 + (-XI * ALPHA).sinh());
    let a = 1.0 + 2.0 * BETA + SLOPE * SLOPE / 9.0;
    let b = SLOPE * SLOPE * cap * (1.0 - BETA) / 3.0;
    let c = -SLOPE * SLOPE * BETA * cap * cap;
    (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)
}

/// Pulls a bar in two, with and without the memory of zero-energy modes.
fn pull(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let across = lab.pick(5, 5, 10);
    let memories: &[f64] = if lab.by_default() { &[2.0] } else { lab.pick(&[2.0], &[2.0, 0.0], &[2.0, 0.0]) };
    let mut chart = Chart {
        title: "Mean axial stress of a bar that is pulled apart".to_owned(),
        x: Axis { label: "travel of the ends / L".to_owned(), unit: "1", log: false },
        y: Axis { label: "stress / strength".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    chart.curves.push(Curve::line("strength", GREY, vec![[0.0, 1.0], [TRAVEL, 1.0]]));
    for (color, &memory) in memories.iter().enumerate() {
        let pulled = stretch(lab, across, memory, findings)?;
        let name = if memory > 0.0 { "with memory" } else { "without memory" };
        let most = pulled.curve.iter().map(|c| c[1]).fold(0.0, f64::max);
        // Without memory, as published, zero-energy modes open the bar below its strength: the control.
        let near = Expected::Relative { reference: 1.0, tolerance: 0.05 };
        let expected = if memory > 0.0 { near } else { Expected::AtMost(0.9) };
        findings.check(format!("largest stress over the strength, {name}"), "", most, expected);
        let what = format!("share of the second piece, {name}");
        findings.check(what, "", pulled.second, Expected::AtLeast(0.2));
        // The halves ring; the mean over the last periods is what still holds.
        let late = &pulled.curve[pulled.curve.len() * 3 / 4..];
        let left = late.iter().map(|c| c[1]).sum::<f64>() / late.len() as f64;
        let nothing = Expected::Absolute { reference: 0.0, tolerance: 0.05 };
        findings.check(format!("stress after the break over the strength, {name}"), "", left, nothing);
        chart.curves.push(Curve::line(name, color, pulled.curve));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Writes a bar of square section along x with a waist in its middle, three widths long and three fifths as high.
fn waisted(half: f64, width: f64) -> String {
    let long = 1.5 * width;
    let away = |from: f64, to: f64| {
        format!("{{ box = {{ min = [{:?}, {from:?}, -1.0], max = [{long:?}, {to:?}, 1.0] }} }}", -long)
    };
    format!(
        "{{ box = {{ min = [{:?}, 0.0, 0.0], max = [{half:?}, {width:?}, {width:?}] }}, subtract = [ {}, {} ] }}",
        -half,
        away(-1.0, 0.2 * width),
        away(0.8 * width, 1.0)
    )
}

struct Pulled {
    /// Travel over the length, and mean axial stress of the waist over the strength.
    curve: Vec<[f64; 2]>,
    /// Share of the particles in the second largest cluster; neighbors in a cluster are within 1.5 spacings.
    second: f64,
}

fn stretch(lab: &Lab, across: u32, memory: f64, findings: &mut Findings) -> Result<Pulled, CardError> {
    let width = 0.1;
    let spacing = width / f64::from(across);
    let half = 2.5 * width;
    let held = |x: [f64; 2], speed: f64| {
        format!(
            "[[pin]]\nbody = \"bar\"\nmotion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {TIME:?}, translate = [{:?}, 0.0, 0.0] }} ] }}\n\
             region = {{ box = {{ min = [{:?}, -1.0, -1.0], max = [{:?}, 1.0, 1.0] }} }}\n",
            speed * TIME,
            x[0],
            x[1]
        )
    };
    let hold = half - 2.0 * spacing;
    let rate = TRAVEL / TIME;
    let law = format!("alpha0 = {ALPHA:?}\nbeta = {BETA:?}\nxi = {XI:?}\nM = {SLOPE:?}");
    let rest = material("nacc", DENSITY, YOUNG, POISSON, &law)
        + &body(
            "bar",
            &waisted(half, width),
            &format!("{{ kind = \"lattice\", spacing = {spacing:?} }}"),
            "",
        )
        + &held([-1.0, -hold], -rate * half)
        + &held([hold, 1.0], rate * half);
    let dt = 0.5 * spacing / (1.6 * YOUNG / DENSITY).sqrt();
    let solver = format!("iterations = 20\nstabilization = {memory:?}\n{PLAIN}");
    let mut problem = lab.problem(&scene(dt, [0.0; 3], spacing, &solver, &rest))?;
    for (v, x) in problem.particles.velocity.iter_mut().zip(&problem.particles.position) {
        *v = DVec3::new(rate * x.x, 0.0, 0.0);
    }
    let free: Vec<usize> = (0..problem.particle_count())
        .filter(|&p| problem.particles.position[p].x.abs() < 0.5 * width)
        .collect();
    let mut trial = lab.start(problem)?;
    let steps = (TIME / dt / 80.0) as u32;
    let mut curve = Vec::new();
    for look in 1..=80 {
        trial.run(f64::from(steps) * dt)?;
        let frame = trial.now()?;
        let sum: Matrix3<f64> = free.iter().map(|&p| kirchhoff(&trial.problem, &frame, p)).sum();
        let travel = f64::from(look * steps) * dt * rate;
        curve.push([travel, sum[(0, 0)] / free.len() as f64 / strength()]);
    }
    let pieces = clusters(&positions(&trial.now()?), 1.5 * spacing);
    findings.remark(format!(
        "Pulled bar, k_s = {memory}: {} particles, pieces of {pieces:?}.",
        trial.problem.particle_count()
    ));
    let second = pieces.get(1).map_or(0.0, |&size| size as f64 / trial.problem.particle_count() as f64);
    Ok(Pulled { curve, second })
}
