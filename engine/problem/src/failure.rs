//! Failures of a simulation, and the evidence they leave for a report.

use crate::{Counters, Frame};

/// What failed, where and when.
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
    /// Point of the substep at which the failure began.
    pub point: Point,
    /// Evidence for a report; `None` if unavailable.
    pub evidence: Option<Box<Evidence>>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// A position, velocity, strain or state word is not finite, or a position is too large for f32 to tell cells apart.
    NotFinite,
    /// A neighborhood folded (`det(I + dt grad v) < 0.1`), also when the substep was repeated in parts.
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

/// A point of a substep, after the stage that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Stage, as in `shaders/stages`; [`START`] for the start of the substep, [`NEWTON_SOLVE`] after a Newton solve.
    pub stage: &'static str,
    /// Iteration, from 1; `None` outside of the iterations.
    pub iteration: Option<u32>,
    /// Color of the sweep, if known.
    pub color: Option<u32>,
}

/// The point before the first stage.
pub const START: &str = "start";

/// Point after a Newton solve, which is traced as a whole.
pub const NEWTON_SOLVE: &str = "solve_newton";

/// Where a failure began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Point after which the bad value was found.
    pub point: Point,
    /// Name of the bad quantity.
    pub quantity: &'static str,
    /// Id of the first particle with a bad value.
    pub particle: u32,
}

/// Evidence that a failed substep leaves for a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Where the failure began.
    pub origin: Origin,
    /// Number of bad particles at the end of the substep.
    pub bad: usize,
    /// Start of the substep [s after the scene's first frame].
    pub time: f64,
    /// Length of the substep, or of the part of it that failed [s].
    pub dt: f64,
    /// Limiter counts of the failed substep, which was not committed.
    pub in_substep: Counters,
    /// Limiter counts of the frame before the substep.
    pub in_frame: Counters,
    /// Limiter counts of the frame before, if there is one.
    pub in_last_frame: Option<Counters>,
    /// Particles around the first bad one at the start of the substep.
    pub surroundings: Surroundings,
}

/// Some particles of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// Ids in ascending order, shape [particle_count].
    pub id: Vec<u32>,
    /// State of the particles; particle `i` of it has the id `id[i]`.
    pub frame: Frame,
}

/// Radius of the surroundings [kernel radii].
pub const SURROUNDINGS: f64 = 6.0;

/// Neighborhood of the first bad particle at the start of the failed substep.
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
    /// Id and distance [kernel radii] of the nearest neighbor.
    pub nearest: Option<(u32, f64)>,
    /// Number of directions that the neighborhood spans: the rank of the kernel correction.
    pub rank: u32,
    /// The nearest collider and the gap to the particle's contact radius [m], at the end of the substep's motion of colliders.
    pub collider: Option<(usize, f64)>,
    /// Colliders that the particle could touch in the substep.
    pub contacts: Vec<usize>,
}

impl Point {
    /// Creates a point outside of the iterations.
    pub fn of(stage: &'static str) -> Self {
        Self { stage, iteration: None, color: None }
    }

    /// Creates a point of an iteration, counted from 1.
    pub fn in_iteration(stage: &'static str, iteration: u32, color: Option<u32>) -> Self {
        Self { stage, iteration: Some(iteration), color }
    }
}

impl Evidence {
    /// Returns the distance that the first bad particle covers in the substep at its initial velocity, in units of `radius` [m].
    pub fn travel(&self, radius: f64) -> Option<f64> {
        let at = self.surroundings.id.iter().position(|&id| id == self.origin.particle)?;
        Some(self.surroundings.travel(at, self.dt) / radius)
    }
}

impl Surroundings {
    /// Returns the distance that the particle `at` covers in `dt` [s] at its velocity [m].
    pub fn travel(&self, at: usize, dt: f64) -> f64 {
        glam::Vec3::from(self.frame.velocity[at]).as_dvec3().length() * dt
    }

    /// Returns the particles of `frame` within `reach` [m] of particle `id`, including `id` itself.
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
            Self::TooManyNeighbors => "a particle has more than 16383 neighbors",
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
