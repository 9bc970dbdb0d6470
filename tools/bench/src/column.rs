//! The collapsing column, of sand or other matter: 0.1 x 0.1 x 0.2 m on a lattice, E = 3.537e5 Pa, rho = 1600 kg/m^3,
//! phi = 35 degrees, floor friction 0.5, kernel radius = spacing, 5 iterations.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tuff_problem::profile::SubstepProfile;
use tuff_problem::{Control, Frame, FrameReport, Problem};
use tuff_run::{GpuSimulation, Simulation};
use tuff_solver::Options;

use crate::gather::Gather;
use crate::scene;

const ITERATIONS: u32 = 5;

/// Materials of the column: name, model and parameters.
const MATERIALS: [(&str, &str); 9] = [
    ("drucker_prager", "model = \"drucker_prager\"\nfriction_angle = 35.0"),
    ("elastic", "model = \"elastic\""),
    ("von_mises", "model = \"von_mises\"\nyield_stress = 1000.0"),
    ("nacc", "model = \"nacc\"\nM = 1.85"),
    ("herschel_bulkley_0.3", "model = \"herschel_bulkley\"\nyield_stress = 100.0\neta = 10.0\npower = 0.3"),
    ("herschel_bulkley_3", "model = \"herschel_bulkley\"\nyield_stress = 100.0\neta = 10.0\npower = 3.0"),
    ("snow", "model = \"snow\""),
    (
        "viscoelastic",
        "model = \"viscoelastic\"\nbranch_shear_modulus = 2e5\nbranch_bulk_modulus = 2e5\nshear_relaxation_time = 0.1",
    ),
    ("orthotropic", "model = \"orthotropic\"\nfiber_stiffness_1 = 2e5\nfiber_stiffness_2 = 1e5"),
];

/// Default material of the column.
pub const SAND: &str = MATERIALS[0].0;

/// Returns the names of the materials.
pub fn materials() -> impl Iterator<Item = &'static str> {
    MATERIALS.iter().map(|(name, _)| *name)
}

/// How a column is simulated.
#[derive(Debug, Clone, Copy)]
struct Setup {
    max_substep: f64,
    frame_rate: f64,
    iterations: u32,
    residual_tolerance: f64,
}

/// Short substeps with few iterations.
const THROUGHPUT: Setup =
    Setup { max_substep: SUBSTEP, frame_rate: 24.0, iterations: ITERATIONS, residual_tolerance: 0.0 };

/// Length of the substeps whose throughput is measured [s].
const SUBSTEP: f64 = 1e-4;

/// Maximum number of iterations to reach a residual.
const MAX_ITERATIONS: u32 = 200;

/// Builds a problem with `edge` particles along the short edge.
fn problem(edge: u32, material: &str, setup: Setup) -> Result<Problem> {
    let Setup { max_substep, frame_rate, iterations, residual_tolerance } = setup;
    let law = MATERIALS.iter().find(|(name, _)| *name == material).map(|(_, law)| *law);
    let law = law.with_context(|| {
        format!(
            "no material `{material}` in this benchmark; there are {}",
            materials().collect::<Vec<_>>().join(", ")
        )
    })?;
    let spacing = 0.1 / f64::from(edge);
    let text = format!(
        r#"
format = 1
[scene]
name = "bench_column"
[time]
frame_rate = {frame_rate:?}
frames = [1, 2]
max_substep = {max_substep:e}
[solver]
kernel_radius = {spacing:?}
scheme = "gauss_seidel"
iterations = {iterations}
residual_tolerance = {residual_tolerance:e}
[[material]]
name = "matter"
density = 1600.0
youngs_modulus = 3.537e5
poisson_ratio = 0.3
{law}
[[body]]
name = "column"
material = "matter"
shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.2, 0.05] }} }}
sampling = {{ kind = "lattice", spacing = {spacing:?} }}
[[collider]]
name = "floor"
shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}
friction = 0.5
"#
    );
    scene::problem("bench_column.toml", &text)
}

/// Number of substeps in a round.
const SUBSTEPS: u32 = 4;

/// Throughput of a column early in its collapse.
pub struct Throughput {
    material: String,
    particles: u64,
    neighbors: f64,
    bytes_per_particle: f64,
    seconds_per_substep: f64,
    /// Neighbor-pair-iterations per second, including the rest of the substep.
    pair_iterations_per_second: f64,
    gathered_per_second: f64,
    /// Pair-iterations per gathered vec4, best round and median.
    ratio: [f64; 2],
    residual: f64,
    goal: Option<Goal>,
    profile: Vec<StageTime>,
}

/// Device time of a stage over several substeps.
struct StageTime {
    name: &'static str,
    dispatches: u64,
    seconds: f64,
}

/// Sums the device times of several substeps by stage, in order of appearance.
fn stage_times(substeps: &[SubstepProfile]) -> Vec<StageTime> {
    let mut times: Vec<StageTime> = Vec::new();
    for stage in substeps.iter().flat_map(SubstepProfile::stages) {
        let name = stage.stage;
        match times.iter_mut().find(|time| time.name == name) {
            Some(time) => {
                time.dispatches += stage.dispatches;
                time.seconds += stage.seconds;
            }
            None => times.push(StageTime { name, dispatches: stage.dispatches, seconds: stage.seconds }),
        }
    }
    times
}

/// Cost of bringing the force residual below a target: the number of iterations, and the time of a substep with as many iterations. The
/// time excludes checking the residual and the empty dispatches of iterations that are not needed.
struct Goal {
    tolerance: f64,
    iterations: u32,
    /// Force residual after these iterations.
    residual: f64,
    seconds_per_substep: f64,
}

/// Number of timed substeps.
const GOAL_SUBSTEPS: u32 = 3;

fn goal(edge: u32, material: &str, tolerance: f64, device: Option<&str>) -> Result<Goal> {
    let open = |setup: Setup| -> Result<GpuSimulation> {
        let options = Options { device: device.map(str::to_owned), ..Options::default() };
        Ok(GpuSimulation::new(&problem(edge, material, setup)?, &options)?)
    };
    let go = Control::default();
    let looking = Setup { iterations: MAX_ITERATIONS, residual_tolerance: tolerance, ..THROUGHPUT };
    let mut simulation = open(looking)?;
    simulation.advance_substeps(1, &go)?;
    let report = simulation.advance_substeps_from(1, 1, &go)?;
    drop(simulation);
    let iterations = report.iterations as u32;
    let mut simulation = open(Setup { iterations, ..THROUGHPUT })?;
    simulation.set_measured(false);
    simulation.advance_substeps(1, &go)?;
    let seconds = simulation.advance_substeps_from(1, GOAL_SUBSTEPS, &go)?.wall_seconds;
    Ok(Goal {
        tolerance,
        iterations,
        residual: report.residual.force,
        seconds_per_substep: seconds / f64::from(GOAL_SUBSTEPS),
    })
}

/// Returns the upper median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Times `rounds` rounds of substeps of 1e-4 s after a warm-up round, then profiles one more round and, if `tolerance` is given, finds
/// the iterations that bring the force residual below it.
pub fn throughput(
    edge: u32,
    material: &str,
    rounds: u32,
    tolerance: Option<f64>,
    device: Option<&str>,
) -> Result<Throughput> {
    let problem = problem(edge, material, THROUGHPUT)?;
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    let mut simulation = GpuSimulation::new(&problem, &options)?;
    let mut gather = Gather::new(device)?;
    let go = Control::default();
    simulation.set_measured(false);
    simulation.advance_substeps(SUBSTEPS, &go)?;
    let (mut substeps, mut gathers, mut pairs) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds.max(1) {
        let before = gather.seconds_per_vec4()?;
        let clock = Instant::now();
        pairs = simulation.advance_substeps(SUBSTEPS, &go)?.neighbor_pairs;
        substeps.push(clock.elapsed().as_secs_f64() / f64::from(SUBSTEPS));
        gathers.push(0.5 * (before + gather.seconds_per_vec4()?));
    }
    let pair_iterations = pairs as f64 * f64::from(ITERATIONS);
    let ratios = |(substep, gather): (&f64, &f64)| pair_iterations / substep * gather;
    let ratios: Vec<f64> = substeps.iter().zip(&gathers).map(ratios).collect();
    simulation.set_measured(true);
    let residual = simulation.advance_substeps(1, &go)?.residual.force;
    let profile = stage_times(&simulation.profile_substeps(0, SUBSTEPS, false, &go)?);
    let particles = problem.particle_count() as u64;
    let best = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
    let bytes_per_particle = simulation.solver().memory() as f64 / particles as f64;
    drop(simulation);
    Ok(Throughput {
        material: material.to_owned(),
        particles,
        neighbors: pairs as f64 / particles as f64,
        bytes_per_particle,
        seconds_per_substep: best(&substeps),
        pair_iterations_per_second: pair_iterations / best(&substeps),
        gathered_per_second: 1.0 / best(&gathers),
        ratio: [ratios.iter().copied().fold(0.0, f64::max), median(ratios)],
        residual,
        goal: tolerance.map(|tolerance| goal(edge, material, tolerance, device)).transpose()?,
        profile,
    })
}

/// Lists the shares of the stages, largest first.
fn split(profile: &[StageTime]) -> String {
    let total: f64 = profile.iter().map(|p| p.seconds).sum();
    let mut rows: Vec<&StageTime> = profile.iter().filter(|p| p.seconds > 0.003 * total).collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let mut text = String::new();
    for row in rows {
        let share = 100.0 * row.seconds / total;
        let each = 1e6 * row.seconds / row.dispatches as f64;
        let name = row.name;
        let _ =
            writeln!(text, "  {name:<20} {share:>5.1} %  {:>6} dispatches of {each:>7.0} us", row.dispatches);
    }
    text
}

impl Throughput {
    /// Formats the figures as text.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{} particles of {}: {:.1} M pair-iterations/s, {:.2} ms a substep (best round), {:.0} s for a simulated \
             second;\n  \
             {:.3} pair-iterations per gathered vec4 (median of rounds; best {:.3}; {:.1} M gathered/s);\n  \
             {:.2} neighbors and {:.0} bytes a particle, force residual {:.2e}\n",
            self.particles,
            self.material,
            self.pair_iterations_per_second * 1e-6,
            self.seconds_per_substep * 1e3,
            self.seconds_per_substep / SUBSTEP,
            self.ratio[1],
            self.ratio[0],
            self.gathered_per_second * 1e-6,
            self.neighbors,
            self.bytes_per_particle,
            self.residual,
        );
        if let Some(goal) = &self.goal {
            let _ = writeln!(
                text,
                "  force residual below {:e}: {:.2} ms a substep, {} iterations (reached {:.2e})",
                goal.tolerance,
                goal.seconds_per_substep * 1e3,
                goal.iterations,
                goal.residual
            );
        }
        text += &split(&self.profile);
        text
    }

    /// Returns the figures as JSON.
    pub fn json(&self) -> Value {
        let goal = self.goal.as_ref().map(|goal| {
            json!({
                "force_residual_below": goal.tolerance,
                "reached": goal.residual < goal.tolerance,
                "force_residual": goal.residual,
                "seconds_per_substep": goal.seconds_per_substep,
                "iterations": goal.iterations,
            })
        });
        let stages: serde_json::Map<String, Value> =
            self.profile.iter().map(|p| (p.name.to_owned(), json!(p.seconds))).collect();
        json!({
            "material": self.material,
            "particles": self.particles,
            "neighbors_per_particle": self.neighbors,
            "bytes_per_particle": self.bytes_per_particle,
            "substep_seconds": SUBSTEP,
            "iterations": ITERATIONS,
            "seconds_per_substep": self.seconds_per_substep,
            "wall_seconds_per_simulated_second": self.seconds_per_substep / SUBSTEP,
            "pair_iterations_per_second": self.pair_iterations_per_second,
            "gathered_vec4_per_second": self.gathered_per_second,
            "pair_iterations_per_gathered_vec4": { "best": self.ratio[0], "median": self.ratio[1] },
            "force_residual": self.residual,
            "time_to_residual": goal,
            "stage_seconds": stages,
        })
    }
}

/// One second of the 8,192-particle column with substeps of 1e-3 s.
pub struct Collapse {
    wall_seconds: f64,
    gathered_per_second: f64,
    /// Pair-iterations per gathered vec4 over the whole second.
    ratio: f64,
    report: FrameReport,
    run_out: f64,
    height: f64,
    /// Profile of some substeps at the end.
    profile: Vec<StageTime>,
}

const FRAMES: u32 = 24;

/// Runs the collapse, with a gather kernel before each frame.
pub fn collapse(device: Option<&str>) -> Result<Collapse> {
    let setup = Setup { max_substep: 1e-3, frame_rate: f64::from(FRAMES), ..THROUGHPUT };
    let problem = problem(16, SAND, setup)?;
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    let mut simulation = GpuSimulation::new(&problem, &options)?;
    let mut gather = Gather::new(device)?;
    let go = Control::default();
    let (mut wall_seconds, mut pair_iterations, mut gathering) = (0.0, 0.0, 0.0);
    let mut report = FrameReport::default();
    for _ in 0..FRAMES {
        gathering += gather.seconds_per_vec4()? / f64::from(FRAMES);
        let clock = Instant::now();
        report = simulation.advance(&go).context("collapse of the column")?;
        wall_seconds += clock.elapsed().as_secs_f64();
        pair_iterations += report.neighbor_pairs as f64 * report.iterations as f64;
    }
    let ratio = pair_iterations / wall_seconds * gathering;
    let frame = simulation.frame()?;
    let (run_out, height) = (run_out(&frame), axis_height(&frame));
    let profile = stage_times(&simulation.profile_substeps(0, SUBSTEPS, false, &go)?);
    let gathered_per_second = 1.0 / gathering;
    Ok(Collapse { wall_seconds, gathered_per_second, ratio, report, run_out, height, profile })
}

/// Returns the radius around the y axis that contains 98.5 % of the particles [m].
fn run_out(frame: &Frame) -> f64 {
    let mut radii: Vec<f64> = frame.position.iter().map(|p| p[0].hypot(p[2])).collect();
    radii.sort_by(f64::total_cmp);
    radii[(0.985 * radii.len() as f64) as usize]
}

/// Returns the height of the pile on its axis, from the volume within 0.02 m of the axis [m].
fn axis_height(frame: &Frame) -> f64 {
    let radius = 0.02;
    let within = frame.position.iter().filter(|p| p[0].hypot(p[2]) < radius).count();
    let volume = 0.1 * 0.1 * 0.2 / frame.position.len() as f64;
    within as f64 * volume / (std::f64::consts::PI * radius * radius)
}

impl std::fmt::Display for Collapse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "8192 particles, max_substep 1e-3, {ITERATIONS} iterations: {:.1} wall seconds for a simulated second \
             at {:.1} M gathered/s ({:.3} pair-iterations per gathered vec4), run-out {:.4} m, height {:.4} m, force \
             residual {:.2e}; at the end",
            self.wall_seconds,
            self.gathered_per_second * 1e-6,
            self.ratio,
            self.run_out,
            self.height,
            self.report.residual.force
        )?;
        f.write_str(&split(&self.profile))
    }
}

impl Collapse {
    /// Returns the figures as JSON.
    pub fn json(&self) -> Value {
        json!({
            "wall_seconds_per_simulated_second": self.wall_seconds,
            "gathered_vec4_per_second": self.gathered_per_second,
            "pair_iterations_per_gathered_vec4": self.ratio,
            "run_out_m": self.run_out,
            "height_m": self.height,
            "force_residual": self.report.residual.force,
        })
    }
}
