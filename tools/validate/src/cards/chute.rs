//! B19: a layer of sand on a rough incline starts and keeps accelerating.
//!
//! The cone of friction angle phi bears mu = M / sqrt 3 in simple shear, M = 6 sin(phi) / (3 - sin(phi)): 0.6 at 26.3 degrees. A layer
//! on an incline stays where tan(theta) < mu and otherwise accelerates with g (sin - mu cos); no speed is steady, since the
//! stress does not depend on the rate. (h_stop and mu(I) are of grains, not of this model.)
//!
//! The layer is eight thicknesses long with free ends. The acceleration is that of all matter above the lowest quarter, which no force between
//! its parts changes; whether it stays is seen in the middle, where the slumping ends do not reach. Gravity is tilted instead of
//! the floor and raised under damping.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{positions, velocities};
use crate::scenes::{PLAIN, Slab, floor, material, scene, slab};
use crate::{Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B19",
    title: "Sand on a rough incline: angle of start, acceleration",
    reference: "tan(theta) = M / sqrt 3; a = g (sin - mu cos)",
    figure: None,
    minutes: [0.8, 2.3, 12.0],
    run,
};

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1500.0;
const YOUNG: f64 = 1e6;
const THICKNESS: f64 = 0.12;
/// Angle of friction [degrees] of mu = 0.6.
const PHI: f64 = 26.3;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let sine = PHI.to_radians().sin();
    let mu = 6.0 * sine / (3.0 - sine) / 3.0_f64.sqrt();
    findings.relative("mu of phi = 26.3 degrees", "", mu, 0.6, 2e-3);
    let layers = lab.pick(6, 8, 12);
    let mut chart = Chart {
        title: "Speed of a layer on an incline".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "speed".to_owned(), unit: "m/s", log: false },
        ..Chart::default()
    };
    // Below and above the angle of 31 degrees by the card's 1.5 degrees, and well above it; plates 4 and 9 spacings apart.
    let runs = [(29.4, 4.0), (32.5, 4.0), (38.0, 4.0), (38.0, 9.0)];
    for (color, (angle, across)) in runs.into_iter().enumerate() {
        let (sine, cosine) = f64::to_radians(angle).sin_cos();
        let expected = GRAVITY * (sine - mu * cosine).max(0.0);
        let run = slide(lab, layers, angle, across)?;
        let name = format!("{angle} degrees, {layers} layers, {across} across");
        let found = (sine - run.acceleration / GRAVITY) / cosine;
        if expected == 0.0 {
            let what = format!("displacement in 0.3 s at {name}");
            findings.check(what, "spacings", run.displacement, Expected::AtMost(0.1));
        } else {
            findings.relative(format!("acceleration at {name}"), "m/s^2", run.acceleration, expected, 0.08);
            findings.record(format!("friction at {name}"), "", found);
        }
        let (first, last) = (run.speed[0], run.speed[run.speed.len() - 1]);
        let line = vec![first, [last[0], first[1] + expected * (last[0] - first[0])]];
        chart.curves.push(Curve::line(if color == 0 { "closed form" } else { "" }, GREY, line));
        chart.curves.push(Curve::dots(&format!("{angle} degrees, {across} across"), color, run.speed));
        findings.remark(run.remark);
    }
    findings.diagram(&chart);
    Ok(())
}

/// What the layer does once the load is on.
struct Slide {
    /// Time and mean speed [s, m/s].
    speed: Vec<[f64; 2]>,
    /// [m/s^2], by least squares.
    acceleration: f64,
    /// That of the middle [spacings].
    displacement: f64,
    remark: String,
}

fn slide(lab: &Lab, layers: u32, angle: f64, across: f64) -> Result<Slide, CardError> {
    let spacing = THICKNESS / f64::from(layers);
    let dt = spacing / (1.35 * YOUNG / DENSITY).sqrt();
    let (sine, cosine) = angle.to_radians().sin_cos();
    let half = 4.0 * THICKNESS;
    let sand = material("drucker_prager", DENSITY, YOUNG, 0.3, &format!("friction_angle = {PHI:?}"));
    let Slab { text, contact } = slab(lab, &sand, [-half, half], THICKNESS, [across, spacing], "")?;
    let rest = text + &floor(contact, "sticky = true");
    let gravity = [GRAVITY * sine, -GRAVITY * cosine, 0.0];
    let mut trial = lab.trial(&scene(dt, gravity, spacing, &format!("iterations = 10\n{PLAIN}"), &rest))?;
    trial.relax((0.15 / dt) as u32, 200.0)?;
    let start = trial.problem.particles.position.clone();
    // The lowest quarter is where the layer shears.
    let above = |p: &usize| start[*p].y > 0.25 * THICKNESS;
    let all: Vec<usize> = (0..start.len()).filter(above).collect();
    let middle: Vec<usize> = all.iter().copied().filter(|&p| start[p].x.abs() < THICKNESS).collect();
    let mean =
        |values: &[DVec3], of: &[usize]| of.iter().map(|&p| values[p].x).sum::<f64>() / of.len() as f64;
    let from = mean(&positions(&trial.now()?), &middle);
    let mut speed = Vec::new();
    let mut residual = 0.0;
    for i in 1..=6 {
        residual = trial.run(0.05)?.residual.force;
        speed.push([0.05 * f64::from(i), mean(&velocities(&trial.now()?), &all)]);
    }
    let displacement = (mean(&positions(&trial.now()?), &middle) - from) / spacing;
    let count = speed.len() as f64;
    let (t, v) = speed.iter().fold((0.0, 0.0), |(t, v), s| (t + s[0] / count, v + s[1] / count));
    let (top, bottom) = speed.iter().fold((0.0, 0.0), |(top, bottom), s| {
        (top + (s[0] - t) * (s[1] - v), bottom + (s[0] - t) * (s[0] - t))
    });
    let remark = format!(
        "{angle} degrees: {} particles, 10 iterations, no smoothing or position correction, force residual {residual:.1e}.",
        trial.problem.particle_count()
    );
    Ok(Slide { speed, acceleration: top / bottom, displacement, remark })
}
