//! B3: homogeneous deformation of a point cloud, surface included, without a solve.
//!
//! Closed forms: particles that move with constant velocities v = L X have F = I + n dt L after n substeps, b = F F^T, J = det F, and the
//! Hencky model has tau = 2 mu ln V + lambda tr(ln V) I. Tolerance 1e-4 (f32). The stored non-affine displacement is compared with the
//! spacing.

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use tuff_chart::{Axis, Chart, Curve, GREY};

use crate::draws::Draws;
use crate::measure::{kirchhoff, norm, of_hencky, strain};
use crate::scenes::{PLAIN, body, elastic, scene};
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab, Trial};

/// The card.
pub const CARD: Card = Card {
    id: "B3",
    title: "Homogeneous deformation",
    reference: "F = I + n dt L; Hencky elasticity",
    figure: None,
    by_default: ByDefault::No("the motion is prescribed"),
    minutes: [0.1, 0.1, 0.3],
    run,
};

const STEPS: u32 = 100;
const DT: f64 = 1e-3;
const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.3;

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let spacing = lab.pick(0.05, 0.05, 0.025);
    let shape = "{ box = { min = [0.0, 0.0, 0.0], max = [0.5, 0.5, 0.5] } }";
    let sampling = format!("{{ kind = \"poisson_disk\", spacing = {spacing:?}, seed = 2 }}");
    let rest = elastic(1000.0, YOUNG, POISSON) + &body("cloud", shape, &sampling, "");
    let mut problem = lab.problem(&scene(DT, [0.0; 3], spacing, PLAIN, &rest))?;
    problem.scene.solver.iterations = 0;
    let draws = Draws(7).matrix();
    // A final displacement gradient of norm one half, so that det F > 0.
    let rate = draws * (0.5 / (f64::from(STEPS) * DT * norm(draws)));
    let drift = DVec3::new(0.3, -0.2, 0.5);
    for (v, x) in problem.particles.velocity.iter_mut().zip(&problem.particles.position) {
        *v = rate * *x + drift;
    }
    let mut trial = Trial::new(lab, problem)?;
    let mut trace = Vec::new();
    let mut line = Vec::new();
    for done in (0..=STEPS).step_by(10) {
        if done > 0 {
            trial.step(10)?;
        }
        let frame = trial.now()?;
        let part = f64::from(done) * DT;
        trace.push([part, kirchhoff(&trial.problem, &frame, 0).trace() / 3.0]);
        line.push([part, stress(expected(DMat3::IDENTITY + rate * part)).trace() / 3.0]);
    }
    compare(&mut trial, DMat3::IDENTITY + rate * f64::from(STEPS) * DT, spacing, findings)?;
    findings.diagram(&Chart {
        title: "Mean stress of a corner particle".to_owned(),
        x: Axis { label: "time".to_owned(), unit: "s", log: false },
        y: Axis { label: "tr tau / 3".to_owned(), unit: "Pa", log: false },
        curves: vec![Curve::line("closed form", GREY, line), Curve::dots("simulation", 0, trace)],
        ..Chart::default()
    });
    Ok(())
}

/// Returns the elastic strain of a deformation gradient.
fn expected(f: DMat3) -> Matrix3<f64> {
    Matrix3::from_column_slice(&(f * f.transpose() - DMat3::IDENTITY).to_cols_array())
}

/// Returns Hencky's Kirchhoff stress [Pa].
fn stress(strain: Matrix3<f64>) -> Matrix3<f64> {
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    of_hencky(strain, |e| e.map(|eps| 2.0 * mu * eps + lambda * e.iter().sum::<f64>()))
}

/// Checks the errors of the worst particle.
fn compare(trial: &mut Trial, f: DMat3, spacing: f64, findings: &mut Findings) -> Result<(), CardError> {
    let frame = trial.now()?;
    let (strain_there, stress_there) = (expected(f), stress(expected(f)));
    let (mut worst, count) = ([0.0_f64; 4], trial.problem.particle_count());
    for (p, remembered) in trial.device.memory(count)?.into_iter().enumerate() {
        let off = [
            (strain(&frame, p) - strain_there).norm() / strain_there.norm(),
            (f64::from(frame.volume_ratio[p]) - f.determinant()).abs() / f.determinant(),
            (kirchhoff(&trial.problem, &frame, p) - stress_there).norm() / stress_there.norm(),
            remembered.length() / spacing,
        ];
        worst = [0, 1, 2, 3].map(|k| worst[k].max(off[k]));
    }
    let names = ["error of the strain b - I", "error of J", "error of the stress", "memory over the spacing"];
    for (what, off) in names.into_iter().zip(worst) {
        findings.check(format!("{what}, worst particle"), "", off, Expected::AtMost(1e-4));
    }
    findings.remark(format!("{count} particles, {STEPS} substeps, J = {:.3} in the end", f.determinant()));
    Ok(())
}
