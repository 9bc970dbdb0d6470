//! Cost of substeps: time, work and declared traffic of every dispatch, and the distribution of the particles over neighborhoods, cells
//! and colors. On the CPU a dispatch is a loop over particles.

use std::time::Instant;

use crate::{Residual, SimulationError, Solver};

/// Parts of a substep in the paper's cost breakdown (Fig. 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Prediction of the velocities, which finds the collider faces near each particle.
    CollisionDetection,
    /// Binning, sorting, the search itself and the kernel correction.
    NeighborSearch,
    /// Sweeps over the inelastic constraints, with Gauss-Seidel including the position correction; forces and products of the Newton
    /// solve.
    SolveInelastic,
    /// Rest of the solve: colliders, links, other stages of the Newton solve, force residuals, and the position correction outside
    /// Gauss-Seidel sweeps.
    SolveOther,
    /// Velocity smoothing, and the colliders after it.
    Xsph,
    /// New strain, state and position.
    UpdateState,
}

impl Part {
    /// All parts, in the order of the figure.
    pub const ALL: [Part; 6] = [
        Part::CollisionDetection,
        Part::NeighborSearch,
        Part::SolveInelastic,
        Part::SolveOther,
        Part::Xsph,
        Part::UpdateState,
    ];

    /// Returns the name of the part in the figure.
    pub fn name(self) -> &'static str {
        match self {
            Part::CollisionDetection => "collision detection",
            Part::NeighborSearch => "neighbour search",
            Part::SolveInelastic => "solve inelasticity",
            Part::SolveOther => "solve other",
            Part::Xsph => "XSPH",
            Part::UpdateState => "update state",
        }
    }
}

/// One dispatch of a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DispatchProfile {
    /// Name of the stage that ran.
    pub stage: &'static str,
    /// Part of the substep that it belongs to.
    pub part: Part,
    /// Time from the start of the substep on the host to the end of all previous dispatches [s]. The clocks of host and device are
    /// aligned at the end of the submission.
    pub start: f64,
    /// Device time, including the barrier before the dispatch [s].
    pub seconds: f64,
    /// Number of invocations with work; those that only fill the last workgroup do not count.
    pub threads: u64,
    /// Declared traffic: every live element of every attribute that the stage declares, once for reading and once for writing; a
    /// colored stage moves the share of its color, so that a sweep counts each element once [bytes]. Repeated accesses to an element,
    /// whether served by caches or fetched again, do not count.
    pub bytes: u64,
}

/// All dispatches of a stage for one part of a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageProfile {
    /// Name of the stage that ran.
    pub stage: &'static str,
    /// Part of the substep that it belongs to.
    pub part: Part,
    /// Number of dispatches.
    pub dispatches: u64,
    /// Sum of their device times [s].
    pub seconds: f64,
    /// Sum of their invocations.
    pub threads: u64,
    /// Sum of their declared traffic [bytes].
    pub bytes: u64,
}

/// Profile of one substep of the scene's length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SubstepProfile {
    /// Start of the substep, relative to the start of the profile [s].
    pub start: f64,
    /// Wall time, from recording to the status block on the host [s].
    pub wall_seconds: f64,
    /// Number of submissions: 1 unless buffers had to grow, a Newton solve needed more passes, or the substep was repeated as two
    /// halves.
    pub submissions: u32,
    /// Number of iterations.
    pub iterations: u32,
    /// Number of neighbor pairs, each counted from both sides.
    pub pairs: u64,
    /// Residuals at the end, if they were computed.
    pub residual: Option<Residual>,
    /// All dispatches, in order; empty on devices without timestamps.
    pub dispatches: Vec<DispatchProfile>,
}

impl SubstepProfile {
    /// Sums the dispatches by stage and part, in the order of their first occurrence.
    pub fn stages(&self) -> Vec<StageProfile> {
        let mut stages: Vec<StageProfile> = Vec::new();
        for dispatch in &self.dispatches {
            let DispatchProfile { stage, part, seconds, threads, bytes, .. } = *dispatch;
            match stages.iter_mut().find(|s| s.stage == stage && s.part == part) {
                Some(sum) => {
                    sum.dispatches += 1;
                    sum.seconds += seconds;
                    sum.threads += threads;
                    sum.bytes += bytes;
                }
                None => stages.push(StageProfile { stage, part, dispatches: 1, seconds, threads, bytes }),
            }
        }
        stages
    }
}

/// Distribution of the particles at the last substep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spread {
    /// Number of neighbors of every particle, in the order of cells.
    pub neighbors: Vec<u32>,
    /// Number of particles in every occupied cell.
    pub cell_particles: Vec<u32>,
    /// Number of occupied cells of every color.
    pub color_cells: Vec<u32>,
    /// Number of particles of every color.
    pub color_particles: Vec<u64>,
}

/// Collects the profiles of substeps.
pub struct Collector {
    clock: Instant,
    current: Option<(Instant, SubstepProfile)>,
    finished: Vec<SubstepProfile>,
}

impl Collector {
    /// Starts the clock of a profile.
    pub fn start() -> Self {
        Self { clock: Instant::now(), current: None, finished: Vec::new() }
    }

    /// Begins a substep, unless a substep is being repeated.
    pub fn begin(&mut self) {
        let start = self.clock.elapsed().as_secs_f64();
        self.current.get_or_insert_with(|| (Instant::now(), SubstepProfile { start, ..Default::default() }));
    }

    /// Adds a submission that has just ended with this many iterations and pairs; `dispatches` returns its dispatches, given the time
    /// since the substep began [s].
    pub fn add(
        &mut self,
        [iterations, pairs]: [u32; 2],
        residual: Option<Residual>,
        dispatches: impl FnOnce(f64) -> Vec<DispatchProfile>,
    ) {
        let Some((begun, substep)) = &mut self.current else { return };
        let end = begun.elapsed().as_secs_f64();
        substep.submissions += 1;
        substep.iterations += iterations;
        substep.pairs = pairs.into();
        substep.residual = residual;
        substep.dispatches.extend(dispatches(end));
    }

    /// Ends the substep.
    pub fn end(&mut self) {
        let Some((begun, mut substep)) = self.current.take() else { return };
        substep.wall_seconds = begun.elapsed().as_secs_f64();
        self.finished.push(substep);
    }

    /// Ends the profile and returns its substeps.
    pub fn finish(self) -> Vec<SubstepProfile> {
        self.finished
    }
}

/// A solver whose substeps can be profiled. While a profile runs, every attempt must be of a single substep.
pub trait Profiled: Solver {
    /// Returns the place of the collector, which is there while a profile runs.
    fn collector(&mut self) -> &mut Option<Collector>;

    /// Returns the distribution of the particles at the last substep; empty before the first.
    ///
    /// # Errors
    /// [`SimulationError::Device`].
    fn spread(&self) -> Result<Spread, SimulationError>;
}
