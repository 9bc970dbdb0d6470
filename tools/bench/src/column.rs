//! The collapsing sand column: 0.1 x 0.1 x 0.2 m on a lattice, E = 3.537e5 Pa, rho = 1600 kg/m^3,
//! phi = 35 degrees, floor friction 0.5, kernel radius = spacing, 5 iterations.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tuff_plugin::{Library, SearchPath};
use tuff_problem::{Frame, FrameReport, Problem, Simulation};
use tuff_solver::{GpuSimulation, Options, StageProfile};

const ITERATIONS: u32 = 5;

/// A problem with `edge` particles along the short edge, in frames of `frame_rate`.
fn problem(edge: u32, max_substep: f64, frame_rate: f64) -> Result<Problem> {
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
iterations = {ITERATIONS}
[[material]]
name = "sand"
model = "drucker_prager"
density = 1600.0
youngs_modulus = 3.537e5
poisson_ratio = 0.3
friction_angle = 35.0
[[body]]
name = "column"
material = "sand"
shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.2, 0.05] }} }}
sampling = {{ kind = "lattice", spacing = {spacing:?} }}
[[collider]]
name = "floor"
shape = {{ plane = {{ point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }} }}
friction = 0.5
"#
    );
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("bench_column.toml");
    std::fs::write(&file, text)?;
    load(&file)
}

fn load(file: &Path) -> Result<Problem> {
    let library = Library::discover(&SearchPath::standard(&[]))?;
    let descriptors: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
    let loaded = tuff_scene::load(file, &[], &descriptors)?;
    Ok(Problem::new(loaded.scene, &library)?)
}

/// Throughput of a column early in its collapse.
pub struct Throughput {
    particles: u64,
    neighbors: f64,
    bytes_per_particle: f64,
    seconds_per_substep: f64,
    /// Neighbour-pair-iterations per second, whole substep included.
    pub pair_iterations_per_second: f64,
    residual: f64,
    profile: Vec<StageProfile>,
}

/// Times `substeps` substeps of 1e-4 s after as many that warm up, then profiles as many again.
pub fn throughput(edge: u32, substeps: u32, device: Option<&str>) -> Result<Throughput> {
    let problem = problem(edge, 1e-4, 24.0)?;
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    let mut simulation = GpuSimulation::new(&problem, &options)?;
    let go = AtomicBool::new(false);
    simulation.advance_substeps(substeps, &go)?;
    let clock = Instant::now();
    let report = simulation.advance_substeps(substeps, &go)?;
    let seconds = clock.elapsed().as_secs_f64() / f64::from(report.substeps);
    simulation.enable_profile();
    simulation.advance_substeps(substeps, &go)?;
    let particles = problem.particle_count() as u64;
    let pair_iterations =
        report.neighbor_pairs as f64 * report.iterations as f64 / f64::from(report.substeps);
    Ok(Throughput {
        particles,
        neighbors: report.neighbor_pairs as f64 / particles as f64,
        bytes_per_particle: simulation.memory() as f64 / particles as f64,
        seconds_per_substep: seconds,
        pair_iterations_per_second: pair_iterations / seconds,
        residual: report.residual.force,
        profile: simulation.profile().iter().filter(|p| p.dispatches > 0).cloned().collect(),
    })
}

impl Throughput {
    /// The figures as text, with the machine's gather rate beside them.
    pub fn table(&self, gathered: f64) -> String {
        let total: f64 = self.profile.iter().map(|p| p.seconds).sum();
        let mut text = format!(
            "{} particles: {:.1} M pair-iterations/s ({:.3} per gathered vec4 at {:.1} M/s), {:.2} ms a substep,\n  \
             {:.2} neighbors and {:.0} bytes a particle, force residual {:.2e}\n",
            self.particles,
            self.pair_iterations_per_second * 1e-6,
            self.pair_iterations_per_second / gathered,
            gathered * 1e-6,
            self.seconds_per_substep * 1e3,
            self.neighbors,
            self.bytes_per_particle,
            self.residual,
        );
        let mut rows: Vec<&StageProfile> = self.profile.iter().collect();
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        for row in rows.iter().filter(|row| row.seconds > 0.003 * total) {
            let share = 100.0 * row.seconds / total;
            let _ = writeln!(text, "  {:<20} {:>5.1} %  {:>6} dispatches", row.name, share, row.dispatches);
        }
        text
    }

    /// The figures as JSON.
    pub fn json(&self) -> Value {
        let stages: serde_json::Map<String, Value> =
            self.profile.iter().map(|p| (p.name.to_owned(), json!(p.seconds))).collect();
        json!({
            "particles": self.particles,
            "neighbors_per_particle": self.neighbors,
            "bytes_per_particle": self.bytes_per_particle,
            "seconds_per_substep": self.seconds_per_substep,
            "pair_iterations_per_second": self.pair_iterations_per_second,
            "force_residual": self.residual,
            "stage_seconds": stages,
        })
    }
}

/// A second of the 8,192-particle column at a substep of 1e-3 s.
pub struct Collapse {
    wall_seconds: f64,
    report: FrameReport,
    run_out: f64,
    height: f64,
}

/// Runs it.
pub fn collapse(device: Option<&str>) -> Result<Collapse> {
    let problem = problem(16, 1e-3, 24.0)?;
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    let mut simulation = GpuSimulation::new(&problem, &options)?;
    let go = AtomicBool::new(false);
    let clock = Instant::now();
    let mut report = FrameReport::default();
    for _ in 0..24 {
        report = simulation.advance(&go).context("collapse of the column")?;
    }
    let wall_seconds = clock.elapsed().as_secs_f64();
    let frame = simulation.frame()?;
    Ok(Collapse { wall_seconds, report, run_out: run_out(&frame), height: axis_height(&frame) })
}

/// Radius about the y axis that holds 98.5 % of the particles [m].
fn run_out(frame: &Frame) -> f64 {
    let mut radii: Vec<f64> = frame.position.iter().map(|p| p[0].hypot(p[2])).collect();
    radii.sort_by(f64::total_cmp);
    radii[(0.985 * radii.len() as f64) as usize]
}

/// Height of the pile on its axis from the volume within 0.02 m of it [m].
fn axis_height(frame: &Frame) -> f64 {
    let radius = 0.02;
    let within = frame.position.iter().filter(|p| p[0].hypot(p[2]) < radius).count();
    let volume = 0.1 * 0.1 * 0.2 / frame.position.len() as f64;
    within as f64 * volume / (std::f64::consts::PI * radius * radius)
}

impl std::fmt::Display for Collapse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "8192 particles, max_substep 1e-3, {ITERATIONS} iterations: {:.1} wall seconds for a simulated second, \
             run-out {:.4} m, height {:.4} m, force residual {:.2e}",
            self.wall_seconds, self.run_out, self.height, self.report.residual.force
        )
    }
}

impl Collapse {
    /// The figures as JSON.
    pub fn json(&self) -> Value {
        json!({
            "wall_seconds_per_simulated_second": self.wall_seconds,
            "run_out_m": self.run_out,
            "height_m": self.height,
            "force_residual": self.report.residual.force,
        })
    }
}
