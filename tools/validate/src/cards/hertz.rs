//! B8: an elastic ball bounces on a rigid, frictionless floor.
//!
//! Closed form (Hertz): the force is `F = 4/3 E* sqrt(R) d^1.5` at the indentation d, E* = E / (1 - nu^2), so a ball of mass m and speed
//! V has the maximum indentation `d_max = (15 m V^2 / (16 E* sqrt(R)))^(2/5)` and the contact time `2.9433 d_max / V`. At 1 m/s the
//! indentation of this ball would be 13 mm, a quarter of its radius, beyond the range of the theory; hence V = 0.2 m/s: 53.5 ms and 3.64
//! mm (38.8 ms and 13.2 mm at 1 m/s scale as V^-1/5 and V^4/5).
//!
//! The indentation is that of the center of mass. Points lie in shells: a lattice would touch with the flat patch of its lowest layer,
//! which is wider than the contact. The static contact radius is sqrt(R d) = 13.5 mm.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{mean, positions, velocities};
use crate::points::{ball, replace};
use crate::scenes::{PLAIN, elastic, lattice_box, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B8",
    title: "Elastic ball bounces on a floor",
    reference: "Hertz: time and depth of an elastic impact",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.1, 6.0]),
    minutes: [0.2, 0.3, 12.0],
    run,
};

const RADIUS: f64 = 0.05;
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;
const SPEED: f64 = 0.2;
/// Initial distance from the floor [m].
const GAP: f64 = 5e-4;
const COARSE: &str = "Resolution: the contact's radius is 1.9 and 3.0 spacings at 7 and 11 shells, the plan asks for 5. The outermost half spacing \
                      of the ball cannot be pressed, and the layer at the floor carries half of the stress that its strain stands for \
                      (B6): both stiffen. The contact time is 15.9, 13.0 and 11.6 % short at 7, 11 and 15 shells, first order to 8 %, and alike at 0.05 m/s \
                      (15.4, 12.1 %); a lattice bent to the sphere is no better.";

/// Measurements of a bounce.
struct Bounce {
    /// Indentation over time since first contact [s, m].
    indentation: Vec<[f64; 2]>,
    duration: f64,
    restitution: f64,
    force: f64,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let counts: &[u32] = lab.pick(&[7], &[7, 11], &[7, 11, 15, 19]);
    let mut chart = Chart {
        title: "Indentation of the center of mass".to_owned(),
        x: Axis { label: "time since the touch".to_owned(), unit: "s", log: false },
        y: Axis { label: "indentation".to_owned(), unit: "m", log: false },
        ..Chart::default()
    };
    let mut errors = Vec::new();
    for (index, &shells) in counts.iter().enumerate() {
        let bounce = bounce(lab, shells, findings)?;
        errors.push(bounce.duration / duration() - 1.0);
        judge(&bounce, shells, findings);
        chart.curves.push(Curve::dots(&format!("{shells} shells"), index, bounce.indentation));
    }
    chart.curves.push(Curve::line("Hertz", GREY, theory()));
    findings.diagram(&chart);
    if let ([.., coarse, fine], [.., few, many]) = (&errors[..], counts) {
        findings.check(
            "error of the contact time, finer of two",
            "",
            fine.abs(),
            Expected::AtMost(coarse.abs().max(0.01)),
        );
        // The error is of first order.
        let (few, many) = (f64::from(*few), f64::from(*many));
        let limit = (many * fine - few * coarse) / (many - few);
        let what = format!("contact time, limit of {few} and {many} shells");
        findings.relative(what, "s", (1.0 + limit) * duration(), duration(), 0.1);
    }
    Ok(())
}

fn mass() -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) * DENSITY
}

/// Returns force over indentation^1.5 [N/m^1.5].
fn stiffness() -> f64 {
    4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * RADIUS.sqrt()
}

fn depth() -> f64 {
    (1.25 * mass() * SPEED * SPEED / stiffness()).powf(0.4)
}

fn duration() -> f64 {
    2.9433 * depth() / SPEED
}

/// Returns the indentation over time by Hertz's law.
fn theory() -> Vec<[f64; 2]> {
    let (mut d, mut v) = (0.0_f64, SPEED);
    let dt = duration() / 5000.0;
    let mut points = vec![[0.0, 0.0]];
    for i in 1..=5000 {
        v -= dt * stiffness() * d.max(0.0).powf(1.5) / mass();
        d += dt * v;
        if i % 50 == 0 {
            points.push([dt * f64::from(i), d]);
        }
    }
    points
}

fn bounce(lab: &Lab, shells: u32, findings: &mut Findings) -> Result<Bounce, CardError> {
    let spacing = RADIUS / f64::from(shells);
    let sound = (YOUNG * (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)) / DENSITY).sqrt();
    let dt = 0.5 * spacing / sound;
    let rest = elastic(DENSITY, YOUNG, POISSON)
        + &lattice_box("ball", [-RADIUS; 3], [RADIUS; 3], spacing, "")
        + &plane("floor", [0.0, -RADIUS - GAP, 0.0], [0.0, 1.0, 0.0], "friction = 0.0");
    let solver = format!("iterations = 10\nmultiplier = \"tensor\"\n{PLAIN}");
    let mut problem = lab.problem(&scene(dt, [0.0; 3], spacing, &solver, &rest))?;
    replace(&mut problem, &ball(RADIUS, shells));
    problem.particles.velocity.fill(DVec3::new(0.0, -SPEED, 0.0));
    let mut trial = Trial::new(lab, problem)?;
    let height = |trial: &mut Trial| {
        let frame = trial.now()?;
        Ok::<_, CardError>(mean(&trial.problem, &positions(&frame)).y)
    };
    let center = height(&mut trial)?;
    let mut indentation = Vec::new();
    let (mut force, mut residual) = (0.0_f64, 0.0_f64);
    let each = (duration() / 120.0 / dt).round().max(1.0) as u32;
    for i in 1..=170 {
        let report = trial.run(f64::from(each) * dt)?;
        let time = dt * f64::from(i * each);
        force = force.max(report.collider_impulse[0][1].abs() / (dt * f64::from(each)));
        residual = residual.max(report.residual.force);
        indentation.push([time - GAP / SPEED, center - GAP - height(&mut trial)?]);
        if indentation.len() > 60 && indentation[indentation.len() - 1][1] < -GAP {
            break;
        }
    }
    let leaves = indentation.windows(2).find(|w| w[0][1] > 0.0 && w[1][1] <= 0.0);
    let duration = leaves.map_or(f64::NAN, |w| w[0][0] + w[0][1] / (w[0][1] - w[1][1]) * (w[1][0] - w[0][0]));
    let frame = trial.now()?;
    let restitution = mean(&trial.problem, &velocities(&frame)).y / SPEED;
    findings.remark(format!(
        "{shells} shells: {} particles, contact radius {:.1} spacings, dt = {dt:.2e} s, 10 iterations, largest force residual {residual:.1e}",
        trial.problem.particle_count(),
        (RADIUS * depth()).sqrt() / spacing
    ));
    Ok(Bounce { indentation, duration, restitution, force })
}

fn judge(bounce: &Bounce, shells: u32, findings: &mut Findings) {
    let stiff = 0.2;
    let within = |reference: f64, low: f64, high: f64| {
        Expected::Between(reference * (1.0 - low), reference * (1.0 + high))
    };
    findings.relative(format!("contact time, {shells} shells"), "s", bounce.duration, duration(), 0.1);
    findings.known(within(duration(), stiff, 0.1), COARSE);
    let deepest = bounce.indentation.iter().map(|p| p[1]).fold(0.0, f64::max);
    findings.relative(format!("largest indentation, {shells} shells"), "m", deepest, depth(), 0.1);
    findings.known(within(depth(), stiff, 0.1), COARSE);
    let peak = stiffness() * depth().powf(1.5);
    findings.relative(format!("largest force, {shells} shells"), "N", bounce.force, peak, 0.1);
    findings.known(within(peak, 0.1, stiff), COARSE);
    findings.check(
        format!("restitution, {shells} shells"),
        "",
        bounce.restitution,
        Expected::Between(0.85, 1.0),
    );
}
