//! The C ABI, version 1: plain data, one exported symbol. `include/tuff_material.h` is the same in C.
//!
//! Every struct begins with its size and the version of the ABI for which it was written. Fields are only ever added at the end:
//! a reader uses the fields that lie inside `struct_size`. Strings are (pointer, length) in UTF-8; they and all tables belong to
//! the library, which stays loaded until the process ends. No function unwinds into the caller: functions return a status.

use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};

mod tensor;

pub use tensor::{
    AdvanceFn, NEEDS_BRANCH, NEEDS_DEFORMATION, RespondFn, StoredEnergyFn, TuffStretch, TuffTensor,
    TuffTensorPoint, TuffTensorResponse, TuffTensorUpdate,
};

/// Name of the one exported symbol; its number is the major version.
pub const ENTRY_SYMBOL: &str = "tuff_material_entry_v1";
/// Major version: changes when libraries for an older version can no longer be read.
pub const ABI_MAJOR: u32 = 1;
/// Minor version: grows when fields or claims are added.
pub const ABI_MINOR: u32 = 4;
/// Version in structs: major in the upper, minor in the lower 16 bits.
pub const ABI_VERSION: u32 = ABI_MAJOR << 16 | ABI_MINOR;

/// Success.
pub const STATUS_OK: i32 = 0;
/// `prepare` rejects the parameters; [`TuffError`] names the parameter and the reason.
pub const STATUS_REFUSED: i32 = 1;
/// A count or size does not match the descriptor, or a pointer is null.
pub const STATUS_MISUSE: i32 = 2;
/// The library encountered a bug of its own.
pub const STATUS_PANIC: i32 = 3;

/// [`TuffMaterial::variant`]: functions of the principal Hencky strains.
pub const VARIANT_PRINCIPAL: u32 = 0;
/// [`TuffMaterial::variant`]: functions of whole tensors, [`TuffMaterial::tensor`]; since 1.1.
pub const VARIANT_TENSOR: u32 = 1;

/// [`TuffMaterial::claims`]: isotropic.
pub const CLAIM_ISOTROPIC: u32 = 1;
/// [`TuffMaterial::claims`]: the projection conserves the volume.
pub const CLAIM_VOLUME_PRESERVING: u32 = 2;
/// [`TuffMaterial::claims`]: the projection does not depend on dt.
pub const CLAIM_RATE_INDEPENDENT: u32 = 4;
/// [`TuffMaterial::claims`]: the projection never raises the energy.
pub const CLAIM_DISSIPATIVE: u32 = 8;
/// [`TuffMaterial::claims`]: a fluid, whose strain at the start of a step is that of its density; principal variant only, since 1.4.
pub const CLAIM_FLUID: u32 = 16;

/// [`TuffParameter::kind`]: a number.
pub const KIND_NUMBER: u32 = 0;
/// [`TuffParameter::kind`]: 0 or 1.
pub const KIND_BOOLEAN: u32 = 1;
/// [`TuffParameter::kind`]: index into `choices`.
pub const KIND_CHOICE: u32 = 2;

/// [`TuffParameter::flags`]: a scene must give it.
pub const PARAMETER_REQUIRED: u32 = 1;
/// [`TuffParameter::flags`]: `default_value` is valid.
pub const PARAMETER_HAS_DEFAULT: u32 = 2;
/// [`TuffParameter::flags`]: `min` itself is rejected.
pub const PARAMETER_MIN_EXCLUSIVE: u32 = 4;
/// [`TuffParameter::flags`]: `max` itself is rejected.
pub const PARAMETER_MAX_EXCLUSIVE: u32 = 8;
/// [`TuffParameter::flags`]: `typical_value` is valid.
pub const PARAMETER_HAS_TYPICAL: u32 = 16;

/// [`TuffStateWord::flags`]: may be written to frames.
pub const STATE_EXPORTED: u32 = 1;
/// [`TuffStateWord::flags`]: starts at the constant with index `initial_constant`, not at `initial_value`.
pub const STATE_FROM_CONSTANT: u32 = 2;

/// [`TuffError::parameter`]: no single parameter is at fault.
pub const NO_PARAMETER: u32 = u32::MAX;

/// [`TuffProjection::case_id`]: nothing yields.
pub const CASE_ELASTIC: u32 = 0;
/// [`TuffProjection::case_id`]: on the smooth part of the yield surface.
pub const CASE_FLOW: u32 = 1;
/// [`TuffProjection::case_id`]: at a tip of the yield surface on the tension side.
pub const CASE_TIP: u32 = 2;
/// [`TuffProjection::case_id`]: at a tip of the yield surface on the compression side.
pub const CASE_COMPRESSION_TIP: u32 = 3;

/// UTF-8 text, not terminated; null only with length 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffString {
    /// First byte.
    pub data: *const c_char,
    /// Number of bytes.
    pub length: u64,
}

/// The engine's description of itself.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffHost {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Name and version of the engine.
    pub name: TuffString,
}

/// One parameter of a model; [`crate::descriptor::Parameter`] explains the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffParameter {
    /// Size of this struct \[bytes\]; also the distance to the next one in the array.
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Key in scene files.
    pub name: TuffString,
    /// Unit.
    pub unit: TuffString,
    /// One line for listings.
    pub help: TuffString,
    /// `KIND_*`.
    pub kind: u32,
    /// `PARAMETER_*` bits.
    pub flags: u32,
    /// Value when absent, with [`PARAMETER_HAS_DEFAULT`].
    pub default_value: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Words of a choice.
    pub choices: *const TuffString,
    /// Number of words of a choice.
    pub choice_count: u32,
    /// Number of aliases.
    pub alias_count: u32,
    /// Other names in files of reference values.
    pub aliases: *const TuffString,
    /// A typical value, with [`PARAMETER_HAS_TYPICAL`]; since version 1.2.
    pub typical_value: f64,
}

/// One state word; [`crate::descriptor::StateWord`] explains the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffStateWord {
    /// Size of this struct \[bytes\]; also the distance to the next one in the array.
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Name.
    pub name: TuffString,
    /// Unit.
    pub unit: TuffString,
    /// One line for listings.
    pub help: TuffString,
    /// `STATE_*` bits.
    pub flags: u32,
    /// Index of a prepared constant, with [`STATE_FROM_CONSTANT`].
    pub initial_constant: u32,
    /// Initial value otherwise.
    pub initial_value: f64,
    /// Other names in files of reference values.
    pub aliases: *const TuffString,
    /// Number of aliases.
    pub alias_count: u32,
    /// Zero.
    pub reserved: u32,
}

/// Reason why `prepare` rejected the parameters; the memory belongs to the caller.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffError {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Index of the offending parameter or [`NO_PARAMETER`].
    pub parameter: u32,
    /// Number of bytes used of `message`.
    pub message_length: u32,
    /// UTF-8 text.
    pub message: [u8; 512],
}

/// Input of a model's functions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffPoint {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Prepared constants of the material.
    pub constants: *const f64,
    /// Number of constants.
    pub constant_count: u32,
    /// Zero.
    pub reserved: u32,
    /// State words at the start of the substep; unused ones are 0.
    pub state: [f64; 4],
    /// Principal Hencky strains, the logarithms of the principal elastic stretches \[-\].
    pub hencky: [f64; 3],
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// Input of [`StressFn`]: several particles of one material. Numbers of the particles follow each other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffBatch {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Prepared constants of the material.
    pub constants: *const f64,
    /// Number of constants.
    pub constant_count: u32,
    /// Number of particles.
    pub count: u32,
    /// State words at the start of the substep, four of each particle.
    pub state: *const f64,
    /// First principal trial Hencky strains \[-\]; the second and third begin `stride` and twice `stride` numbers later.
    pub hencky: *const f64,
    /// Distance of the three rows \[numbers\], at least `count`.
    pub stride: u64,
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// Result of the return mapping.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffProjection {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// `CASE_*`; a model may have further cases from 16 on.
    pub case_id: u32,
    /// Zero.
    pub reserved: u32,
    /// Projected principal Hencky strains \[-\].
    pub hencky: [f64; 3],
    /// State words after the substep.
    pub state: [f64; 4],
    /// Share of the remembered non-affine displacement that survives, 0 to 1 \[-\].
    pub forget: f64,
}

/// Small-strain moduli.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffModuli {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// mu \[Pa\].
    pub shear: f64,
    /// kappa \[Pa\].
    pub bulk: f64,
}

/// `prepare(parameters, parameter_count, constants, constant_count, error)`: parameters in the order of the descriptor, NaN for
/// absent ones without a default.
pub type PrepareFn = unsafe extern "C" fn(*const f64, u32, *mut f64, u32, *mut TuffError) -> i32;
/// Return mapping from the trial strain in the point.
pub type ProjectFn = unsafe extern "C" fn(*const TuffPoint, *mut TuffProjection) -> i32;
/// Elastic energy density Psi >= 0 \[Pa\].
pub type EnergyFn = unsafe extern "C" fn(*const TuffPoint, *mut f64) -> i32;
/// Three principal Kirchhoff stresses \[Pa\], tension positive.
pub type KirchhoffFn = unsafe extern "C" fn(*const TuffPoint, *mut f64) -> i32;
/// Small-strain moduli for the constants and state in the point.
pub type ModuliFn = unsafe extern "C" fn(*const TuffPoint, *mut TuffModuli) -> i32;
/// `stable_step(constants, constant_count, density, spacing, step)`: kg/m^3, m, s.
pub type StableStepFn = unsafe extern "C" fn(*const f64, u32, f64, f64, *mut f64) -> i32;
/// Optional tangent: nine numbers d tau_i / d eps_j \[Pa\], row by row, of the stress after projection with respect to
/// the trial strain in the point.
pub type TangentFn = unsafe extern "C" fn(*const TuffPoint, *mut f64) -> i32;

/// Optional: principal Kirchhoff stresses \[Pa\] of several particles after the return mapping, `kirchhoff` of `project`, in three
/// rows like the strains. The processor evaluates the law this way in most of its calls; since 1.3.
pub type StressFn = unsafe extern "C" fn(*const TuffBatch, *mut f64) -> i32;

/// A model, as returned by the entry point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffMaterial {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// `[a-z][a-z0-9_]*`; prefix of the GLSL functions.
    pub id: TuffString,
    /// Version of the model.
    pub version: TuffString,
    /// Author or maintainer.
    pub author: TuffString,
    /// One line for listings.
    pub help: TuffString,
    /// Paper and equation.
    pub reference: TuffString,
    /// File name of the GLSL text for messages of the shader compiler.
    pub glsl_name: TuffString,
    /// GLSL text.
    pub glsl: TuffString,
    /// `VARIANT_*`.
    pub variant: u32,
    /// `CLAIM_*` bits.
    pub claims: u32,
    /// Parameters; null if there are none.
    pub parameters: *const TuffParameter,
    /// State words; null if there are none.
    pub states: *const TuffStateWord,
    /// Number of parameters.
    pub parameter_count: u32,
    /// Number of state words, at most 4.
    pub state_count: u32,
    /// Number of prepared constants.
    pub constant_count: u32,
    /// Zero.
    pub reserved: u32,
    /// Converts parameters to constants.
    pub prepare: Option<PrepareFn>,
    /// Return mapping; null in the tensor variant.
    pub project: Option<ProjectFn>,
    /// Elastic energy; null in the tensor variant.
    pub energy: Option<EnergyFn>,
    /// Kirchhoff stress; null in the tensor variant.
    pub kirchhoff: Option<KirchhoffFn>,
    /// Small-strain moduli.
    pub moduli: Option<ModuliFn>,
    /// Largest step that resolves the fastest wave or relaxation.
    pub stable_step: Option<StableStepFn>,
    /// Optional: null if the model has none. This engine does not use it (engine/solver/METHOD.md, "Newton").
    pub tangent: Option<TangentFn>,
    /// Functions of the tensor variant; null in the principal variant and in ABI 1.0.
    pub tensor: *const TuffTensor,
    /// Null.
    pub reserved_slots: [*const c_void; 6],
    /// Optional: null if the model has none, and in the tensor variant; since version 1.3.
    pub stress: Option<StressFn>,
}

/// Signature of [`ENTRY_SYMBOL`]: returns the library's one table, or null if it cannot work with this engine.
pub type EntryFn = unsafe extern "C" fn(*const TuffHost) -> *const TuffMaterial;

/// Structs that begin with their size and version.
///
/// # Safety
/// The type is `#[repr(C)]` and its first two fields are `struct_size: u32` and `abi_version: u32`.
pub unsafe trait Sized32 {
    /// Size in the first version that has it \[bytes\]: the smallest size that a reader accepts.
    const FIRST_SIZE: u32;
}

macro_rules! sized {
    ($($name:ident = $size:literal $(to $now:literal)?),* $(,)?) => { $(
        // SAFETY: the struct above is repr(C) and begins with the two fields.
        unsafe impl Sized32 for $name {
            const FIRST_SIZE: u32 = $size;
        }
        #[cfg(target_pointer_width = "64")]
        const _: () = {
            let sizes = [$size $(, $now)?];
            assert!(size_of::<$name>() == sizes[sizes.len() - 1] && offset_of!($name, abi_version) == 4);
        };
    )* };
}

sized! {
    TuffHost = 24,
    TuffParameter = 112 to 120,
    TuffStateWord = 88,
    TuffError = 528,
    TuffPoint = 88,
    TuffBatch = 56,
    TuffProjection = 80,
    TuffModuli = 24,
    TuffMaterial = 272 to 280,
    TuffTensor = 40,
    TuffTensorPoint = 328,
    TuffTensorResponse = 64,
    TuffTensorUpdate = 248,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<TuffString>() == 16);
    assert!(offset_of!(TuffParameter, default_value) == 64);
    assert!(offset_of!(TuffParameter, aliases) == 104);
    assert!(offset_of!(TuffStateWord, initial_value) == 64);
    assert!(offset_of!(TuffPoint, state) == 24);
    assert!(offset_of!(TuffProjection, forget) == 72);
    assert!(offset_of!(TuffMaterial, variant) == 120);
    assert!(offset_of!(TuffMaterial, prepare) == 160);
    assert!(offset_of!(TuffMaterial, tensor) == 216);
    assert!(offset_of!(TuffMaterial, stress) == 272);
    assert!(offset_of!(TuffBatch, hencky) == 32);
    assert!(offset_of!(TuffTensorPoint, strain) == 56);
    assert!(offset_of!(TuffTensorPoint, deformation) == 248);
    assert!(offset_of!(TuffTensorUpdate, forget) == 232);
};

impl TuffString {
    /// Wraps a text that lives as long as the library.
    pub const fn from_static(text: &'static str) -> Self {
        Self { data: text.as_ptr().cast(), length: text.len() as u64 }
    }
}

// SAFETY: the pointers lead to data that is never written after the table was built.
unsafe impl Send for TuffMaterial {}
// SAFETY: as above.
unsafe impl Sync for TuffMaterial {}
