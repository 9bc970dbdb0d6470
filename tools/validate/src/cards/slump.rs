//! B23: slump of a cylinder of yield-stress matter.
//!
//! Pashias et al. 1996: sections spread freely until each bears what stands on it. With t = tau_y / (rho g H), the height therefore falls
//! by s' = 1 - 2 t (1 - ln 2 t) of H. Their tau_y is Tresca's, half of the uniaxial strength: t = sY / (2 rho g H). The floor is
//! frictionless, since sections slide freely. Tolerance 0.08 in s' (experiments scatter by 0.05 to 0.1). The law is static: a flatter
//! pile is also at rest, and inertia leads to one. The matter is therefore a Bingham fluid so viscous that inertia is negligible (40 Pa
//! s; with 5 Pa s the slump at t = 0.15 doubles). Its excess stress decays within 3 K / sY; the simulation lasts five times as long.

use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::measure::positions;
use crate::scenes::{body, contact_radius, floor, material, scattered, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "B23",
    title: "Slump of a cylinder",
    reference: "Pashias, Boger, Summers and Glenister 1996: s' = 1 - 2 t (1 - ln 2 t)",
    figure: None,
    by_default: ByDefault::Judged([0.1, 0.5, 10.0]),
    minutes: [0.1, 2.2, 20.0],
    run,
};

const HEIGHT: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// Young's modulus over rho g H.
const STIFFNESS: f64 = 50.0;
/// Plastic viscosity [Pa s].
const VISCOSITY: f64 = 40.0;

/// Returns the slump over H at t.
pub(super) fn slump(t: f64) -> f64 {
    1.0 - 2.0 * t * (1.0 - (2.0 * t).ln())
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let published = [(0.05, 0.330), (0.1, 0.522), (0.15, 0.661), (0.2, 0.767), (0.3, 0.907)];
    for (t, left) in published {
        findings.check(
            format!("closed form of the height left, t = {t}"),
            "",
            1.0 - slump(t),
            Expected::Absolute { reference: left, tolerance: 1e-3 },
        );
    }
    let mut chart = Chart {
        title: "Slump of a cylinder".to_owned(),
        x: Axis { label: "yield stress tau_y / (rho g H)".to_owned(), unit: "1", log: false },
        y: Axis { label: "slump / H".to_owned(), unit: "1", log: false },
        ..Chart::default()
    };
    let exact = (2..=50).map(|i| 0.01 * f64::from(i)).map(|t| [t, slump(t)]).collect();
    chart.curves.push(Curve::line("Pashias et al.", GREY, exact));
    const ALL: &[f64] = &[0.05, 0.1, 0.15, 0.2, 0.3];
    let runs: &[(u32, &[f64])] =
        lab.pick(&[(8, &[0.15])], &[(8, ALL), (12, &[0.1, 0.2])], &[(10, ALL), (20, ALL)]);
    for (color, (layers, strengths)) in runs.iter().enumerate() {
        let mut points = Vec::new();
        for &t in *strengths {
            let found = settle(lab, *layers, t, findings)?;
            let what = format!("slump over H, t = {t}, {layers} layers");
            findings.check(what, "", found, Expected::Absolute { reference: slump(t), tolerance: 0.08 });
            points.push([t, found]);
        }
        chart.curves.push(Curve::dots(&format!("{layers} layers"), color, points));
    }
    findings.diagram(&chart);
    Ok(())
}

/// Returns how far the top has sunk at rest, over H.
pub(super) fn settle(lab: &Lab, layers: u32, t: f64, findings: &mut Findings) -> Result<f64, CardError> {
    let spacing = HEIGHT / f64::from(layers);
    let weight = DENSITY * GRAVITY * HEIGHT;
    let law =
        format!("yield_stress = {:?}\nplastic_viscosity = {VISCOSITY:?}\npower = 1.0", 2.0 * t * weight);
    let shape = format!(
        "{{ cylinder = {{ from = [0.0, 0.0, 0.0], to = [0.0, {:?}, 0.0], radius = {:?} }} }}",
        HEIGHT - spacing,
        0.5 * (HEIGHT - spacing)
    );
    let parts = material("herschel_bulkley", DENSITY, STIFFNESS * weight, 0.3, &law)
        + &body("cylinder", &shape, &scattered(spacing), "");
    let rest = parts.clone() + &floor(contact_radius(lab, spacing, &parts)?, "friction = 0.0");
    let dt = 1.2 * spacing / (1.35 * STIFFNESS * GRAVITY * HEIGHT).sqrt();
    let mut trial =
        lab.trial(&scene(dt, [0.0, -GRAVITY, 0.0], spacing, "iterations = 10\nxsph = 0.0\n", &rest))?;
    let report = trial.run(5.0 * 3.0 * VISCOSITY / (2.0 * t * weight))?;
    let x = positions(&trial.now()?);
    // The top has not yielded: it sinks as a whole.
    let start = &trial.problem.particles.position;
    let top: Vec<usize> = (0..x.len()).filter(|&p| start[p].y > HEIGHT - 2.0 * spacing).collect();
    let drop = top.iter().map(|&p| start[p].y - x[p].y).sum::<f64>() / top.len() as f64;
    findings.remark(format!(
        "t = {t}, {layers} layers: {} particles, 10 iterations, nu_x = 0, force residual {:.1e}, fastest particle {:.1e} m/s at the end.",
        x.len(),
        report.residual.force,
        report.max_speed
    ));
    Ok(drop / HEIGHT)
}
