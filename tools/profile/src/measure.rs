//! Runs a scene and measures its substeps.

use tuff_cli::exit::{NO_DEVICE, Stop};
use tuff_cli::simulation;
use tuff_problem::profile::{DispatchProfile, Part, StageProfile, SubstepProfile};
use tuff_problem::{Control, Problem};
use tuff_run::{Run, Simulation};

use crate::law::LawCost;
use crate::record::{
    FORMAT, Material, Plain, Record, Residual, Scene, Spread, Stage as StageRecord, Substep,
};
use crate::statistics::{histogram, median};
use crate::subject::Subject;

/// Plan of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Frame to begin at.
    pub frame: u32,
    /// Substeps before the measured ones.
    pub warm_up: u32,
    /// Number of substeps in each stretch.
    pub substeps: u32,
}

/// Measures a simulation of `problem`: its substeps with timestamps, in two halves around a stretch without; then residuals, spread and
/// materials. The motion is continuous: each stretch starts where the previous one ended.
///
/// # Errors
/// Exit code 4 if the simulation fails, 3 if the device fails or has no timestamps, 75 if interrupted.
pub fn measure<S: Subject>(
    problem: &Problem,
    run: &mut Run<S>,
    plan: Plan,
    control: &Control,
) -> Result<(Record, Vec<SubstepProfile>), Stop> {
    let failed = |error| simulation::failed(error, problem);
    for _ in problem.scene.time.first_frame..plan.frame {
        run.advance(control).map_err(failed)?;
    }
    run.set_measured(false);
    run.advance_substeps(plan.warm_up, control).map_err(failed)?;
    let timed = |run: &mut Run<S>, first: u32, count: u32, residuals: bool| {
        run.profile_substeps(plan.warm_up + first, count, residuals, control).map_err(failed)
    };
    let all = plan.substeps;
    let half = all.div_ceil(2);
    let mut substeps = timed(run, 0, half, false)?;
    if substeps.iter().any(|substep| substep.dispatches.is_empty()) {
        let device = run.device_name();
        return Err(Stop::new(NO_DEVICE, format!("{device} has no timestamps; choose another device")));
    }
    // The plain substeps lie between two halves of the timed ones, so that both see the same drift of the machine.
    let plain = plain(problem, run, plan.warm_up + half, all, control)?;
    let begin = substeps.last().map_or(0.0, |last| last.start + last.wall_seconds);
    let rest = timed(run, half + all, all - half, false)?;
    substeps
        .extend(rest.into_iter().map(|substep| SubstepProfile { start: substep.start + begin, ..substep }));
    let judged = problem.scene.solver.residual_tolerance > 0.0;
    let measured = if judged { Vec::new() } else { timed(run, 2 * all, all, true)? };
    let laws = run.solver().laws(problem)?;
    let record = record(problem, run, plan, &substeps, &measured, plain, &laws)?;
    Ok((record, substeps))
}

/// Advances substeps as an ordinary run does.
fn plain<S: Subject>(
    problem: &Problem,
    run: &mut Run<S>,
    first: u32,
    count: u32,
    control: &Control,
) -> Result<Plain, Stop> {
    let before = processor_seconds();
    let report = run
        .advance_substeps_from(first, count, control)
        .map_err(|error| simulation::failed(error, problem))?;
    let processor_seconds = processor_seconds().zip(before).map(|(after, before)| after - before);
    let work = report.neighbor_pairs as f64 * report.iterations as f64;
    Ok(Plain {
        substeps: count,
        wall_seconds: report.wall_seconds,
        processor_seconds,
        pair_iterations_per_second: work / report.wall_seconds,
    })
}

fn record<S: Subject>(
    problem: &Problem,
    run: &Run<S>,
    plan: Plan,
    substeps: &[SubstepProfile],
    measured: &[SubstepProfile],
    plain: Plain,
    laws: &[LawCost],
) -> Result<Record, Stop> {
    let settings = &problem.scene.solver;
    let model = |material: usize| problem.models[problem.materials[material].model].descriptor().id.clone();
    let stages = stages(substeps);
    let sweeps =
        stages.iter().find(|stage| stage.name == S::LAWS).map_or(0.0, |stage| median(&stage.seconds));
    let iterations = median(&substeps.iter().map(|s| f64::from(s.iterations)).collect::<Vec<_>>());
    let total = |substeps: &[SubstepProfile]| {
        median(&substeps.iter().map(|s| s.dispatches.iter().map(|d| d.seconds).sum()).collect::<Vec<_>>())
    };
    let residuals = if measured.is_empty() { substeps } else { measured };
    let spread = run.solver().spread().map_err(|error| simulation::failed(error, problem))?;
    Ok(Record {
        tuff_profile: FORMAT,
        tuff: env!("CARGO_PKG_VERSION").to_owned(),
        scene: Scene {
            name: problem.scene.name.clone(),
            frame: plan.frame,
            particles: problem.particle_count() as u64,
            substep_seconds: problem.dt(),
            kernel_radius: settings.kernel_radius,
            iterations: settings.iterations,
            residual_tolerance: settings.residual_tolerance,
            solver: format!(
                "{:?}, {:?} plasticity, {:?} gradient, {:?} multiplier, kernel correction {}, smoothing {:?}, \
                 stabilization {}, position correction {:?}",
                settings.scheme,
                settings.plasticity,
                settings.gradient,
                settings.multiplier,
                settings.kernel_correction,
                settings.smoothing,
                settings.stabilization,
                settings.position_correction
            ),
            materials: (problem.materials.iter().enumerate())
                .map(|(index, material)| format!("{} ({})", material.name, model(index)))
                .collect(),
        },
        device: run.solver().device(),
        memory_bytes: run.solver().memory(),
        stages,
        substeps: substeps.iter().map(substep).collect(),
        plain,
        residuals: residuals.iter().filter_map(residual).collect(),
        residual_cost: if measured.is_empty() { 0.0 } else { total(measured) / total(substeps) - 1.0 },
        materials: (laws.iter())
            .map(|law| {
                let calls = law.particles as f64 * iterations * f64::from(run.solver().calls());
                Material {
                    name: problem.materials[law.material].name.clone(),
                    model: model(law.material),
                    particles: law.particles,
                    projection_ns: law.projection_ns,
                    law_ns: law.law_ns,
                    solve_share: if sweeps > 0.0 { 1e-9 * law.law_ns * calls / sweeps } else { 0.0 },
                }
            })
            .collect(),
        spread: Spread {
            particles_by_neighbors: histogram(&spread.neighbors),
            cells_by_particles: histogram(&spread.cell_particles),
            cells_of_color: spread.color_cells,
            particles_of_color: spread.color_particles,
        },
    })
}

/// Collects the stages of all substeps, in order of appearance.
fn stages(substeps: &[SubstepProfile]) -> Vec<StageRecord> {
    let by_substep: Vec<Vec<StageProfile>> = substeps.iter().map(SubstepProfile::stages).collect();
    let mut keys: Vec<(&str, Part)> = Vec::new();
    for stage in by_substep.iter().flatten() {
        if !keys.contains(&(stage.stage, stage.part)) {
            keys.push((stage.stage, stage.part));
        }
    }
    let record = |(stage, part): (&str, Part)| {
        let of = |value: fn(&StageProfile) -> f64| -> Vec<f64> {
            let find = |stages: &Vec<StageProfile>| {
                stages.iter().find(|s| s.stage == stage && s.part == part).map_or(0.0, value)
            };
            by_substep.iter().map(find).collect()
        };
        StageRecord {
            name: stage.to_owned(),
            part: part.name().to_owned(),
            dispatches: median(&of(|s| s.dispatches as f64)),
            threads: median(&of(|s| s.threads as f64)),
            bytes: median(&of(|s| s.bytes as f64)),
            seconds: of(|s| s.seconds),
        }
    };
    keys.into_iter().map(record).collect()
}

fn substep(profile: &SubstepProfile) -> Substep {
    let end = |dispatch: &DispatchProfile| dispatch.start + dispatch.seconds;
    let first = profile.dispatches.first().map_or(0.0, |first| first.start);
    Substep {
        wall_seconds: profile.wall_seconds,
        device_seconds: profile.dispatches.last().map_or(0.0, end) - first,
        iterations: profile.iterations,
        pairs: profile.pairs,
        submissions: profile.submissions,
    }
}

fn residual(profile: &SubstepProfile) -> Option<Residual> {
    let residual = profile.residual?;
    Some(Residual { iterations: profile.iterations, force: residual.force, multiplier: residual.multiplier })
}

/// Returns the processor time of this process so far, over all threads [s]; `None` where the system does not report it.
fn processor_seconds() -> Option<f64> {
    // Fields 14 and 15 of the line, counted from 1 and after the name in parentheses, are user and system time in
    // ticks, which Linux reports at 100 per second whatever the kernel uses.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
