//! B29: ropes. A rope that hangs from both ends, a bob on a string, a chain that swings from one end, and a rod that bends under its
//! weight.
//!
//! Closed forms: a rope 1.2 times as long as its span takes the catenary `a cosh(x / a)` with `2 a sinh(1 / 2 a) = 1.2`: sag 0.29234
//! spans, tension at the ends 0.7619 times the weight of a span's length. A bob swings with period `2 pi sqrt(l / g) (1 + t^2 / 16)`, t
//! its largest angle; a hanging chain of length L with `2 pi / 1.2024 sqrt(L / g)` (Bernoulli; 1.2024 is half the first zero of J0). The
//! tip of a clamped rod sinks by `w L^4 / (8 EI)`. Tolerances: 1 % of sag, tension and periods, 2 % of the tip.

use std::f64::consts::TAU;

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::positions;
use crate::scenes::scene;
use crate::{ByDefault, Card, CardError, Findings, Lab, Size, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B29",
    title: "Hanging and swinging ropes",
    reference: "Catenary, pendulums, beam theory",
    figure: None,
    by_default: ByDefault::Judged([0.3, 0.5, 5.0]),
    minutes: [1.0, 1.8, 25.0],
    run,
};

const GRAVITY: f64 = 9.81;
const LINEAR_DENSITY: f64 = 0.1;
const STRETCH: f64 = 2e3;

/// a of the catenary, in spans: the root of `2 a sinh(1 / 2 a) = 1.2`.
const CATENARY: f64 = 0.4695415231;

/// A rope given by its points, its supports and its solver settings.
struct Rope {
    points: Vec<DVec3>,
    spacing: f64,
    bending: f64,
    /// Vertices that are held.
    held: &'static str,
    dt: f64,
    iterations: u32,
}

impl Rope {
    fn trial<'a>(&self, lab: &'a Lab<'a>) -> Result<Trial<'a>, CardError> {
        let points: Vec<[f64; 3]> = self.points.iter().map(|p| p.to_array()).collect();
        let rest = format!(
            "[[rope]]\nname = \"line\"\npoints = {points:?}\nspacing = {:?}\nradius = 0.005\nlinear_density = {LINEAR_DENSITY:?}\n\
             stretch_stiffness = {STRETCH:?}\nbending_stiffness = {:?}\n[[pin]]\nbody = \"line\"\nvertices = {}\n",
            self.spacing, self.bending, self.held
        );
        let solver = format!("scheme = \"gauss_seidel\"\niterations = {}", self.iterations);
        lab.trial(&scene(self.dt, [0.0, -GRAVITY, 0.0], self.spacing, &solver, &rest))
    }
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    hanging(lab, findings)?;
    bob(lab, findings)?;
    chain(lab, findings)?;
    if lab.size() > Size::Test {
        rod(lab, findings)?;
    }
    Ok(())
}

fn hanging(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (a, half) = (CATENARY, (0.6_f64.powi(2) - 0.25).sqrt());
    let depth = a * ((0.5 / a).cosh() - 1.0);
    let points = vec![DVec3::Y, DVec3::new(0.5, 1.0 - half, 0.0), DVec3::new(1.0, 1.0, 0.0)];
    let spacing = lab.pick(0.06, 0.06, 0.02);
    let rope = Rope {
        points,
        spacing,
        bending: 0.0,
        held: "[0, -1]",
        dt: lab.pick(5e-4, 5e-4, 1e-4),
        iterations: 20,
    };
    let mut trial = rope.trial(lab)?;
    trial.relax(1.5, 10.0)?;
    let found = positions(&trial.now()?);
    let sag = 1.0 - found.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    findings.relative("sag over the span", "", sag, depth, 0.01);
    let start = &trial.problem.particles.position;
    let tension = |i: usize| {
        let length = start[i].distance(start[i + 1]);
        STRETCH * (found[i].distance(found[i + 1]) / length - 1.0)
    };
    // A segment's tension applies at its middle: extrapolate to the end.
    let end = 1.5 * tension(0) - 0.5 * tension(1);
    findings.relative(
        "tension at an end over the weight of the span's length",
        "",
        end / (LINEAR_DENSITY * GRAVITY),
        a + depth,
        0.01,
    );
    let catenary = (0..=40).map(|i| {
        let x = f64::from(i) / 40.0;
        [x, 1.0 - depth + a * (((x - 0.5) / a).cosh() - 1.0)]
    });
    findings.diagram(&Chart {
        title: "Rope between two posts".to_owned(),
        x: Axis { label: "x".to_owned(), unit: "m", log: false },
        y: Axis { label: "height".to_owned(), unit: "m", log: false },
        curves: vec![
            Curve::dots("found", 0, found.iter().map(|p| [p.x, p.y]).collect()),
            Curve::line("catenary", GREY, catenary.collect()),
        ],
        ..Chart::default()
    });
    Ok(())
}

/// Returns the mean time between every other crossing of the middle by the last vertex [s].
fn period(trial: &mut Trial<'_>, swings: u32, expected: f64) -> Result<f64, CardError> {
    const LOOKS: f64 = 40.0;
    let each = expected / LOOKS;
    let mut crossings = Vec::new();
    let (mut time, mut last) = (0.0, f64::NAN);
    for _ in 0..(LOOKS * (f64::from(swings) + 1.0)) as u32 {
        trial.run(each)?;
        time += each;
        let frame = trial.now()?;
        let x = frame.position.last().map_or(f64::NAN, |p| p[0]);
        if last * x < 0.0 {
            crossings.push(time - each * x / (x - last));
        }
        last = x;
    }
    match crossings[..] {
        [first, .., end] => Ok(2.0 * (end - first) / (crossings.len() - 1) as f64),
        _ => Err(CardError("the rope does not swing".to_owned())),
    }
}

fn bob(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (length, angle) = (0.25, 0.2_f64);
    let end = DVec3::new(length * angle.sin(), -length * angle.cos(), 0.0);
    let rope = Rope {
        points: vec![DVec3::ZERO, end],
        spacing: length,
        bending: 0.0,
        held: "[0]",
        dt: 5e-4,
        iterations: 10,
    };
    let expected = TAU * (length / GRAVITY).sqrt() * (1.0 + angle * angle / 16.0);
    let found = period(&mut rope.trial(lab)?, lab.pick(1, 1, 4), expected)?;
    findings.relative("period of a bob", "s", found, expected, 0.01);
    Ok(())
}

fn chain(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let length = 0.5_f64;
    let omega = 0.5 * 2.404826 * (GRAVITY / length).sqrt();
    // The first mode, J0(2 w sqrt(s / g)) at height s above the free end.
    let shape = |s: f64| {
        let z = omega * omega * s / GRAVITY;
        (1..12)
            .fold((1.0, 1.0), |(sum, term): (f64, f64), k| {
                let next = -term * z / f64::from(k * k);
                (sum + next, next)
            })
            .0
    };
    let count = lab.pick(20, 25, 50);
    let at = |i: u32| {
        let down = length * f64::from(i) / f64::from(count);
        DVec3::new(0.02 * shape(length - down), -down, 0.0)
    };
    let rope = Rope {
        points: (0..=count).map(at).collect(),
        spacing: length,
        bending: 0.0,
        held: "[0]",
        dt: 5e-4,
        iterations: 20,
    };
    let found = period(&mut rope.trial(lab)?, lab.pick(1, 1, 4), TAU / omega)?;
    findings.relative("period of a hanging chain", "s", found, TAU / omega, 0.01);
    Ok(())
}

fn rod(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let (length, spacing, bending) = (0.25, lab.pick(0.025, 0.025, 0.0125), 0.05);
    let rope = Rope {
        points: vec![DVec3::ZERO, DVec3::new(length, 0.0, 0.0)],
        spacing,
        bending,
        held: "[0, 1]",
        dt: lab.pick(4e-4, 4e-4, 1e-4),
        iterations: 20,
    };
    let mut trial = rope.trial(lab)?;
    trial.relax(0.5, 40.0)?;
    let found = positions(&trial.now()?);
    // The held segment clamps the rod at the segment's middle.
    let free = length - 0.5 * spacing;
    let expected = LINEAR_DENSITY * GRAVITY * free.powi(4) / (8.0 * bending);
    let sunk = -found.last().map_or(f64::NAN, |p| p.y);
    findings.relative("tip of a clamped rod", "m", sunk, expected, 0.02);
    Ok(())
}
