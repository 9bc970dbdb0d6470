//! What a program sees of a run.

use tuff_problem::{
    Control, Counters, Frame, FrameReport, Replacement, SimulationError, SolverState, StepControl,
};

/// A running simulation.
pub trait Simulation {
    /// The state now, particles in the order of their ids.
    ///
    /// # Errors
    /// The device fails.
    fn frame(&mut self) -> Result<Frame, SimulationError>;

    /// Advances by one frame. Returns [`SimulationError::Interrupted`] soon after `control`
    /// asks for it, and [`SimulationError::Failed`] when the state becomes unusable; the state is then between two frames and no call
    /// but [`retry`](Self::retry) is useful.
    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError>;

    /// Computes with other models and materials from now on; particles keep their state. After an error all is as it was.
    ///
    /// # Errors
    /// A device refuses them: a model's GLSL does not compile, for example.
    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError>;

    /// Keeps the state now in memory, to the bit, for [`retry`](Self::retry); it takes the place of the state kept before.
    ///
    /// # Errors
    /// The device fails.
    fn keep(&mut self) -> Result<(), SimulationError>;

    /// Returns to the kept state and halves the substep from there on. Returns its lengths before and after [s].
    ///
    /// # Errors
    /// The device fails, or no state was kept.
    fn retry(&mut self) -> Result<[f64; 2], SimulationError>;

    /// All that the frames to come depend on besides the scene, its models and the device.
    ///
    /// # Errors
    /// The device fails.
    fn save(&self) -> Result<RunState, SimulationError>;

    /// Goes on from a state that [`save`](Self::save) gave in a run of the same scene.
    ///
    /// # Errors
    /// The device fails, or the state is of another scene or solver.
    fn restore(&mut self, state: &RunState) -> Result<(), SimulationError>;

    /// Name of the device, for the manifest.
    fn device_name(&self) -> String;
}

/// A run between two frames, on the host, to the bit.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// Frame.
    pub frame: u32,
    /// Longest substep [s].
    pub max_substep: f64,
    /// What finds the substeps, where the scene leaves them open.
    pub steps: Option<StepControl>,
    /// Limiters of the last frame.
    pub last_frame: Option<Counters>,
    /// The particles.
    pub solver: SolverState,
}
