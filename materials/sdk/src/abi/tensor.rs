//! The tensor variant, since 1.1: functions of whole tensors instead of principal strains.

/// [`TuffTensor::needs`]: a second elastic strain per particle.
pub const NEEDS_BRANCH: u32 = 1;
/// [`TuffTensor::needs`]: the deformation gradient.
pub const NEEDS_DEFORMATION: u32 = 2;

/// An elastic strain E = b - I in its principal axes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffStretch {
    /// Principal Hencky strains, `1/2 ln(1 + E_i)` \[-\].
    pub hencky: [f64; 3],
    /// The three principal directions, one after the other.
    pub axes: [f64; 9],
}

/// Input of the functions of the tensor variant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffTensorPoint {
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
    /// Elastic strain, carried along with the step.
    pub strain: TuffStretch,
    /// The second elastic strain, likewise; at rest without [`NEEDS_BRANCH`].
    pub branch: TuffStretch,
    /// Deformation gradient F after the step, row by row; the identity without [`NEEDS_DEFORMATION`].
    pub deformation: [f64; 9],
    /// Length of the substep \[s\].
    pub dt: f64,
}

/// Response to a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffTensorResponse {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// Energy density Psi >= 0 whose derivative is the stress \[Pa\].
    pub energy: f64,
    /// Kirchhoff stress: xx yy zz yz xz xy \[Pa\].
    pub kirchhoff: [f64; 6],
}

/// State that a particle keeps after a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffTensorUpdate {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// State words after the substep.
    pub state: [f64; 4],
    /// Elastic strain after the substep.
    pub strain: TuffStretch,
    /// The second elastic strain after the substep.
    pub branch: TuffStretch,
    /// Share of the remembered non-affine displacement that survives, 0 to 1 \[-\].
    pub forget: f64,
    /// `CASE_*`; a model may have further cases from 16 on.
    pub case_id: u32,
    /// Zero.
    pub reserved: u32,
}

/// Computes energy and stress of the step that leads to the point.
pub type RespondFn = unsafe extern "C" fn(*const TuffTensorPoint, *mut TuffTensorResponse) -> i32;
/// Computes the end of the step that leads to the point.
pub type AdvanceFn = unsafe extern "C" fn(*const TuffTensorPoint, *mut TuffTensorUpdate) -> i32;
/// Computes the energy density stored at the point between substeps, >= 0 \[Pa\].
pub type StoredEnergyFn = unsafe extern "C" fn(*const TuffTensorPoint, *mut f64) -> i32;

/// Functions of the tensor variant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TuffTensor {
    /// Size of this struct \[bytes\].
    pub struct_size: u32,
    /// ABI version for which it was written.
    pub abi_version: u32,
    /// `NEEDS_*` bits.
    pub needs: u32,
    /// Zero.
    pub reserved: u32,
    /// Energy and stress of a step.
    pub respond: Option<RespondFn>,
    /// End of a step.
    pub advance: Option<AdvanceFn>,
    /// Energy between steps.
    pub energy: Option<StoredEnergyFn>,
}
