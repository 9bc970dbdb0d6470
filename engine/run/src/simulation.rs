//! The interface of a run for programs.

use tuff_problem::{
    Control, Counters, Frame, FrameReport, Problem, Replacement, SimulationError, SolverState, StepControl,
};
use tuff_scene::Pose;

/// A running simulation.
pub trait Simulation {
    /// Returns the problem with the particles that there are now; `None` if they are those of the start. The positions and velocities of
    /// emitted ones mean nothing.
    fn problem(&self) -> Option<&Problem>;

    /// Returns the current state, particles sorted by id.
    ///
    /// # Errors
    /// The device fails.
    fn frame(&mut self) -> Result<Frame, SimulationError>;

    /// Advances by one frame.
    ///
    /// # Errors
    /// [`SimulationError::Interrupted`] soon after `control` requests it; [`SimulationError::Failed`] if the state becomes
    /// unusable. The state is then inside the frame, and only [`retry`](Self::retry) or [`restore`](Self::restore) are useful.
    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError>;

    /// Sets where a collider is at the end of the next frame: it moves there from where it is, and stays until its pose is set again. For
    /// input that arrives while running; what was set is no part of a saved state. The pose is relative to the collider's place in the
    /// scene file.
    ///
    /// # Errors
    /// [`SimulationError::Unsupported`] if no collider has this name.
    fn set_pose(&mut self, collider: &str, pose: Pose) -> Result<(), SimulationError>;

    /// Compares the GLSL of the materials, if the solver uses it, with their f64 functions at 64 strains; returns what differs.
    ///
    /// # Errors
    /// The device fails.
    fn compare_models(&self) -> Result<Vec<String>, SimulationError>;

    /// Replaces the models and materials; particles keep their state. After an error nothing has changed.
    ///
    /// # Errors
    /// The solver rejects them, for example because a model's GLSL does not compile.
    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError>;

    /// Saves the current state in memory for [`retry`](Self::retry), replacing the one saved before.
    ///
    /// # Errors
    /// The device fails.
    fn keep(&mut self) -> Result<(), SimulationError>;

    /// Restores the state saved by [`keep`](Self::keep) and halves the substep from there on. Returns its lengths before and after [s].
    ///
    /// # Errors
    /// The device fails, or no state was saved.
    fn retry(&mut self) -> Result<[f64; 2], SimulationError>;

    /// Returns everything that later frames depend on, apart from the scene, its models and the device.
    ///
    /// # Errors
    /// The device fails.
    fn save(&self) -> Result<RunState, SimulationError>;

    /// Restores a state returned by [`save`](Self::save) in a run of the same scene.
    ///
    /// # Errors
    /// The device fails, or the state belongs to another scene or solver.
    fn restore(&mut self, state: &RunState) -> Result<(), SimulationError>;

    /// Device name for the manifest.
    fn device_name(&self) -> String;
}

/// Complete state of a run between two frames, on the host, bit for bit.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// Frame number.
    pub frame: u32,
    /// Longest substep [s].
    pub max_substep: f64,
    /// State of the adaptive step control; `None` for fixed substeps.
    pub steps: Option<StepControl>,
    /// Limiter counts of the last frame.
    pub last_frame: Option<Counters>,
    /// State of the solver.
    pub solver: SolverState,
}
