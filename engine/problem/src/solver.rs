//! What a run asks of a solver: attempts at substeps, and the state between them.

use crate::{
    Counters, FailureKind, Frame, FrameReport, Origin, Point, Replacement, SimulationError, Surroundings,
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

/// Substeps of equal length, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// Start of their frame [s after the first].
    pub frame: f64,
    /// Number of the first, counted in steps of `dt` from the start of the frame.
    pub first: u32,
    /// Length of each [s].
    pub dt: f64,
    /// How many.
    pub count: u32,
    /// How often they were halved already.
    pub halvings: u32,
    /// Whether the residuals at the end of the last one are asked for.
    pub measured: bool,
}

impl Steps {
    /// The one with this index among them.
    pub fn step(&self, index: u32) -> Step {
        Step { time: self.frame + f64::from(self.first + index) * self.dt, dt: self.dt }
    }

    /// That one alone.
    pub fn only(&self, index: u32) -> Self {
        Self {
            first: self.first + index,
            count: 1,
            measured: self.measured && index + 1 == self.count,
            ..*self
        }
    }

    /// The halves of a single substep.
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

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Substeps that are done, from the first on. Fewer than were asked for do not mean a refusal: the rest is still to do.
    pub completed: u32,
    /// Why the one after them does not count. The state is that at its start.
    pub refusal: Option<Refusal>,
}

/// Why a substep does not count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// Its Newton solve ended far from balance.
    Unbalanced,
    /// It broke; with the particle that this was noticed at, if it is known.
    Broken(FailureKind, Option<u32>),
}

/// What a broken substep shows when it is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Where it began.
    pub point: Point,
    /// First affected particle by id, if one is known.
    pub particle: Option<u32>,
    /// What else was seen; none where a solver does not look closer.
    pub seen: Option<Seen>,
}

/// What was seen of a broken substep.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Where it began.
    pub origin: Origin,
    /// Particles that were bad at its end.
    pub bad: usize,
    /// What limiters did in it; it was not committed.
    pub counters: Counters,
    /// The particles about the first bad one at its start.
    pub surroundings: Surroundings,
}

/// All that a solver keeps between two substeps, to the bit, on the host.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolverState {
    /// Arrays by name, in the order of the solver.
    pub columns: Vec<Column>,
}

/// An array of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name, of one solver unique.
    pub name: String,
    /// Its words.
    pub words: Vec<u32>,
}

impl Column {
    /// A column of its name and words.
    pub fn new(name: &str, words: Vec<u32>) -> Self {
        Self { name: name.to_owned(), words }
    }
}

impl SolverState {
    /// The words of the column of this name.
    ///
    /// # Errors
    /// [`SimulationError::ForeignState`] when there is none, or it does not have so many words.
    pub fn words(&self, name: &str, count: usize) -> Result<&[u32], SimulationError> {
        let foreign = |what: String| SimulationError::ForeignState(what);
        let column = self.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| foreign(format!("`{name}` is missing")))?;
        if column.words.len() != count {
            return Err(foreign(format!("`{name}` has {} words, not {count}", column.words.len())));
        }
        Ok(&column.words)
    }
}

/// A method that advances matter by substeps: Tuff's on a device, its f64 twin, the material point method.
///
/// It knows neither frames nor what becomes of a substep that it refuses: that is the run's (`tuff-run`).
pub trait Solver {
    /// Most substeps that an attempt takes at once.
    fn most_steps(&self) -> u32;

    /// Begins a frame: what is summed over it starts at nothing.
    ///
    /// # Errors
    /// The device fails.
    fn begin_frame(&mut self) -> Result<(), SimulationError>;

    /// Attempts substeps. Of those that are done it adds work, counters and residuals to `report`.
    ///
    /// # Errors
    /// The device fails. What breaks in a substep is a refusal.
    fn attempt(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, SimulationError>;

    /// Ends a frame, whose last substeps were `dt` [s] long: energies, speeds and impulses go into `report`.
    ///
    /// # Errors
    /// The device fails.
    fn end_frame(&mut self, dt: f64, report: &mut FrameReport) -> Result<(), SimulationError>;

    /// Looks where the single substep `step` broke, with the state at its start before and after.
    ///
    /// # Errors
    /// The device fails.
    fn explain(
        &mut self,
        step: Steps,
        kind: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, SimulationError>;

    /// The state as frame `index` at `time` [s after the first], particles in the order of their ids.
    ///
    /// # Errors
    /// The device fails.
    fn frame(&mut self, index: u32, time: f64) -> Result<Frame, SimulationError>;

    /// The state between two substeps.
    ///
    /// # Errors
    /// The device fails.
    fn save(&self) -> Result<SolverState, SimulationError>;

    /// Takes a state that [`save`](Self::save) gave, of the same problem.
    ///
    /// # Errors
    /// The device fails, or the state is of another problem or solver.
    fn restore(&mut self, state: &SolverState) -> Result<(), SimulationError>;

    /// Computes with other models and materials from now on; particles keep their state. After an error all is as it was.
    ///
    /// # Errors
    /// A device refuses them: a model's GLSL does not compile, for example.
    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError>;

    /// Name of the device, for the manifest.
    fn device_name(&self) -> String;
}
