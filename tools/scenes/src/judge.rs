//! Checks what must hold in any scene.

use std::fmt;
use std::path::Path;

use glam::DVec3;
use tuff_plugin::Library;
use tuff_problem::{
    Control, Frame, FrameReport, Problem, ProblemError, SimulationError, kernel, stiffness_warnings,
};
use tuff_run::{GpuSimulation, Simulation};
use tuff_scene::{SceneError, Scheme};
use tuff_solver::{Options, SolverError};

/// Relative slack on the maximum speed of a fall and on the energy, for rounding and the residual tolerance.
const SLACK: f64 = 0.02;

/// Maximum speed of a light body hit by a heavy one, relative to the heavy body's: like a ball dropped on top of a larger one.
const LIGHT_ON_HEAVY: f64 = 3.0;

/// A body is light if its density is below this fraction of another's.
const LIGHT: f64 = 0.5;

/// Maximum depth of a particle's center beyond a surface [spacings].
const BEYOND: f64 = 0.1;

/// Maximum cost of a frame relative to the median, and a cost that is always acceptable. Cost = iterations + 8 per substep.
const SLOWEST: f64 = 20.0;
const ALWAYS_FINE: f64 = 3000.0;

/// Maximum speed of matter at rest, as a fraction of the speed that gravity adds in a frame.
const REST: f64 = 0.1;

/// Tolerated relative change in volume of matter at rest.
const VOLUME: f64 = 0.1;

/// Something that no run may do.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The run failed.
    Failed(String),
    /// A particle was faster than a fall allows; frame, speed and bound [m/s].
    TooFast(u32, f64, f64),
    /// The energy grew; frame, energy and its bound, relative to the lowest point [J].
    Energy(u32, f64, f64),
    /// A particle lies beyond the surface of a collider; frame, name, depth [m].
    Through(u32, String, f64),
    /// A frame cost many times more than the others; frame, its cost and the median.
    Slow(u32, f64, f64),
    /// A body at rest has changed its volume; name, ratio by packing and by J.
    Volume(String, f64, f64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) => write!(f, "the run failed: {}", why.lines().next().unwrap_or_default()),
            Self::TooFast(frame, speed, most) => {
                write!(f, "frame {frame}: {speed:.3} m/s, where a fall allows {most:.3} m/s")
            }
            Self::Energy(frame, energy, most) => {
                write!(f, "frame {frame}: an energy of {energy:.4e} J, where the start allows {most:.4e} J")
            }
            Self::Through(frame, name, depth) => {
                write!(f, "frame {frame}: a particle {depth:.2e} m beyond the surface of `{name}`")
            }
            Self::Slow(frame, cost, median) => {
                write!(f, "frame {frame}: a cost of {cost:.0} where the median is {median:.0}")
            }
            Self::Volume(name, packing, j) => {
                write!(f, "body `{name}` rests with {packing:.3} of its packing and J = {j:.3}")
            }
        }
    }
}

/// Reason why a scene cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The scene is invalid, which is allowed.
    #[error("refused: {0}")]
    Refused(#[from] SceneError),
    /// Sweeps cannot balance the scene, and a warning says so.
    #[error("warned of: {0}")]
    WarnedOf(String),
    /// The scene's models cannot be used.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The device cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// Judgement of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Number of particles.
    pub particles: usize,
    /// Number of substeps in all frames.
    pub substeps: u64,
    /// Number of iterations in all frames.
    pub iterations: u64,
    /// Faults of the run; the first one of each kind.
    pub faults: Vec<Fault>,
}

/// Runs a scene on a device (the best one if none is named) and judges it.
///
/// # Errors
/// If the scene is refused, or no device can run it.
pub fn judge(text: &str, library: &Library, device: Option<&str>) -> Result<Judgement, JudgeError> {
    let descriptors: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
    let scene = tuff_scene::parse(text, Path::new("scene.toml"), &[], &descriptors)?.scene;
    let problem = match Problem::new(scene, library) {
        Ok(problem) => problem,
        Err(ProblemError::Scene(error)) => return Err(error.into()),
        Err(other) => return Err(other.into()),
    };
    if problem.scene.solver.scheme != Scheme::NewtonCg
        && let Some(warning) = stiffness_warnings(&problem).into_iter().next()
    {
        let text = warning.to_string();
        return Err(JudgeError::WarnedOf(text.lines().next().unwrap_or_default().to_owned()));
    }
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    let mut simulation = GpuSimulation::new(&problem, &options)?;
    let mut watch = Watch::of(&problem);
    let time = problem.scene.time;
    for _ in time.first_frame..time.last_frame {
        let advanced =
            simulation.advance(&Control::default()).and_then(|report| Ok((report, simulation.frame()?)));
        match advanced {
            Ok((report, frame)) => watch.see(report, &frame),
            Err(SimulationError::Failed(failure)) => {
                watch.faults.push(Fault::Failed(failure.to_string()));
                break;
            }
            Err(other) => {
                watch.faults.push(Fault::Failed(other.to_string()));
                break;
            }
        }
    }
    Ok(watch.end())
}

/// The run observed so far.
struct Watch<'a> {
    problem: &'a Problem,
    start: Vec<DVec3>,
    /// Maximum speed that a fall allows [m/s].
    fastest: f64,
    /// Initial energy relative to the lowest point, and potential energy of the lowest point [J].
    energy: f64,
    lowest: f64,
    reports: Vec<FrameReport>,
    faults: Vec<Fault>,
    last: Option<Frame>,
}

impl<'a> Watch<'a> {
    fn of(problem: &'a Problem) -> Self {
        let (scene, particles) = (&problem.scene, &problem.particles);
        let up = -scene.gravity.normalize_or_zero();
        let heights = particles.position.iter().map(|x| x.dot(up));
        let (low, high) =
            heights.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), h| (a.min(h), b.max(h)));
        // Matter may fall below a tilted floor by the distance that it travels in the time of the scene.
        let seconds = f64::from(scene.time.last_frame - scene.time.first_frame) / scene.time.frame_rate;
        let gravity = scene.gravity.length();
        let first = particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        let floor = low - first * seconds - 0.5 * gravity * seconds * seconds;
        let kinetic: f64 = (0..problem.particle_count())
            .map(|p| {
                problem.mass[p]
                    * (0.5 * particles.velocity[p].length_squared()
                        + gravity * (particles.position[p].dot(up) - floor))
            })
            .sum();
        let mass: f64 = problem.mass.iter().sum();
        let densities = scene.bodies.iter().map(|body| scene.materials[body.material].density);
        let (lightest, heaviest) =
            densities.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), d| (a.min(d), b.max(d)));
        let thrown = if lightest < LIGHT * heaviest { LIGHT_ON_HEAVY } else { 1.0 };
        Self {
            problem,
            start: particles.position.clone(),
            fastest: thrown
                * (first
                    + (2.0 * gravity * (high - floor).min(gravity * seconds * seconds + high - low)).sqrt()),
            energy: kinetic,
            lowest: mass * gravity * floor,
            reports: Vec::new(),
            faults: Vec::new(),
            last: None,
        }
    }

    /// Records the first fault of each kind.
    fn found(&mut self, fault: Fault) {
        let known = |f: &Fault| std::mem::discriminant(f) == std::mem::discriminant(&fault);
        if !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }

    fn see(&mut self, report: FrameReport, frame: &Frame) {
        let scene = &self.problem.scene;
        if report.max_speed > (1.0 + SLACK) * self.fastest {
            self.found(Fault::TooFast(report.frame, report.max_speed, self.fastest));
        }
        // Matter that starts inside something is lifted out of it.
        let lifted =
            self.problem.mass.iter().sum::<f64>() * scene.gravity.length() * scene.solver.kernel_radius;
        let most = (1.0 + SLACK) * self.energy + lifted;
        let energy =
            report.energies.kinetic + report.energies.elastic + report.energies.gravity - self.lowest;
        if energy > most {
            self.found(Fault::Energy(report.frame, energy, most));
        }
        self.look_at_surfaces(report.frame, frame);
        self.reports.push(report);
        self.last = Some(frame.clone());
    }

    /// Finds particles that lie beyond a surface, farther than at the start.
    fn look_at_surfaces(&mut self, index: u32, frame: &Frame) {
        for collider in &self.problem.scene.colliders {
            let depth = |time: f64, x: DVec3| -collider.distance(time, x);
            let deepest = (0..frame.position.len())
                .map(|p| {
                    let now = depth(frame.time, DVec3::from_array(frame.position[p]));
                    now - depth(0.0, self.start[p]).max(0.0)
                })
                .fold(f64::NEG_INFINITY, f64::max);
            if deepest > BEYOND * self.problem.scene.solver.kernel_radius {
                self.found(Fault::Through(index, collider.name.clone(), deepest));
                return;
            }
        }
    }

    fn end(mut self) -> Judgement {
        let mut costs: Vec<f64> =
            self.reports.iter().map(|r| r.iterations as f64 + 8.0 * f64::from(r.substeps)).collect();
        let slowest = costs.iter().copied().enumerate().fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        costs.sort_by(f64::total_cmp);
        let median = costs.get(costs.len() / 2).copied().unwrap_or_default();
        if slowest.1 > (SLOWEST * median).max(ALWAYS_FINE) {
            self.found(Fault::Slow(self.reports[slowest.0].frame, slowest.1, median));
        }
        self.weigh_bodies();
        Judgement {
            particles: self.problem.particle_count(),
            substeps: self.reports.iter().map(|r| u64::from(r.substeps)).sum(),
            iterations: self.reports.iter().map(|r| r.iterations).sum(),
            faults: self.faults,
        }
    }

    /// Checks that bodies at rest have kept their initial volume, judged by the packing of their particles and by J.
    fn weigh_bodies(&mut self) {
        let Some(frame) = self.last.take() else { return };
        let scene = &self.problem.scene;
        let slow = REST * scene.gravity.length() / scene.time.frame_rate;
        let now: Vec<DVec3> = frame.position.iter().map(|x| DVec3::from_array(*x)).collect();
        for (index, body) in scene.bodies.iter().enumerate() {
            let own: Vec<usize> =
                (0..now.len()).filter(|&p| self.problem.particles.body[p] as usize == index).collect();
            let fastest = own
                .iter()
                .map(|&p| frame.velocity[p].map(|v| v * v).iter().sum::<f32>().sqrt())
                .fold(0.0, f32::max);
            if f64::from(fastest) > slow || own.is_empty() {
                continue;
            }
            let packing = self.packing(&own, &now) / self.packing(&own, &self.start);
            let j = own.iter().map(|&p| f64::from(frame.volume_ratio[p])).sum::<f64>() / own.len() as f64;
            if (packing - 1.0).abs() > VOLUME || (j - 1.0).abs() > VOLUME {
                self.found(Fault::Volume(body.name.clone(), packing, j));
            }
        }
    }

    /// Returns the median density by kernel sums over the body's own particles [1/m^3]: half of them lie in the interior.
    fn packing(&self, own: &[usize], at: &[DVec3]) -> f64 {
        let radius = self.problem.scene.solver.kernel_radius;
        let sum = |p: usize| own.iter().map(|&b| kernel(at[p].distance(at[b]), radius)).sum::<f64>();
        let mut sums: Vec<f64> = own.iter().map(|&p| sum(p)).collect();
        sums.sort_by(f64::total_cmp);
        sums[sums.len() / 2]
    }
}
