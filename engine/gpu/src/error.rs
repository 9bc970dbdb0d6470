//! Errors of the crate.

use ash::vk;

/// Errors between host and device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no Vulkan loader or no driver.
    #[error(
        "no Vulkan driver was found ({reason}); install the vendor's driver, or Mesa's software driver and the loader: \
         apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoDriver {
        /// Message of the loader.
        reason: String,
    },
    /// There are devices, but none is usable.
    #[error("no usable Vulkan device: {}", .refused.join("; "))]
    NoDevice {
        /// Each device with the reasons why it is unusable.
        refused: Vec<String>,
    },
    /// The selector fits no device, or several.
    #[error("no device matches \"{selector}\"; choose an index or a part of a name: {}", .available.join(", "))]
    UnknownDevice {
        /// Requested selector.
        selector: String,
        /// Index and name of each device.
        available: Vec<String>,
    },
    /// The validation layer was asked for but is not installed.
    #[error(
        "the Vulkan validation layer is not installed (apt-get install vulkan-validationlayers); or unset TUFF_VALIDATION"
    )]
    NoValidation,
    /// The device has no memory left for a buffer.
    #[error("out of device memory: attribute \"{attribute}\" needs {bytes} bytes, {}", free_text(*.free))]
    OutOfMemory {
        /// Name of the attribute.
        attribute: String,
        /// Requested bytes.
        bytes: u64,
        /// Free bytes on the device, if the driver reports them.
        free: Option<u64>,
    },
    /// A shader source could not be found.
    #[error("stage \"{stage}\": there is no shader \"{file}\"")]
    MissingShader {
        /// Stage that is compiled.
        stage: String,
        /// Name of the missing file.
        file: String,
    },
    /// A shader does not compile.
    #[error("stage \"{stage}\": {file}:{line}: {message}\n{log}")]
    Compile {
        /// Stage that is compiled.
        stage: String,
        /// File of the first error; a virtual source has its own name.
        file: String,
        /// Line of the first error; 0 if unknown.
        line: u32,
        /// The first error.
        message: String,
        /// All of the compiler's output.
        log: String,
    },
    /// The device was lost (driver crash, time-out, unplugged).
    #[error("the device was lost; {progress}")]
    DeviceLost {
        /// Last stage known to have begun.
        progress: String,
    },
    /// The device did not finish in time.
    #[error(
        "the device has not finished the submitted work within {seconds} s and seems to hang; {progress}. If it is only slow, allow \
         more time with TUFF_DEVICE_TIMEOUT=seconds"
    )]
    Hung {
        /// Time waited [s].
        seconds: f64,
        /// Last stage known to have begun.
        progress: String,
    },
    /// The validation layer sent messages (only while validating).
    #[error("the Vulkan validation layer reported {} message(s), the first: {}", .messages.len(), .messages.first().map_or("", String::as_str))]
    Validation {
        /// All messages since the last run.
        messages: Vec<String>,
    },
    /// Parts of a table, declaration, recording or transfer do not fit together.
    #[error("{0}")]
    Invalid(String),
    /// Another Vulkan call failed.
    #[error("{call} failed: {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// Its result.
        result: vk::Result,
    },
}

fn free_text(free: Option<u64>) -> String {
    match free {
        Some(free) => format!("{free} bytes are free"),
        None => "and the driver does not report how much is free".to_owned(),
    }
}

/// Result of this crate.
pub type Result<T> = std::result::Result<T, GpuError>;

/// For `map_err`: wraps the error of a Vulkan call that has no variant of its own.
pub(crate) fn vulkan(call: &'static str) -> impl Fn(vk::Result) -> GpuError {
    move |result| GpuError::Vulkan { call, result }
}
