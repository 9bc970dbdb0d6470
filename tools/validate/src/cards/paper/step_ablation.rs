//! P12, Fig. 18: total iterations over a second against the step, at one residual.
//!
//! The cantilever of P6 with few particles in the f64 reference; every substep is swept by scalar Gauss-Seidel until the paper's residual
//! |C + alpha~ lambda| falls below a bound, at least once. The bound of each stiffness is the largest for which the tip stays within 0.01
//! of the length of a converged run at the largest step (the paper does not give its own).
//!
//! Large steps of stiff matter need more sweeps than they save; small steps need only one sweep each, so their number goes like 1 / dt.
//! Running time is given in sweeps, with 2.5 sweeps for the remaining work of a substep: the paper's third of the total at 5 iterations.

use tuff_chart::{Axis, Chart, Curve};
use tuff_reference::Step;

use super::SUBJECT;
use crate::shipped::CANTILEVER;
use crate::sweeps::Sweeps;
use crate::{ByDefault, Card, CardError, Expected, Findings, Lab};

/// The card.
pub const CARD: Card = Card {
    id: "P12",
    title: "Iterations over the step at one residual",
    reference: "Fig. 18: more iterations at large steps of stiff matter, and at very small steps",
    figure: Some("18"),
    by_default: ByDefault::No(SUBJECT),
    minutes: [0.1, 0.4, 40.0],
    run,
};

/// Steps [s].
const STEPS: [f64; 7] = [5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3];
/// Young's moduli [Pa].
const YOUNG: [f64; 3] = [1e4, 1e5, 1e6];
/// Maximum number of sweeps in a substep.
const MOST: u32 = 2000;
/// Number of sweeps that take as long as the remaining work of a substep.
const BESIDES: f64 = 2.5;
/// Bounds that are tried, over the initial residual of a step of free fall.
const BOUNDS: [f64; 7] = [1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4];

/// Cost and result of a run.
struct Run {
    sweeps: u64,
    substeps: u64,
    /// Substeps that stopped at [`MOST`].
    cut: u64,
    /// Height of the tip at every 10 ms [m].
    tip: Vec<f64>,
}

fn run(lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
    let duration = lab.pick(0.05, 0.2, 1.0);
    let steps = lab.pick(&STEPS[2..], &STEPS[..], &STEPS[..]);
    let mut chart = Chart {
        title: format!("Iterations over {duration} s of simulation"),
        x: Axis { label: "substep".to_owned(), unit: "s", log: true },
        y: Axis { label: "iterations".to_owned(), unit: "1", log: true },
        ..Chart::default()
    };
    for (color, young) in YOUNG.into_iter().enumerate() {
        let largest = *steps.last().unwrap_or(&STEPS[6]);
        let (bound, start) = bound(lab, young, largest, duration)?;
        let runs: Vec<Run> =
            steps.iter().map(|&dt| sag(lab, young, dt, duration, bound)).collect::<Result<_, _>>()?;
        findings.remark(format!(
            "E = {young:.0e} Pa: residual bound {bound:.2e} sqrt(Pa), {:.0e} of that of a step of free fall; sweeps {:?}, of \
             substeps {:?}.",
            bound / start,
            runs.iter().map(|r| r.sweeps).collect::<Vec<_>>(),
            runs.iter().map(|r| r.substeps).collect::<Vec<_>>()
        ));
        let cut = runs.iter().map(|r| r.cut).sum::<u64>() as f64;
        let what = format!("substeps that missed the bound in {MOST} sweeps, E = {young:.0e} Pa");
        findings.check(what, "", cut, Expected::AtMost(0.0));
        let sweeps: Vec<f64> = runs.iter().map(|r| r.sweeps as f64).collect();
        judge(young, steps, &runs, &sweeps, findings);
        let points = |set: usize| steps.iter().zip(&sweeps).map(move |(&dt, &n)| [dt, n]).skip(set).collect();
        let name = format!("E = {young:.0e} Pa");
        chart.curves.push(Curve::line(&name, color, points(0)));
        chart.curves.push(Curve::dots("", color, points(0)));
    }
    findings.diagram(&chart);
    Ok(())
}

fn judge(young: f64, steps: &[f64], runs: &[Run], sweeps: &[f64], findings: &mut Findings) {
    let name = format!("E = {young:.0e} Pa");
    let slope = |i: usize| (sweeps[i + 1] / sweeps[i]).ln() / (steps[i + 1] / steps[i]).ln();
    let what = format!("slope of the iterations at the small end, {name}");
    findings.check(what, "", slope(0), Expected::Absolute { reference: -1.0, tolerance: 0.2 });
    let what = format!("slope of the iterations at the large end, {name}");
    let stiff = young == 1e6;
    let expected = if stiff { Expected::AtLeast(0.0) } else { Expected::Anything };
    findings.check(what, "", slope(steps.len() - 2), expected);
    let least = |cost: &dyn Fn(usize) -> f64| {
        (0..steps.len()).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).map_or(0.0, |i| steps[i])
    };
    let fewest = least(&|i| sweeps[i]);
    let quickest = least(&|i| sweeps[i] + BESIDES * runs[i].substeps as f64);
    let inside = Expected::Between(steps[1], steps[steps.len() - 2]);
    let expected = if stiff { inside } else { Expected::Anything };
    findings.check(format!("step of the fewest iterations, {name}"), "s", fewest, expected);
    let what = format!("step of the shortest running time, {name}");
    findings.check(what, "s", quickest, Expected::AtLeast(fewest));
}

/// Returns the largest bound that keeps the tip, and the residual to which bounds are relative.
fn bound(lab: &Lab, young: f64, dt: f64, duration: f64) -> Result<(f64, f64), CardError> {
    let start = free_fall(lab, young, dt)?;
    let exact = sag(lab, young, dt, duration, 1e-6 * start)?.tip;
    for part in BOUNDS {
        let tip = sag(lab, young, dt, duration, part * start)?.tip;
        let off = tip.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if off <= 0.01 {
            return Ok((part * start, start));
        }
    }
    Ok((1e-6 * start, start))
}

/// Returns the residual at the predicted velocities of the first step [sqrt(Pa)].
fn free_fall(lab: &Lab, young: f64, dt: f64) -> Result<f64, CardError> {
    let reference = lab.reference(&problem(lab, young, dt)?)?;
    let step = reference.step(0);
    Ok(Sweeps::new(reference.solver().context(), step, reference.solver().state().clone()).start.constraint)
}

fn problem(lab: &Lab, young: f64, dt: f64) -> Result<tuff_problem::Problem, CardError> {
    let keys = [
        format!("material.rubber.youngs_modulus={young}"),
        format!("time.max_substep={dt:?}"),
        // Frames of 10 ms, which all steps divide.
        "time.frame_rate=100.0".to_owned(),
    ];
    lab.shipped(CANTILEVER, &keys, Some(lab.pick(150, 150, 2700)))
}

/// Simulates substeps of `dt` [s] until `duration` [s], sweeping each until the residual is below `bound` [sqrt(Pa)].
fn sag(lab: &Lab, young: f64, dt: f64, duration: f64, bound: f64) -> Result<Run, CardError> {
    let problem = problem(lab, young, dt)?;
    let reference = lab.reference(&problem)?;
    let context = reference.solver().context();
    let mut state = reference.solver().state().clone();
    let mut step: Step = reference.step(0);
    let far = problem.particles.position.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    let last: Vec<bool> =
        problem.particles.position.iter().map(|p| p.x > far - 0.5 * problem.spacing(0)).collect();
    let mut run = Run { sweeps: 0, substeps: 0, cut: 0, tip: Vec::new() };
    let per_frame = problem.substeps_per_frame();
    for index in 1..=(duration / step.dt).round() as u32 {
        let mut sweeps = Sweeps::new(context, step, state);
        for count in 1..=MOST {
            sweeps.sweep();
            run.sweeps += 1;
            if sweeps.constraint() <= bound {
                break;
            }
            run.cut += u64::from(count == MOST);
        }
        state = sweeps.finish()?;
        step.time = step.end();
        run.substeps += 1;
        if index % per_frame == 0 {
            let of_tip = |p: &usize| last[state.id[*p] as usize];
            let members: Vec<usize> = (0..state.particle_count()).filter(of_tip).collect();
            run.tip.push(members.iter().map(|&p| state.position[p].y).sum::<f64>() / members.len() as f64);
        }
    }
    Ok(run)
}
