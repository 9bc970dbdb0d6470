//! B12: a smooth flat punch on von Mises matter in plane strain.
//!
//! Prandtl's pressure under a rigid punch on a half space is (2 + pi) k, k = sY / sqrt 3: 2.968 sY. The slip field reaches 1.5 widths to
//! either side and 0.71 down, so a slab of 5 x 2 widths on a holding floor acts as a half space. The punch moves so slowly that its
//! inertial pressure rho c v is a small part of sY; E = 500 sY keeps the elastic indentation small. The pressure is the punch's impulse
//! over time and area.
//!
//! Tolerance +10 / -5 % with 16 spacings under the punch: codes with few points overshoot, and an edge between two points makes the punch
//! effectively wider by up to a spacing.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::scenes::{PLAIN, floor, lattice_box, material, plane, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B12",
    title: "Prandtl's punch",
    reference: "Limit load (2 + pi) sY / sqrt 3",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.1, 10.0]),
    minutes: [0.5, 0.6, 40.0],
    run,
};

const WIDTH: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const YIELD: f64 = 1e3;
const YOUNG: f64 = 5e5;
/// Final indentation over the width.
const DEPTH: f64 = 0.05;
/// Speed over the wave speed.
const PACE: f64 = 5e-4;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let limit = (2.0 + std::f64::consts::PI) / 3.0_f64.sqrt();
    let mut chart = Chart {
        title: "Pressure under a punch".to_owned(),
        x: Axis { label: "indentation / width".to_owned(), unit: "1", log: false },
        y: Axis { label: "pressure / yield stress".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    chart.curves.push(Curve::line("Prandtl", GREY, vec![[0.0, limit], [DEPTH, limit]]));
    let counts: &[u32] = lab.pick(&[6], &[8], &[8, 16, 24]);
    for (color, &count) in counts.iter().enumerate() {
        let curve = press(lab, count, findings)?;
        let plateau: Vec<f64> = curve.iter().filter(|[depth, _]| *depth > 0.02).map(|[_, q]| *q).collect();
        let mean = plateau.iter().sum::<f64>() / plateau.len() as f64;
        let what = format!(
            "pressure over sY beyond an indentation of 0.02 widths, {count} spacings under the punch"
        );
        findings.check(what, "", mean, Expected::Between(0.95 * limit, 1.1 * limit));
        if count < 16 {
            let widened = f64::from(count + 1) / f64::from(count);
            let most = if lab.by_default() { 1.13 } else { 1.1 };
            findings.known(
                Expected::Between(0.95 * limit, most * widened * limit),
                "Few spacings: particles touch the punch's edges half a spacing beyond them, which widens it by a spacing.",
            );
        }
        chart.curves.push(Curve::dots(&format!("{count} spacings under the punch"), color, curve));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Returns indentation over width and pressure over yield stress.
fn press(lab: &Lab, count: u32, findings: &mut Findings) -> Result<Vec<[f64; 2]>, CardError> {
    let spacing = WIDTH / f64::from(count);
    let wave = (1.35 * YOUNG / DENSITY).sqrt();
    let dt = spacing / wave;
    let (side, down, half) = (2.5 * WIDTH, 2.0 * WIDTH, 2.0 * spacing);
    let wall = |name, at: [f64; 3], normal| plane(name, at, normal, "friction = 0.0");
    let time = DEPTH * WIDTH / (PACE * wave);
    let punch = format!(
        "[[collider]]\nname = \"punch\"\nfriction = 0.0\n\
         shape = {{ box = {{ min = [{:?}, {down:?}, -1.0], max = [{:?}, 1.0, 1.0] }} }}\n\
         motion = {{ keyframes = [ {{ time = 0.0 }}, {{ time = {time:?}, translate = [0.0, {:?}, 0.0] }} ] }}\n",
        -0.5 * WIDTH,
        0.5 * WIDTH,
        -DEPTH * WIDTH
    );
    let rest = material("von_mises", DENSITY, YOUNG, 0.3, &format!("yield_stress = {YIELD:?}"))
        + &lattice_box("slab", [-side, 0.0, -half], [side, down, half], spacing, "")
        + &punch
        + &floor(0.0, "sticky = true")
        + &wall("left", [-side, 0.0, 0.0], [1.0, 0.0, 0.0])
        + &wall("right", [side, 0.0, 0.0], [-1.0, 0.0, 0.0])
        + &wall("back", [0.0, 0.0, -half], [0.0, 0.0, 1.0])
        + &wall("front", [0.0, 0.0, half], [0.0, 0.0, -1.0]);
    let solver = format!("iterations = 20\n{PLAIN}multiplier = \"tensor\"\n");
    let mut trial = lab.trial(&scene(dt, [0.0; 3], spacing, &solver, &rest))?;
    let steps = (time / dt / 20.0).floor();
    let area = WIDTH * 2.0 * half;
    let mut curve = Vec::new();
    let mut residual = 0.0;
    for i in 1..=20 {
        let report = trial.run(steps * dt)?;
        let pressure = -report.collider_impulse[0][1] / (steps * dt * area);
        residual = report.residual.force;
        curve.push([DEPTH * (f64::from(i) - 0.5) / 20.0, pressure.abs() / YIELD]);
    }
    findings.remark(format!(
        "{count} spacings under the punch: {} particles, tensor multiplier, 20 iterations, no smoothing, force residual {residual:.1e}.",
        trial.problem.particle_count()
    ));
    Ok(curve)
}
