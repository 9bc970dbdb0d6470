//! Kinds of matter side by side: what a pass of the default solver costs for a particle of water, a vertex of cloth or a particle of a
//! total-Lagrangian body, beside a particle of sand.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tuff_problem::profile::{Part, Profiled, SubstepProfile};
use tuff_problem::{Control, Problem, SimulationError};
use tuff_run::{Chosen, CpuSimulation, GpuSimulation, Run, Simulation, chosen};
use tuff_solver::Options;

use crate::column::median;
use crate::scene;

/// Frames before the first timed substep.
const WARM_UP: u32 = 4;

/// Frames per second: sand and water flow after [`WARM_UP`] of the longer ones, cloth moves and lies on the ball after as many short ones.
const FRAME_RATES: [u32; 2] = [100, 1000];

/// Substeps in a round.
const SUBSTEPS: u32 = 3;

/// Writes the scene of a kind with about this many particles.
type Write = fn(f64) -> String;

/// Kinds of matter. The first one is what the others are compared with.
const KINDS: [(&str, Write); 7] = [
    ("sand", sand),
    ("elastic", elastic),
    ("total", total),
    ("water", water),
    ("water in sand", mixture),
    ("cloth", cloth),
    ("cloth on a ball", cloth_on_ball),
];

/// Volume that a particle of the default sampling takes, in cubes of the kernel radius.
const PARTICLE_VOLUME: f64 = 1.19;

/// Returns the kernel radius for `particles` in a volume [m].
fn radius(volume: f64, particles: f64) -> f64 {
    (volume / (PARTICLE_VOLUME * particles)).cbrt()
}

/// Writes what all scenes share.
fn head(name: &str, frame_rate: u32, kernel_radius: f64) -> String {
    format!(
        r#"
format = 1
[scene]
name = "bench_{name}"
[time]
frame_rate = {frame_rate}.0
frames = [1, 1000]
[solver]
kernel_radius = {kernel_radius:e}
"#
    )
}

const TANK: &str = r#"
[[collider]]
name = "tank"
side = "inside"
shape = { box = { min = [-0.3, 0.0, -0.05], max = [0.3, 0.5, 0.05] } }
"#;

/// A column of 0.1 x 0.2 x 0.1 m that is let go.
fn column(name: &str, material: &str, body: &str, particles: f64) -> String {
    format!(
        r#"{}{TANK}
[[material]]
name = "matter"
{material}
[[body]]
name = "column"
material = "matter"
shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.2, 0.05] }} }}
{body}
"#,
        head(name, FRAME_RATES[0], radius(2e-3, particles))
    )
}

fn sand(particles: f64) -> String {
    column("sand", "preset = \"dry_sand\"", "", particles)
}

const ELASTIC: &str = "model = \"elastic\"\ndensity = 1000.0\nyoungs_modulus = 1e5\npoisson_ratio = 0.3";

fn elastic(particles: f64) -> String {
    column("elastic", ELASTIC, "", particles)
}

fn total(particles: f64) -> String {
    column("total", ELASTIC, "kinematics = \"total\"", particles)
}

const WATER: &str = "model = \"fluid\"\ndensity = 1000.0\nviscosity = 1e-6";

fn water(particles: f64) -> String {
    column("water", WATER, "", particles)
}

/// Water over a bed of sand, half of the particles each.
fn mixture(particles: f64) -> String {
    let column = column("mixture", WATER, "", 0.5 * particles);
    format!(
        r#"{column}
[[material]]
name = "grains"
preset = "dry_sand"
[[body]]
name = "bed"
material = "grains"
shape = {{ box = {{ min = [-0.05, 0.0, -0.05], max = [0.05, 0.2, 0.05] }} }}
[[mixture]]
fluid = "matter"
grains = "grains"
grain_diameter = 2e-3
porosity = 0.4
"#
    )
}

/// A sheet of 0.1 x 0.1 m whose cells have the size of a kernel radius, at this height [m].
fn sheet(name: &str, height: f64, particles: f64) -> String {
    let cells = (particles.sqrt() - 1.0).round().max(2.0);
    format!(
        r#"{}
[[cloth]]
name = "sheet"
grid = {{ corner = [-0.05, {height}, -0.05], u = [0.1, 0.0, 0.0], v = [0.0, 0.0, 0.1], cells = [{cells}, {cells}] }}
surface_density = 0.15
thickness = {:e}
stretch_stiffness = 200.0
bending_stiffness = 1e-5
damping = 1e-3
"#,
        head(name, FRAME_RATES[1], 0.1 / cells),
        0.5 * 0.1 / cells
    )
}

/// A sheet that hangs from one edge and touches nothing.
fn cloth(particles: f64) -> String {
    let pin = r#"
[[pin]]
body = "sheet"
region = { box = { min = [-0.06, 0.0, -0.06], max = [-0.0499, 1.0, 0.06] } }
"#;
    sheet("cloth", 0.4, particles) + pin
}

/// A sheet that lies on a ball and falls over it.
fn cloth_on_ball(particles: f64) -> String {
    let ball = r#"
[[collider]]
name = "ball"
friction = 0.4
shape = { sphere = { center = [0.0, 0.05, 0.0], radius = 0.03 } }
"#;
    sheet("cloth_on_ball", 0.0805, particles) + ball
}

/// A run that can be timed, on any device.
trait Timed {
    fn warm_up(&mut self) -> Result<(), SimulationError>;

    fn round(&mut self) -> Result<Vec<SubstepProfile>, SimulationError>;

    fn name(&self) -> String;
}

impl<S: Profiled> Timed for Run<S>
where
    Run<S>: Simulation,
{
    fn warm_up(&mut self) -> Result<(), SimulationError> {
        for _ in 0..WARM_UP {
            self.advance(&Control::default())?;
        }
        Ok(())
    }

    fn round(&mut self) -> Result<Vec<SubstepProfile>, SimulationError> {
        self.profile_substeps(0, SUBSTEPS, false, &Control::default())
    }

    fn name(&self) -> String {
        self.device_name()
    }
}

fn open(problem: &Problem, device: &str) -> Result<Box<dyn Timed>> {
    Ok(match chosen(problem, Some(device)) {
        Chosen::Cpu => Box::new(CpuSimulation::new(problem)),
        Chosen::Vulkan(device) => {
            let options = Options { device: device.map(str::to_owned), ..Options::default() };
            Box::new(GpuSimulation::new(problem, &options)?)
        }
        Chosen::Reference | Chosen::Mpm => anyhow::bail!("{device} is not timed: use cpu or a Vulkan device"),
    })
}

/// A kind of matter on a device.
struct Subject {
    kind: &'static str,
    /// Place of the device among the devices.
    device: usize,
    particles: usize,
    run: Box<dyn Timed>,
    substeps: Vec<SubstepProfile>,
}

/// Cost of a kind of matter on a device: medians over the timed substeps.
struct Cost {
    kind: &'static str,
    device: String,
    particles: usize,
    neighbors: f64,
    passes: f64,
    seconds_per_substep: f64,
    /// Time of the solve per pass and particle [s].
    pass: f64,
    /// Time of everything outside the solve per substep and particle [s].
    rest: f64,
}

impl Cost {
    fn of(subject: &Subject) -> Self {
        let particles = subject.particles as f64;
        let middle =
            |value: &dyn Fn(&SubstepProfile) -> f64| median(subject.substeps.iter().map(value).collect());
        let solve = |substep: &SubstepProfile| {
            let stages = substep.dispatches.iter();
            let solving = |part| matches!(part, Part::SolveInelastic | Part::SolveOther);
            stages.filter(|stage| solving(stage.part)).map(|stage| stage.seconds).sum::<f64>()
        };
        Self {
            kind: subject.kind,
            device: subject.run.name(),
            particles: subject.particles,
            neighbors: middle(&|substep| substep.pairs as f64) / particles,
            passes: middle(&|substep| substep.iterations.into()),
            seconds_per_substep: middle(&|substep| substep.wall_seconds),
            pass: middle(&|substep| solve(substep) / f64::from(substep.iterations.max(1))) / particles,
            rest: middle(&|substep| substep.wall_seconds - solve(substep)) / particles,
        }
    }

    fn json(&self, sand: &Cost) -> Value {
        json!({
            "kind": self.kind,
            "device": self.device,
            "particles": self.particles,
            "neighbors_per_particle": self.neighbors,
            "passes_per_substep": self.passes,
            "seconds_per_substep": self.seconds_per_substep,
            "seconds_per_pass_and_particle": self.pass,
            "seconds_outside_passes_per_particle": self.rest,
            "pass_beside_sand": self.pass / sand.pass,
            "rest_beside_sand": self.rest / sand.rest,
        })
    }
}

/// Costs of all kinds of matter on all devices.
pub struct Matter(Vec<Vec<Cost>>);

/// Times all kinds of matter, with about `particles` particles each, on every device. Rounds go through kinds and devices, so that all
/// see the same drift of the machine.
pub fn matter(particles: u32, rounds: u32, devices: &[String]) -> Result<Matter> {
    let mut subjects = Vec::new();
    for (kind, write) in KINDS {
        let problem = scene::problem(&format!("{kind}.toml"), &write(particles.into()))?;
        for (device, name) in devices.iter().enumerate() {
            let mut run = open(&problem, name).with_context(|| format!("{kind} on {name}"))?;
            run.warm_up().with_context(|| format!("{kind} on {name}"))?;
            subjects.push(Subject {
                kind,
                device,
                particles: problem.particle_count(),
                run,
                substeps: Vec::new(),
            });
        }
    }
    for _ in 0..rounds.max(1) {
        for subject in &mut subjects {
            subject.substeps.extend(subject.run.round().with_context(|| subject.kind)?);
        }
    }
    let of = |device| subjects.iter().filter(|subject| subject.device == device).map(Cost::of).collect();
    Ok(Matter((0..devices.len()).map(of).collect()))
}

impl Matter {
    /// Formats the figures as text: a table for each device.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for costs in &self.0 {
            let Some(sand) = costs.first() else { continue };
            let _ = writeln!(text, "{}", sand.device);
            let _ = writeln!(
                text,
                "  {:<16}{:>10}{:>11}{:>8}{:>13}{:>24}{:>24}",
                "kind",
                "particles",
                "neighbors",
                "passes",
                "ms/substep",
                "us/pass/particle (sand)",
                "us/particle else (sand)"
            );
            for cost in costs {
                let _ = writeln!(
                    text,
                    "  {:<16}{:>10}{:>11.1}{:>8}{:>13.2}{:>15.3} {:>8}{:>15.3} {:>8}",
                    cost.kind,
                    cost.particles,
                    cost.neighbors,
                    cost.passes,
                    1e3 * cost.seconds_per_substep,
                    1e6 * cost.pass,
                    format!("({:.2})", cost.pass / sand.pass),
                    1e6 * cost.rest,
                    format!("({:.2})", cost.rest / sand.rest),
                );
            }
        }
        text
    }

    /// Returns the figures as JSON.
    pub fn json(&self) -> Value {
        let rows = |costs: &Vec<Cost>| -> Vec<Value> {
            let sand = costs.first();
            costs.iter().filter_map(|cost| Some(cost.json(sand?))).collect()
        };
        self.0.iter().flat_map(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_about_the_particles_that_are_asked_for() {
        for (kind, write) in KINDS {
            let problem = scene::problem(kind, &write(2000.0)).unwrap();
            let count = problem.particle_count();
            assert!((1700..=2300).contains(&count), "{kind}: {count}");
        }
    }
}
