//! How a simulation fails, and what it leaves for a report.

use crate::{Counters, Frame};

/// What, where and when a simulation failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// First affected particle by id, if one is known.
    pub particle: Option<u32>,
    /// Frame that was being computed.
    pub frame: u32,
    /// Substep inside that frame, from 0.
    pub substep: u32,
    /// Where in the substep it began.
    pub point: Point,
    /// What a report needs; none when it could not be had.
    pub evidence: Option<Box<Evidence>>,
}

/// Ways to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// A position, velocity, strain or state word is not finite, or a position is beyond what f32 cells can tell apart.
    NotFinite,
    /// A neighborhood folded (`det(I + dt grad v) < 0.1`), in parts of the substep too.
    Folded,
    /// A particle has more neighbors than a list can count.
    TooManyNeighbors,
    /// A step of the material point method turned matter inside out.
    Inverted,
    /// Matter is spread over more grid nodes than the material point method lays out.
    Scattered,
    /// Waves are so fast that the material point method would need more than 100,000 steps in a substep.
    TooManySteps,
}

/// A point of a substep: what has just been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Stage, as in `shaders/stages`; [`START`] for what the substep began with, [`NEWTON_SOLVE`] after such a solve.
    pub stage: &'static str,
    /// Iteration, from 1; none outside of the iterations.
    pub iteration: Option<u32>,
    /// Color of the sweep, where that is known.
    pub color: Option<u32>,
}

/// The point before the first stage.
pub const START: &str = "start";

/// The point after a Newton solve, whose parts belong together.
pub const NEWTON_SOLVE: &str = "solve_newton";

/// Where a failure began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The point after which the bad value was there.
    pub point: Point,
    /// What was bad.
    pub quantity: &'static str,
    /// Id of the first particle that was bad.
    pub particle: u32,
}

/// What a failed substep leaves for a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Where it began.
    pub origin: Origin,
    /// Particles that were bad at the end of the substep.
    pub bad: usize,
    /// Start of the substep since the scene's first frame [s].
    pub time: f64,
    /// Length of the substep, or of the part of it that failed [s].
    pub dt: f64,
    /// What limiters did in the failed substep; it was not committed.
    pub in_substep: Counters,
    /// What limiters did in the frame before it.
    pub in_frame: Counters,
    /// What limiters did in the frame before that one, where there is one.
    pub in_last_frame: Option<Counters>,
    /// The particles about the first bad one at the start of the substep.
    pub surroundings: Surroundings,
}

/// Some particles of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// Ids in ascending order, shape [count].
    pub id: Vec<u32>,
    /// Their state; particle `i` of it has the id `id[i]`.
    pub frame: Frame,
}

/// How far surroundings reach [kernel radii].
pub const SURROUNDINGS: f64 = 6.0;

/// What the neighborhood of the first bad particle was like at the start of the failed substep.
#[derive(Debug, Clone, PartialEq)]
pub struct Examination {
    /// Index of its material.
    pub material: u32,
    /// Index of its body.
    pub body: u32,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Position [m].
    pub position: [f64; 3],
    /// Velocity [m/s].
    pub velocity: [f64; 3],
    /// Distance that the velocity covers in the substep [kernel radii].
    pub travel: f64,
    /// Principal stretches of the elastic strain, ascending [dimensionless].
    pub stretches: [f64; 3],
    /// Total volume ratio J [dimensionless].
    pub volume_ratio: f64,
    /// State words of the material.
    pub state: [f32; 4],
    /// Number of neighbors.
    pub neighbors: usize,
    /// Id and distance [kernel radii] of the nearest one.
    pub nearest: Option<(u32, f64)>,
    /// Directions that the neighborhood spans: the rank of the kernel correction.
    pub rank: u32,
    /// The nearest collider and the gap to the particle's contact radius [m], at the end of the substep's motion of colliders.
    pub collider: Option<(usize, f64)>,
    /// Colliders that the particle could touch in the substep.
    pub contacts: Vec<usize>,
}

impl Point {
    /// A point outside of the iterations.
    pub fn of(stage: &'static str) -> Self {
        Self { stage, iteration: None, color: None }
    }

    /// A point of an iteration, counted from 1.
    pub fn in_iteration(stage: &'static str, iteration: u32, color: Option<u32>) -> Self {
        Self { stage, iteration: Some(iteration), color }
    }
}

impl Evidence {
    /// Distance that the first bad particle covers in the substep by its velocity at the start, in parts of `radius` [m].
    pub fn travel(&self, radius: f64) -> Option<f64> {
        let at = self.surroundings.id.iter().position(|&id| id == self.origin.particle)?;
        Some(self.surroundings.travel(at, self.dt) / radius)
    }
}

impl Surroundings {
    /// Distance that one of them covers in `dt` [s] by its velocity [m].
    pub fn travel(&self, at: usize, dt: f64) -> f64 {
        glam::Vec3::from(self.frame.velocity[at]).as_dvec3().length() * dt
    }

    /// The particles of `frame` within `reach` [m] of particle `id`, and that one itself.
    pub fn of(frame: &Frame, id: u32, reach: f64) -> Self {
        let center = frame.position[id as usize];
        let near = |i: &usize| {
            let distance2: f64 = (0..3).map(|a| (frame.position[*i][a] - center[a]).powi(2)).sum();
            *i == id as usize || distance2 <= reach * reach
        };
        let chosen: Vec<usize> = (0..frame.position.len()).filter(near).collect();
        Self { id: chosen.iter().map(|&i| i as u32).collect(), frame: frame.select(&chosen) }
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a position, velocity or strain is not finite",
            Self::Folded => "a neighborhood folded, even in half a substep",
            Self::TooManyNeighbors => "a particle has more than 65535 neighbors",
            Self::Inverted => "a step turned matter inside out",
            Self::Scattered => "particles are spread over too many grid nodes",
            Self::TooManySteps => {
                "waves are so fast that a substep would need more than 100000 explicit steps"
            }
        })
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.stage)?;
        if let Some(iteration) = self.iteration {
            write!(f, ", iteration {iteration}")?;
        }
        self.color.map_or(Ok(()), |color| write!(f, ", color {color}"))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (stage {}, frame {}, substep {}", self.kind, self.point, self.frame, self.substep)?;
        if let Some(id) = self.particle {
            write!(f, ", particle {id}")?;
        }
        f.write_str(")")
    }
}
