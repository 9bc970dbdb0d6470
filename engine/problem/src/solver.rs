//! The interface between a run and a solver: attempts at substeps, and the state between them.

use tuff_scene::Motion;

use crate::{
    Counters, FailureKind, Frame, FrameReport, Origin, Point, Problem, Replacement, SimulationError,
    Surroundings,
};

/// The interval of a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Time at its start [s].
    pub time: f64,
    /// Length [s].
    pub dt: f64,
}

impl Step {
    /// Time at its end [s].
    pub fn end(&self) -> f64 {
        self.time + self.dt
    }
}

/// A batch of consecutive substeps of equal length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// Start of the frame [s after the first frame].
    pub frame: f64,
    /// Index of the first substep, in steps of `dt` from the start of the frame.
    pub first: u32,
    /// Length of each [s].
    pub dt: f64,
    /// How many.
    pub count: u32,
    /// How often these substeps have been halved.
    pub halvings: u32,
    /// Whether to compute the residuals at the end of the last substep.
    pub measured: bool,
}

impl Steps {
    /// Returns the interval of the substep with this index in the batch.
    pub fn step(&self, index: u32) -> Step {
        Step { time: self.frame + f64::from(self.first + index) * self.dt, dt: self.dt }
    }

    /// Returns a batch of the substep with this index alone.
    pub fn only(&self, index: u32) -> Self {
        Self {
            first: self.first + index,
            count: 1,
            measured: self.measured && index + 1 == self.count,
            ..*self
        }
    }

    /// Splits a single substep into its two halves.
    pub fn halves(&self) -> [Self; 2] {
        [0, 1].map(|half| Self {
            first: 2 * self.first + half,
            dt: 0.5 * self.dt,
            halvings: self.halvings + 1,
            measured: self.measured && half == 1,
            ..*self
        })
    }
}

/// Outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Number of substeps completed, counted from the first. Can be less than requested without a refusal; the caller then asks for the
    /// rest.
    pub completed: u32,
    /// Why the next substep was rejected, if it was. The state is then the one at its start.
    pub refusal: Option<Refusal>,
}

/// Why a substep was rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// The Newton solve stopped far from force balance.
    Unbalanced,
    /// The state became unusable; with the id of the particle that shows it, if known.
    Broken(FailureKind, Option<u32>),
}

/// Diagnosis of a failed substep.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Point of the substep at which the failure began.
    pub point: Point,
    /// Id of the first affected particle, if known.
    pub particle: Option<u32>,
    /// Details; `None` if the solver does not diagnose failures.
    pub seen: Option<Seen>,
}

/// Details of a failed substep.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Where the failure began.
    pub origin: Origin,
    /// Number of affected particles at the end of the substep.
    pub bad: usize,
    /// Limiter counts of the substep, which was not committed.
    pub counters: Counters,
    /// Particles around the first affected one, at the start of the substep.
    pub surroundings: Surroundings,
}

/// Complete state of a solver between two substeps, on the host, bit for bit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolverState {
    /// Named arrays, in the solver's order.
    pub columns: Vec<Column>,
}

/// A named array of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name, unique within a solver.
    pub name: String,
    /// Contents as 32-bit words.
    pub words: Vec<u32>,
}

impl Column {
    /// Creates a column from its name and words.
    pub fn new(name: &str, words: Vec<u32>) -> Self {
        Self { name: name.to_owned(), words }
    }
}

impl SolverState {
    /// Looks up the `count` words of a column by name.
    ///
    /// # Errors
    /// [`SimulationError::StateMismatch`] if the column is missing or has another length.
    pub fn words(&self, name: &str, count: usize) -> Result<&[u32], SimulationError> {
        let foreign = |what: String| SimulationError::StateMismatch(what);
        let column = self.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| foreign(format!("`{name}` is missing")))?;
        if column.words.len() != count {
            return Err(foreign(format!("`{name}` has {} words, not {count}", column.words.len())));
        }
        Ok(&column.words)
    }
}

/// A method that advances matter by substeps: XPBI on a device, its f64 twin, or the material point method.
///
/// A solver only attempts substeps. Frames, adaptive steps, halving and rollback belong to the run (`tuff-run`).
pub trait Solver {
    /// Largest batch that one attempt accepts.
    fn max_steps(&self) -> u32;

    /// Starts a frame: resets the sums over a frame.
    ///
    /// # Errors
    /// The device fails.
    fn begin_frame(&mut self) -> Result<(), SimulationError>;

    /// Attempts a batch of substeps and adds the work, counters and residuals of the completed ones to `report`.
    ///
    /// # Errors
    /// The device fails. A substep that fails is a [`Refusal`], not an error.
    fn attempt(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, SimulationError>;

    /// Ends a frame with substeps of `dt` [s]: writes energies, speeds and impulses to `report`.
    ///
    /// # Errors
    /// The device fails.
    fn end_frame(&mut self, dt: f64, report: &mut FrameReport) -> Result<(), SimulationError>;

    /// Diagnoses the failed single substep `step`. The state is the one at its start, before and after the call.
    ///
    /// # Errors
    /// The device fails.
    fn explain(
        &mut self,
        step: Steps,
        kind: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, SimulationError>;

    /// Returns the state as frame `index` at `time` [s after the first frame], particles sorted by id.
    ///
    /// # Errors
    /// The device fails.
    fn frame(&mut self, index: u32, time: f64) -> Result<Frame, SimulationError>;

    /// Returns the complete state between two substeps.
    ///
    /// # Errors
    /// The device fails.
    fn save(&self) -> Result<SolverState, SimulationError>;

    /// Restores a state returned by [`save`](Self::save) for the same problem.
    ///
    /// # Errors
    /// The device fails, or the state belongs to another problem or solver.
    fn restore(&mut self, state: &SolverState) -> Result<(), SimulationError>;

    /// Replaces the particles by those of `problem`: first the present ones that `kept` names, by ascending index, with their state, then
    /// others at rest. Everything else in the problem is as before. Only between frames, or between parts of a frame with reports of their
    /// own.
    ///
    /// # Errors
    /// The device fails, or has no room.
    fn repopulate(&mut self, problem: &Problem, kept: &[u32]) -> Result<(), SimulationError>;

    /// Compares what the solver computes with in place of the models' f64 functions, if anything, with these; returns what differs.
    ///
    /// # Errors
    /// The device fails.
    fn compare_models(&self) -> Result<Vec<String>, SimulationError> {
        Ok(Vec::new())
    }

    /// Replaces the models and materials; particles keep their state. After an error nothing has changed.
    ///
    /// # Errors
    /// The solver rejects them, for example because a model's GLSL does not compile.
    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError>;

    /// Replaces the motion of a collider. Only between frames, or between parts of a frame with reports of their own.
    ///
    /// # Errors
    /// The solver holds motions elsewhere and cannot.
    fn set_motion(&mut self, collider: usize, motion: &Motion) -> Result<(), SimulationError>;

    /// Device name for the manifest.
    fn device_name(&self) -> String;
}
