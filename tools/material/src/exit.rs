//! Exit codes and the errors that lead to them.

use tuff_chart::PageError;
use tuff_gpu::GpuError;
use tuff_plugin::PluginError;

/// A comparison is above its tolerances.
pub const DIFFERS: u8 = 1;
/// Bad arguments, files or plugin.
pub const BAD_INPUT: u8 = 2;
/// No usable device or driver.
pub const NO_DEVICE: u8 = 3;
/// A file could not be written.
pub const NOT_WRITTEN: u8 = 5;
/// A bug in this program.
pub const INTERNAL: u8 = 70;

/// Why a command ends early.
#[derive(Debug)]
pub struct Stop {
    /// Exit code of the process.
    pub code: u8,
    /// Message for the user; nothing is printed if it is empty.
    pub message: String,
}

impl Stop {
    /// Creates a stop with a message.
    pub fn new(code: u8, message: impl std::fmt::Display) -> Self {
        Self { code, message: format!("tuff-material: {message}") }
    }

    /// Creates a stop for bad arguments, files or plugins.
    pub fn bad_input(message: impl std::fmt::Display) -> Self {
        Self::new(BAD_INPUT, message)
    }

    /// Creates a stop without a message: the output has already said everything.
    pub fn silent(code: u8) -> Self {
        Self { code, message: String::new() }
    }
}

impl From<PluginError> for Stop {
    fn from(error: PluginError) -> Self {
        Self::bad_input(error)
    }
}

impl From<GpuError> for Stop {
    fn from(error: GpuError) -> Self {
        let code = match error {
            GpuError::Compile { .. } | GpuError::UnknownDevice { .. } => BAD_INPUT,
            _ => NO_DEVICE,
        };
        Self::new(code, error)
    }
}

impl From<PageError> for Stop {
    fn from(error: PageError) -> Self {
        let code = match error {
            PageError::Drawing { .. } => INTERNAL,
            PageError::Write { .. } => NOT_WRITTEN,
        };
        Self::new(code, error)
    }
}
