//! Checks what must hold in any scene.

use std::fmt;
use std::path::PathBuf;

use glam::DVec3;
use tuff_plugin::Library;
use tuff_problem::{
    Control, Frame, FrameReport, Problem, ProblemError, SimulationError, kernel, stiffness_warnings,
};
use tuff_run::OpenError;
use tuff_scene::{Body, BodyKind, Overlap, SceneError, Scheme};

use crate::draw::Drawn;

/// Relative slack on the maximum speed of a fall and on the energy, for rounding and the residual tolerance.
const SLACK: f64 = 0.02;

/// Maximum speed of a light body hit by a heavy one, relative to the heavy body's: like a ball dropped on top of a larger one.
const LIGHT_ON_HEAVY: f64 = 3.0;

/// A body is light if its density is below this fraction of another's.
const LIGHT: f64 = 0.5;

/// Maximum depth of a particle's center, or of the largest ball around that of a rigid body, beyond a surface [spacings].
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
    /// A particle or a rigid body was faster than a fall allows; frame, speed and bound [m/s].
    TooFast(u32, f64, f64),
    /// The energy grew; frame, energy and its bound, relative to the lowest point [J].
    Energy(u32, f64, f64),
    /// A particle or a rigid body lies beyond a surface; frame, name, depth [m].
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
                write!(f, "frame {frame}: matter {depth:.2e} m beyond the surface of `{name}`")
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
    /// A warning says what is wrong with the scene: sweeps cannot balance it, or pins or contact with cloth stretch something from the start.
    #[error("warned of: {0}")]
    WarnedOf(String),
    /// The scene's models cannot be used.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The device cannot be used.
    #[error(transparent)]
    Device(#[from] OpenError),
    /// The scene's mesh files cannot be written.
    #[error("{}: {}", .0.display(), .1)]
    NotWritten(PathBuf, std::io::Error),
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

/// Runs a scene on a device (the one that runs take by default if none is named) and judges it. Its mesh files are written to a
/// temporary folder.
///
/// # Errors
/// If the scene is refused, or no device can run it.
pub fn judge(drawn: &Drawn, library: &Library, device: Option<&str>) -> Result<Judgement, JudgeError> {
    let folder = tempfile::tempdir().map_err(|error| JudgeError::NotWritten(std::env::temp_dir(), error))?;
    for (name, content) in &drawn.files {
        let file = folder.path().join(name);
        std::fs::write(&file, content).map_err(|error| JudgeError::NotWritten(file, error))?;
    }
    let descriptors: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
    let path = folder.path().join("scene.toml");
    let scene = tuff_scene::parse(&drawn.text, &path, &[], &descriptors)?.scene;
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
    if problem.overlaps.iter().any(Overlap::stretches) {
        return Err(JudgeError::WarnedOf("pins hold something in a collider that pushes it out".to_owned()));
    }
    if !problem.pierced.is_empty() {
        return Err(JudgeError::WarnedOf("a rope or cloth passes through cloth".to_owned()));
    }
    let mut simulation = tuff_run::open(&problem, device)?;
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
    /// Initial positions of the particles, and centers of the rigid bodies [m].
    start: Vec<DVec3>,
    solids: Vec<DVec3>,
    /// Maximum speed that a fall allows [m/s].
    fastest: f64,
    /// Point at which nothing has potential energy, below everything that a run of this time reaches [m].
    floor: f64,
    /// Initial energy relative to the floor [J], and initial mass [kg].
    energy: f64,
    mass: f64,
    reports: Vec<FrameReport>,
    faults: Vec<Fault>,
    last: Option<Frame>,
}

impl<'a> Watch<'a> {
    fn of(problem: &'a Problem) -> Self {
        let (scene, particles) = (&problem.scene, &problem.particles);
        let gravity = scene.gravity.length();
        let seconds = f64::from(scene.time.last_frame - scene.time.first_frame) / scene.time.frame_rate;
        let rigid: Vec<_> = problem.rigid.initial().into_iter().enumerate().collect();
        // What moves at the start: mass, position and speed. What emitters add later is as high and as fast as their shapes.
        let points = (0..problem.particle_count())
            .map(|p| (problem.mass[p], particles.position[p], particles.velocity[p].length()));
        let solids = rigid
            .iter()
            .map(|(i, state)| (problem.rigid.mass(*i), state.position, problem.rigid.max_speed(*i, state)));
        let moving: Vec<_> = points.chain(solids).collect();
        let up = -scene.gravity.normalize_or_zero();
        let emitted = scene.emitters.iter().map(|emitter| {
            let body = &scene.bodies[emitter.body];
            (top(body, up), body.velocity.length())
        });
        let all = moving.iter().map(|&(_, x, speed)| (x.dot(up), speed)).chain(emitted);
        let (low, high, first) = all
            .fold((f64::INFINITY, f64::NEG_INFINITY, 0.0_f64), |(low, high, first), (height, speed)| {
                (low.min(height), high.max(height), first.max(speed))
            });
        // Matter may fall below a tilted floor by the distance that it travels in the time of the scene.
        let floor = low - first * seconds - 0.5 * gravity * seconds * seconds;
        let energy = moving.iter().map(|&(m, x, v)| m * (0.5 * v * v + gravity * (x.dot(up) - floor))).sum();
        let fall = (2.0 * gravity * (high - floor).min(gravity * seconds * seconds + high - low)).sqrt();
        Self {
            problem,
            start: particles.position.clone(),
            solids: rigid.iter().map(|(_, state)| state.position).collect(),
            fastest: thrown(problem) * (first + fall),
            floor,
            energy,
            mass: moving.iter().map(|moving| moving.0).sum(),
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
        // Cloth and ropes may be as fast as what stretches them has energy for: an elastic thread under a heavy load.
        let linked: Vec<bool> = self.problem.scene.bodies.iter().map(|body| linked(&body.kind)).collect();
        let points = (0..frame.velocity.len())
            .filter(|&p| !linked[frame.body[p] as usize])
            .map(|p| DVec3::from_array(frame.velocity[p].map(f64::from)).length());
        let solids = frame.rigid.iter().map(|state| DVec3::from_array(state.velocity).length());
        // A speed that is not a number counts as the highest.
        let higher = |a: f64, b: f64| if b.is_nan() || b > a { b } else { a };
        let speed = points.chain(solids).fold(0.0, higher);
        if speed.is_nan() || speed > (1.0 + SLACK) * self.fastest {
            self.found(Fault::TooFast(report.frame, speed, self.fastest));
        }
        let (energy, most) = self.energies(&report, frame);
        if energy.is_nan() || energy > most {
            self.found(Fault::Energy(report.frame, energy, most));
        }
        self.look_at_surfaces(report.frame, frame);
        self.reports.push(report);
        self.last = Some(frame.clone());
    }

    /// Returns the energy of a frame relative to the floor, and what it may be at most [J].
    fn energies(&self, report: &FrameReport, frame: &Frame) -> (f64, f64) {
        let scene = &self.problem.scene;
        let gravity = scene.gravity.length();
        let up = -scene.gravity.normalize_or_zero();
        let (mut most, mut mass) = (self.energy, self.mass);
        for emitter in &scene.emitters {
            let body = &scene.bodies[emitter.body];
            let density = scene.materials[body.material].density;
            // The first layer may be there from the start.
            let later = |p: &usize| {
                frame.body[*p] as usize == emitter.body && frame.id(*p) as usize >= self.start.len()
            };
            let volume: f64 =
                (0..frame.position.len()).filter(later).map(|p| f64::from(frame.rest_volume[p])).sum();
            let added = density * volume;
            most += added * (0.5 * body.velocity.length_squared() + gravity * (top(body, up) - self.floor));
            mass += added;
        }
        let energies = &report.energies;
        let energy = energies.kinetic + energies.elastic + energies.gravity - mass * gravity * self.floor;
        // Matter that starts inside something is lifted out of it.
        (energy, (1.0 + SLACK) * most + mass * gravity * scene.solver.kernel_radius)
    }

    /// Finds matter in colliders and rigid bodies, and rigid bodies in colliders, deeper than at the start. Sheets have no inside.
    fn look_at_surfaces(&mut self, index: u32, frame: &Frame) {
        let scene = &self.problem.scene;
        let at_start = scene.obstacles();
        for (which, obstacle) in frame.obstacles(scene, frame.time).iter().enumerate() {
            let before = |x: DVec3, reach: f64| (reach - at_start[which].distance(0.0, x)).max(0.0);
            let now = |x: [f64; 3], reach: f64| reach - obstacle.distance(frame.time, DVec3::from_array(x));
            let point = |p: usize| {
                let start = self.start.get(frame.id(p) as usize);
                now(frame.position[p], 0.0) - start.map_or(0.0, |&start| before(start, 0.0))
            };
            let solid = |i: usize| {
                let start = self.solids[i];
                let reach = -scene.rigid[i].shape.signed_distance(start);
                now(frame.rigid[i].center, reach) - before(start, reach)
            };
            // Of rigid bodies in each other nothing is asked: the largest ball around the center may not reach where they touch.
            let solids = if which < scene.colliders.len() { frame.rigid.len() } else { 0 };
            let depths = (0..frame.position.len()).map(point).chain((0..solids).map(solid));
            let deepest = depths.fold(f64::NEG_INFINITY, f64::max);
            if deepest > BEYOND * scene.solver.kernel_radius {
                self.found(Fault::Through(index, obstacle.name.clone(), deepest));
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
        let matter = |kind: &BodyKind| matches!(kind, BodyKind::Matter | BodyKind::Total { .. });
        for (index, body) in scene.bodies.iter().enumerate().filter(|(_, body)| matter(&body.kind)) {
            let own: Vec<usize> = (0..now.len()).filter(|&p| frame.body[p] as usize == index).collect();
            let fastest = own
                .iter()
                .map(|&p| frame.velocity[p].map(|v| v * v).iter().sum::<f32>().sqrt())
                .fold(0.0, f32::max);
            if f64::from(fastest) > slow || own.is_empty() {
                continue;
            }
            let ids: Vec<usize> = own.iter().map(|&p| frame.id(p) as usize).collect();
            let packing = self.packing(&own, &now) / self.packing(&ids, &self.start);
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

/// Returns how much faster than a fall matter may be that is hit by something heavier: a light body, cloth or a rope.
fn thrown(problem: &Problem) -> f64 {
    let scene = &problem.scene;
    let densities = scene.bodies.iter().map(|body| scene.materials[body.material].density);
    let solids = scene.rigid.iter().map(|rigid| rigid.weight.density(rigid.shape.volume()));
    let (lightest, heaviest) = densities
        .chain(solids)
        .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), d| (least.min(d), most.max(d)));
    let whipped = scene.bodies.iter().any(|body| linked(&body.kind));
    if whipped || lightest < LIGHT * heaviest { LIGHT_ON_HEAVY } else { 1.0 }
}

/// Returns the height of the highest point of a body's bounds [m].
fn top(body: &Body, up: DVec3) -> f64 {
    let bounds = body.shape.bounds();
    bounds.min.dot(up).max(bounds.max.dot(up))
}

fn linked(kind: &BodyKind) -> bool {
    matches!(kind, BodyKind::Rope(_) | BodyKind::Cloth(_))
}
