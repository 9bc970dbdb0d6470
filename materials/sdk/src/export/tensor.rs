//! The functions of the tensor variant.

use std::marker::PhantomData;
use std::sync::OnceLock;

use super::{Common, common_table, guard, leak_one, publish, put, size_at, slice, write};
use crate::abi::{
    self, ABI_VERSION, Sized32, TuffHost, TuffMaterial, TuffStretch, TuffTensor, TuffTensorPoint,
    TuffTensorResponse, TuffTensorUpdate,
};
use crate::descriptor::{Descriptor, Variant};
use crate::{Moduli, ParameterError, Parameters, Stretch, TensorModel, TensorPoint};

/// Exports a type that implements [`TensorModel`] as a material library: the crate's one exported symbol.
#[macro_export]
macro_rules! export_tensor_material {
    ($model:ty) => {
        $crate::export_entry!($crate::export::entry_tensor::<$model>);
    };
}

/// Like [`super::entry`], for the tensor variant.
#[doc(hidden)]
pub fn entry_tensor<M: TensorModel>(
    table: &OnceLock<Option<&'static TuffMaterial>>,
    host: *const TuffHost,
) -> *const TuffMaterial {
    publish(table, host, || {
        let (branch, deformation) = match M::descriptor().variant {
            Variant::Tensor { branch, deformation } => (branch, deformation),
            Variant::Principal => (false, false),
        };
        let needs = [(branch, abi::NEEDS_BRANCH), (deformation, abi::NEEDS_DEFORMATION)];
        let functions = TuffTensor {
            struct_size: size_of::<TuffTensor>() as u32,
            abi_version: ABI_VERSION,
            needs: super::flags(&needs),
            reserved: 0,
            respond: Some(respond::<M>),
            advance: Some(advance::<M>),
            energy: Some(energy::<M>),
        };
        TuffMaterial { tensor: leak_one(functions), ..common_table::<Tensorial<M>>() }
    })
}

struct Tensorial<M>(PhantomData<M>);

impl<M: TensorModel> Common for Tensorial<M> {
    const GLSL_NAME: &'static str = M::GLSL_NAME;
    const GLSL: &'static str = M::GLSL;

    fn descriptor() -> Descriptor {
        M::descriptor()
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        M::prepare(parameters)
    }

    fn moduli(constants: &[f64], state: [f64; 4]) -> Moduli {
        M::moduli(constants, state)
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        M::stable_step(constants, density, spacing)
    }
}

impl From<TuffStretch> for Stretch {
    fn from(raw: TuffStretch) -> Self {
        let axis = |k: usize| [0, 1, 2].map(|i| raw.axes[3 * k + i]);
        Self { hencky: raw.hencky, axes: [axis(0), axis(1), axis(2)] }
    }
}

impl From<Stretch> for TuffStretch {
    fn from(stretch: Stretch) -> Self {
        let mut axes = [0.0; 9];
        axes.copy_from_slice(stretch.axes.as_flattened());
        Self { hencky: stretch.hencky, axes }
    }
}

/// Calls `f` with the point in the form that a model sees.
///
/// # Safety
/// `point` is null or leads to a [`TuffTensorPoint`] whose constants are readable.
unsafe fn with_point(point: *const TuffTensorPoint, f: impl FnOnce(&TensorPoint) -> i32) -> i32 {
    // SAFETY: as for this function.
    if unsafe { size_at(point) } < TuffTensorPoint::FIRST_SIZE {
        return abi::STATUS_MISUSE;
    }
    // SAFETY: not null, and as long as the first version of the struct, which is the one read here.
    let raw = unsafe { &*point };
    // SAFETY: the caller vouches for the constants.
    let Some(constants) = (unsafe { slice(raw.constants, raw.constant_count) }) else {
        return abi::STATUS_MISUSE;
    };
    let row = |i: usize| [0, 1, 2].map(|j| raw.deformation[3 * i + j]);
    f(&TensorPoint {
        constants,
        state: raw.state,
        strain: raw.strain.into(),
        branch: raw.branch.into(),
        deformation: [row(0), row(1), row(2)],
        dt: raw.dt,
    })
}

unsafe extern "C" fn respond<M: TensorModel>(
    point: *const TuffTensorPoint,
    out: *mut TuffTensorResponse,
) -> i32 {
    // SAFETY: the caller vouches for both structs.
    guard(|| unsafe {
        with_point(point, |point| {
            let r = M::respond(point);
            let (struct_size, abi_version, energy, kirchhoff) = (0, 0, r.energy, r.kirchhoff);
            write(out, TuffTensorResponse { struct_size, abi_version, energy, kirchhoff })
        })
    })
}

unsafe extern "C" fn advance<M: TensorModel>(
    point: *const TuffTensorPoint,
    out: *mut TuffTensorUpdate,
) -> i32 {
    // SAFETY: the caller vouches for both structs.
    guard(|| unsafe {
        with_point(point, |point| {
            let u = M::advance(point);
            let update = TuffTensorUpdate {
                struct_size: 0,
                abi_version: 0,
                state: u.state,
                strain: u.strain.into(),
                branch: u.branch.into(),
                forget: u.forget,
                case_id: u.case,
                reserved: 0,
            };
            write(out, update)
        })
    })
}

unsafe extern "C" fn energy<M: TensorModel>(point: *const TuffTensorPoint, out: *mut f64) -> i32 {
    // SAFETY: the caller vouches for the struct and room for one number.
    guard(|| unsafe { with_point(point, |point| put(out, [M::energy(point)])) })
}
