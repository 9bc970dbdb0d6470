//! Errors of the crate.

use ash::vk;

/// What can go wrong between the host and the device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no Vulkan loader or no driver.
    #[error(
        "no Vulkan driver was found ({reason}); install the vendor's driver, or Mesa's software driver and the loader: \
         apt-get install mesa-vulkan-drivers libvulkan1"
    )]
    NoDriver {
        /// What the loader said.
        reason: String,
    },
    /// There are devices, but none that can be used.
    #[error("no usable Vulkan device: {}", .refused.join("; "))]
    NoDevice {
        /// Each device with the reasons why not.
        refused: Vec<String>,
    },
    /// The selector fits no device, or several.
    #[error("no device matches \"{selector}\"; choose an index or a part of a name: {}", .available.join(", "))]
    UnknownDevice {
        /// What was asked for.
        selector: String,
        /// Index and name of each device.
        available: Vec<String>,
    },
    /// The validation layer was asked for but is not installed.
    #[error(
        "the Vulkan validation layer is not installed (apt-get install vulkan-validationlayers); or unset TUFF_VALIDATION"
    )]
    NoValidation,
    /// The device has no room for a buffer.
    #[error("out of device memory: attribute \"{attribute}\" needs {bytes} bytes, {}", free_text(*.free))]
    OutOfMemory {
        /// Name of the attribute.
        attribute: String,
        /// Bytes asked for.
        bytes: u64,
        /// Bytes free on the device, where the driver tells.
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
        /// The last stage that is known to have begun.
        progress: String,
    },
    /// The device did not finish in time.
    #[error(
        "the device has not finished the submitted work within {seconds} s and seems to hang; {progress}. If it is only slow, allow \
         more time with TUFF_DEVICE_TIMEOUT=seconds"
    )]
    Hung {
        /// How long it was waited for [s].
        seconds: f64,
        /// The last stage that is known to have begun.
        progress: String,
    },
    /// The validation layer complained (only while validating).
    #[error("the Vulkan validation layer reported {} message(s), the first: {}", .messages.len(), .messages.first().map_or("", String::as_str))]
    Validation {
        /// All messages since the last run.
        messages: Vec<String>,
    },
    /// A table, declaration, recording or transfer does not fit together.
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

/// For `map_err`: the error of a Vulkan call without a meaning of its own here.
pub(crate) fn vulkan(call: &'static str) -> impl Fn(vk::Result) -> GpuError {
    move |result| GpuError::Vulkan { call, result }
}
