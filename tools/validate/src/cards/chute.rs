//! B19: a layer of sand on a rough incline starts to slide and keeps accelerating.
//!
//! A cone with friction angle phi bears mu = M / sqrt 3 in simple shear, M = 6 sin(phi) / (3 - sin(phi)): 0.6 at 26.3 degrees. A layer on
//! an incline stays at rest if tan(theta) < mu and otherwise accelerates with g (sin - mu cos); no speed is steady, since the stress does
//! not depend on the rate. (h_stop and mu(I) are properties of grains, not of this model.)
//!
//! The layer is twenty thicknesses long with free ends, and its middle is measured: the ends spread, and spreading matter bears less
//! shear, since its stress deviator lies between the two motions. (A layer of eight thicknesses accelerates by 13 % more.) The
//! acceleration is that of the matter above the lowest three tenths, where the layer shears. Gravity is tilted instead of the floor and
//! raised under damping.
//!
//! Lattice points show the law; scattered points show its practical value to a user: at any time a fifth or more of them bear nothing,
//! because the volume that each point finds around itself fluctuates, and the strains of the others do not all point along the slope.

use glam::DVec3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::{positions, shear_friction, velocities};
use crate::scenes::{PLAIN, Slab, floor, lattice_box, material, plane, scene, slab};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B19",
    title: "Sand on a rough incline: angle of start, acceleration",
    reference: "tan(theta) = M / sqrt 3; a = g (sin - mu cos)",
    figure: None,
    by_default: ByDefault::Judged([0.5, 1.1, 8.0]),
    minutes: [0.8, 1.1, 12.0],
    run,
};

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1500.0;
const YOUNG: f64 = 1e6;
const THICKNESS: f64 = 0.12;
/// Friction angle [degrees] for mu = 0.6.
const PHI: f64 = 26.3;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let mu = shear_friction(PHI);
    findings.relative("mu of phi = 26.3 degrees", "", mu, 0.6, 2e-3);
    let layers = lab.pick(6, 6, 12);
    let mut chart = Chart {
        title: "Speed of a layer on an incline".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "speed".to_owned(), unit: "m/s", log: false },
        ..Chart::default()
    };
    // Below the angle of 31 degrees, well above it, and above it by the card's two degrees. The first two are the test size.
    let runs = [
        (29.0, Points::Lattice),
        (38.0, Points::Lattice),
        (33.0, Points::Lattice),
        (38.0, Points::Scattered),
    ];
    for (color, (angle, points)) in runs.into_iter().take(lab.pick(2, 4, 4)).enumerate() {
        let (sine, cosine) = f64::to_radians(angle).sin_cos();
        let expected = GRAVITY * (sine - mu * cosine).max(0.0);
        let run = slide(lab, layers, angle, points)?;
        let name = format!("{angle} degrees, {layers} layers, {}", points.name());
        let found = ((sine - run.acceleration / GRAVITY) / cosine).atan().to_degrees();
        if expected == 0.0 {
            let what = format!("displacement in 0.3 s at {name}");
            findings.check(
                what,
                "spacings",
                run.displacement,
                Expected::Absolute { reference: 0.0, tolerance: 0.1 },
            );
        } else {
            let reference = mu.atan().to_degrees();
            let near = Expected::Absolute { reference, tolerance: 0.6 };
            findings.check(format!("angle of friction at {name}"), "degrees", found, near);
            if points == Points::Scattered {
                let low = Expected::Between(reference - 2.5, reference);
                findings.known(low, "scattered points: particles without stress, strains that do not all point along the slope");
            }
        }
        // At 33 degrees, 8 % of the acceleration corresponds to a quarter of a degree.
        if angle > 35.0 && points == Points::Lattice {
            findings.relative(format!("acceleration at {name}"), "m/s^2", run.acceleration, expected, 0.08);
        }
        let (first, last) = (run.speed[0], run.speed[run.speed.len() - 1]);
        let line = vec![first, [last[0], first[1] + expected * (last[0] - first[0])]];
        chart.curves.push(Curve::line(if color == 0 { "closed form" } else { "" }, GREY, line));
        chart.curves.push(Curve::dots(&format!("{angle} degrees, {}", points.name()), color, run.speed));
        findings.remark(run.remark);
    }
    findings.diagram(&chart);
    Ok(())
}

/// How the layer is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Points {
    Lattice,
    Scattered,
}

impl Points {
    fn name(self) -> &'static str {
        match self {
            Points::Lattice => "lattice",
            Points::Scattered => "scattered points",
        }
    }
}

/// Motion of the layer under full load.
struct Slide {
    /// Time and mean speed of the middle [s, m/s].
    speed: Vec<[f64; 2]>,
    /// Acceleration of the middle [m/s^2], by least squares.
    acceleration: f64,
    /// Displacement of the middle [spacings].
    displacement: f64,
    remark: String,
}

fn slide(lab: &Lab, layers: u32, angle: f64, points: Points) -> Result<Slide, CardError> {
    let spacing = THICKNESS / f64::from(layers);
    let dt = spacing / (1.35 * YOUNG / DENSITY).sqrt();
    let (sine, cosine) = angle.to_radians().sin_cos();
    let half = 10.0 * THICKNESS;
    let sand = material("drucker_prager", DENSITY, YOUNG, 0.3, &format!("friction_angle = {PHI:?}"));
    let Slab { text, contact } = match points {
        Points::Lattice => lattice_slab(&sand, half, spacing),
        Points::Scattered => slab(lab, &sand, [-half, half], THICKNESS, [4.0, spacing], "")?,
    };
    let rest = text + &floor(contact, "sticky = true");
    let gravity = [GRAVITY * sine, -GRAVITY * cosine, 0.0];
    let mut trial = lab.trial(&scene(dt, gravity, spacing, &format!("iterations = 10\n{PLAIN}"), &rest))?;
    trial.relax(0.15, 200.0)?;
    let start = trial.problem.particles.position.clone();
    // Exclude the lowest part, where the layer shears.
    let above = |p: &usize| start[*p].y > 0.3 * THICKNESS;
    let middle: Vec<usize> =
        (0..start.len()).filter(above).filter(|&p| start[p].x.abs() < THICKNESS).collect();
    let mean = |values: &[DVec3]| middle.iter().map(|&p| values[p].x).sum::<f64>() / middle.len() as f64;
    let from = mean(&positions(&trial.now()?));
    let mut speed = Vec::new();
    let mut residual = 0.0;
    for i in 1..=6 {
        residual = trial.run(0.05)?.residual.force;
        speed.push([0.05 * f64::from(i), mean(&velocities(&trial.now()?))]);
    }
    let displacement = (mean(&positions(&trial.now()?)) - from) / spacing;
    let count = speed.len() as f64;
    let (t, v) = speed.iter().fold((0.0, 0.0), |(t, v), s| (t + s[0] / count, v + s[1] / count));
    let (top, bottom) = speed.iter().fold((0.0, 0.0), |(top, bottom), s| {
        (top + (s[0] - t) * (s[1] - v), bottom + (s[0] - t) * (s[0] - t))
    });
    let remark = format!(
        "{angle} degrees, {}: {} particles, 10 iterations, no smoothing or position correction, force residual {residual:.1e}.",
        points.name(),
        trial.problem.particle_count()
    );
    Ok(Slide { speed, acceleration: top / bottom, displacement, remark })
}

/// Builds a lattice four spacings thick between frictionless plates.
fn lattice_slab(sand: &str, half: f64, spacing: f64) -> Slab {
    let side = 2.0 * spacing;
    let plate = |name, z: f64| plane(name, [0.0, 0.0, z], [0.0, 0.0, -z.signum()], "friction = 0.0");
    let layer = lattice_box("layer", [-half, 0.0, -side], [half, THICKNESS, side], spacing, "");
    Slab { text: sand.to_owned() + &layer + &plate("back", -side) + &plate("front", side), contact: 0.0 }
}
