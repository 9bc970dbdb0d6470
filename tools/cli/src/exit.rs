//! Exit codes and the errors that lead to them.

use std::io::IsTerminal;

use tuff_gpu::GpuError;
use tuff_output::OutputError;
use tuff_plugin::PluginError;
use tuff_problem::{ProblemError, SimulationError};
use tuff_run::OpenError;
use tuff_scene::SceneError;
use tuff_solver::SolverError;

/// A check or comparison failed.
pub const CHECK_FAILED: u8 = 1;
/// Bad arguments, scene or plugin.
pub const BAD_INPUT: u8 = 2;
/// No usable device or driver.
pub const NO_DEVICE: u8 = 3;
/// The simulation failed.
pub const FAILED: u8 = 4;
/// A file could not be written.
pub const NOT_WRITTEN: u8 = 5;
/// A bug in this program.
pub const INTERNAL: u8 = 70;
/// Interrupted; the frames on disk are whole.
pub const INTERRUPTED: u8 = 75;

/// Why a command ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Exit code of the process.
    pub code: u8,
    /// Message for the user; nothing is printed if it is empty.
    pub message: String,
    /// Further details, printed on the terminal only.
    pub details: String,
}

impl Stop {
    /// Creates a stop with one of this program's own messages.
    pub fn new(code: u8, message: impl std::fmt::Display) -> Self {
        Self { code, message: format!("tuff: {message}"), details: String::new() }
    }

    /// Returns the message without the program's name, for files.
    pub fn reason(&self) -> &str {
        self.message.strip_prefix("tuff: ").unwrap_or(&self.message)
    }

    /// Creates a stop for bad arguments, a bad scene or a bad plugin.
    pub fn bad_input(message: impl std::fmt::Display) -> Self {
        Self::new(BAD_INPUT, message)
    }
}

impl From<SceneError> for Stop {
    fn from(error: SceneError) -> Self {
        // The rendered error shows the offending lines and already begins with "error:".
        let message = error.render(std::io::stderr().is_terminal());
        Self { code: BAD_INPUT, message, details: String::new() }
    }
}

impl From<PluginError> for Stop {
    fn from(error: PluginError) -> Self {
        Self::bad_input(error)
    }
}

impl From<ProblemError> for Stop {
    fn from(error: ProblemError) -> Self {
        match error {
            ProblemError::Scene(error) => error.into(),
            other => Self::bad_input(other),
        }
    }
}

impl From<OutputError> for Stop {
    fn from(error: OutputError) -> Self {
        let code = match error {
            OutputError::UnknownState { .. } | OutputError::NoRun { .. } | OutputError::BadFrame { .. } => {
                BAD_INPUT
            }
            _ => NOT_WRITTEN,
        };
        Self::new(code, error)
    }
}

impl From<GpuError> for Stop {
    fn from(error: GpuError) -> Self {
        let code = match error {
            // Only a model's part of a shader can fail to compile: the engine's own parts are tested.
            GpuError::Compile { .. } => BAD_INPUT,
            _ => NO_DEVICE,
        };
        Self::new(code, error)
    }
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Gpu(error) => error.into(),
            other => Self::bad_input(other),
        }
    }
}

impl From<OpenError> for Stop {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Solver(error) => {
                let mut stop = Self::from(error);
                if stop.code == NO_DEVICE {
                    stop.message += "; --device cpu runs on the processor";
                }
                stop
            }
            OpenError::Simulation(error) => error.into(),
            other => Self::bad_input(other),
        }
    }
}

impl From<SimulationError> for Stop {
    fn from(error: SimulationError) -> Self {
        let code = match error {
            SimulationError::Interrupted => INTERRUPTED,
            SimulationError::Device(_) => NO_DEVICE,
            SimulationError::Unsupported(_) | SimulationError::StateMismatch(_) => BAD_INPUT,
            _ => FAILED,
        };
        Self::new(code, error)
    }
}
