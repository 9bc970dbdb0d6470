//! E4: a bar of soft metal hits a smooth wall (after Taylor 1948), with steps of 1e-4 s and 1e-3 s, solved by `newton_cg`.
//!
//! von Mises plasticity with linear hardening, so that the shape is a property of the matter and not of the lattice: without hardening
//! the foot localizes, and spreads by a third more at the small step. In the large step, sound crosses 4.9 particle spacings if the bar
//! is 4 across, and the foot moves by a tenth of a spacing. The wall is a floor: the weight, 0.94 of the yield stress at the foot, holds
//! the bar there afterwards.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve};

use crate::measure::positions;
use crate::scenes::{PLAIN, lattice_box, material, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "E4",
    title: "Bar of soft metal at two steps",
    reference: "The same bar at a tenth of the step",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.1, 8.0]),
    minutes: [0.4, 0.4, 20.0],
    run,
};

const WIDTH: f64 = 0.03;
const LENGTH: f64 = 4.0 * WIDTH;
/// Impact speed [m/s], and the time after which the bar is measured [s].
const SPEED: f64 = 0.75;
const TIME: f64 = 2.0 * LENGTH / SPEED;
const STEPS: [f64; 2] = [1e-4, 1e-3];

/// A bar after its impact.
struct Bar {
    /// Height of its particles [m].
    length: f64,
    /// Root mean square distance from the axis of the particles that formed its lowest quarter before the impact [m].
    foot: f64,
    /// Height of the center of mass above the lowest particle [m].
    center: f64,
    /// Time and length [s, m].
    curve: Vec<[f64; 2]>,
    /// Number of substeps that ended above their tolerance, and of substeps that were halved.
    unbalanced: u64,
    halved: u64,
    picture: Vec<u8>,
    particles: usize,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let across = lab.pick(4, 4, 12);
    let [small, large] = STEPS.map(|dt| impact(lab, across, dt));
    let (small, large) = (small?, large?);
    let near = Expected::Relative { reference: 1.0, tolerance: 0.05 };
    findings.check("length over that at 1e-4 s", "", large.length / small.length, near);
    findings.check("radius of the foot over that at 1e-4 s", "", large.foot / small.foot, near);
    findings.check("height of the center of mass over that at 1e-4 s", "", large.center / small.center, near);
    findings.check("shortened by", "", 1.0 - small.length / LENGTH, Expected::AtLeast(0.1));
    let unbalanced = (small.unbalanced + large.unbalanced) as f64;
    findings.check("substeps above a force residual of 0.01", "", unbalanced, Expected::AtMost(0.0));
    findings.record("substeps in halves", "", (small.halved + large.halved) as f64);
    findings.remark(format!(
        "{} particles, {across} across; yield stress 1,250 Pa, hardening modulus 5 kPa, E = 1 MPa, {SPEED} m/s; newton_cg to 0.01.",
        small.particles
    ));
    let mut curves = Vec::new();
    for (color, (bar, dt)) in [small, large].into_iter().zip(STEPS).enumerate() {
        findings.image(format!("steps of {dt:.0e} s"), &bar.picture);
        curves.push(Curve::line(&format!("{dt:.0e} s"), color, bar.curve));
    }
    findings.diagram(&Chart {
        title: "Length of the bar".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "length".to_owned(), unit: "m", log: false },
        curves,
        ..Chart::default()
    });
    Ok(())
}

/// Returns the length over the length before the impact, with the large step.
pub(super) fn length(lab: &Lab, across: u32) -> Result<f64, CardError> {
    Ok(impact(lab, across, STEPS[1])?.length / LENGTH)
}

fn impact(lab: &Lab, across: u32, dt: f64) -> Result<Bar, CardError> {
    let spacing = WIDTH / f64::from(across);
    let half = 0.5 * WIDTH;
    let parts = material("von_mises", 1000.0, 1e6, 0.3, "yield_stress = 1250.0\nhardening_modulus = 5000.0")
        + &lattice_box(
            "bar",
            [-half, 0.0, -half],
            [half, LENGTH, half],
            spacing,
            &format!("velocity = [0.0, {:?}, 0.0]", -SPEED),
        )
        + &plane("wall", [0.0; 3], [0.0, 1.0, 0.0], "friction = 0.0");
    let solver = format!("scheme = \"newton_cg\"\niterations = 200\nresidual_tolerance = 0.01\n{PLAIN}");
    let mut trial = lab.trial(&scene(dt, [0.0, -9.81, 0.0], spacing, &solver, &parts))?;
    let (mut curve, mut unbalanced, mut halved) = (Vec::new(), 0, 0);
    let looks = 16;
    let mut points = positions(&trial.now()?);
    let quarter: Vec<usize> = (0..points.len()).filter(|&p| points[p].y < 0.25 * LENGTH).collect();
    for look in 1..=looks {
        let counters = trial.run(TIME / f64::from(looks))?.counters;
        unbalanced += counters.newton_unbalanced;
        halved += counters.substeps_halved;
        points = positions(&trial.now()?);
        let (low, high) = reach(&points);
        curve.push([TIME * f64::from(look) / f64::from(looks), high - low + spacing]);
    }
    let (low, high) = reach(&points);
    let square: f64 = quarter.iter().map(|&p| points[p].x.powi(2) + points[p].z.powi(2)).sum();
    Ok(Bar {
        length: high - low + spacing,
        foot: (square / quarter.len() as f64).sqrt(),
        center: points.iter().map(|p| p.y).sum::<f64>() / points.len() as f64 - low,
        curve,
        unbalanced,
        halved,
        picture: trial.picture()?,
        particles: points.len(),
    })
}

/// Returns the smallest and largest height [m].
fn reach(points: &[DVec3]) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.y), high.max(p.y)))
}
