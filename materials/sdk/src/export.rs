//! Builds the C table of a model: called by [`export_material!`](crate::export_material) and
//! [`export_tensor_material!`](crate::export_tensor_material).

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use crate::abi::{
    self, ABI_VERSION, Sized32, TuffBatch, TuffError, TuffHost, TuffMaterial, TuffModuli, TuffParameter,
    TuffPoint, TuffProjection, TuffStateWord, TuffString,
};
use crate::descriptor::{Descriptor, Initial, Parameter, ParameterKind, StateWord, Variant};
use crate::{ConstitutiveModel, Moduli, ParameterError, Parameters, Point};

mod tensor;

pub use tensor::entry_tensor;

/// Exports a type that implements [`ConstitutiveModel`] as a material library: the crate's one exported symbol.
///
/// ```
/// # use tuff_material_sdk::{ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection};
/// # use tuff_material_sdk::descriptor::{Claims, Descriptor, Parameter, Variant};
/// struct Fluff;
///
/// impl ConstitutiveModel for Fluff {
///     const GLSL_NAME: &'static str = "fluff.glsl";
///     const GLSL: &'static str = "/* fluff_project, fluff_energy, fluff_kirchhoff, fluff_moduli */";
///
///     fn descriptor() -> Descriptor {
///         Descriptor {
///             id: "fluff".into(),
///             version: "1.0.0".into(),
///             author: "a studio".into(),
///             help: "Shear without memory".into(),
///             reference: "none".into(),
///             parameters: vec![Parameter::number("bulk_modulus", "Pa", "Bulk modulus").required().above(0.0)],
///             states: vec![],
///             claims: Claims { isotropic: true, ..Claims::default() },
///             variant: Variant::Principal,
///             constant_count: 1,
///         }
///     }
///     fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
///         Ok(vec![parameters.need("bulk_modulus")?])
///     }
///     fn project(point: &Point) -> Projection {
///         let mean = point.hencky.iter().sum::<f64>() / 3.0;
///         Projection { hencky: [mean; 3], state: point.state, forget: 0.0, case: 1 }
///     }
///     fn energy(point: &Point) -> f64 {
///         0.5 * point.constants[0] * point.hencky.iter().sum::<f64>().powi(2)
///     }
///     fn kirchhoff(point: &Point) -> [f64; 3] {
///         [point.constants[0] * point.hencky.iter().sum::<f64>(); 3]
///     }
///     fn moduli(point: &Point) -> Moduli {
///         Moduli { shear: 0.0, bulk: point.constants[0] }
///     }
///     fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
///         spacing / (constants[0] / density).sqrt()
///     }
/// }
///
/// tuff_material_sdk::export_material!(Fluff);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_material {
    ($model:ty) => {
        $crate::export_entry!($crate::export::entry::<$model>);
    };
}

/// Defines the exported symbol of a library; `$entry` builds the table.
#[doc(hidden)]
#[macro_export]
macro_rules! export_entry {
    ($entry:expr) => {
        #[doc(hidden)]
        #[allow(unsafe_code, reason = "the library's one exported symbol")]
        // SAFETY: the name belongs to this ABI, and a library exports one model.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn tuff_material_entry_v1(
            host: *const $crate::abi::TuffHost,
        ) -> *const $crate::abi::TuffMaterial {
            static TABLE: ::std::sync::OnceLock<Option<&'static $crate::abi::TuffMaterial>> =
                ::std::sync::OnceLock::new();
            $entry(&TABLE, host)
        }
    };
}

/// Returns the table of a model, built at the first call; null if that panics or `host` is null.
#[doc(hidden)]
pub fn entry<M: ConstitutiveModel>(
    table: &OnceLock<Option<&'static TuffMaterial>>,
    host: *const TuffHost,
) -> *const TuffMaterial {
    let functions = || TuffMaterial {
        project: Some(project::<M>),
        energy: Some(energy::<M>),
        kirchhoff: Some(kirchhoff::<M>),
        stress: Some(stress::<M>),
        ..common_table::<Principal<M>>()
    };
    publish(table, host, functions)
}

fn publish(
    table: &OnceLock<Option<&'static TuffMaterial>>,
    host: *const TuffHost,
    build: impl FnOnce() -> TuffMaterial,
) -> *const TuffMaterial {
    if host.is_null() {
        return std::ptr::null();
    }
    let build = AssertUnwindSafe(|| &*Box::leak(Box::new(build())));
    let table = *table.get_or_init(|| catch_unwind(build).ok());
    table.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Common part of both variants.
trait Common: 'static {
    const GLSL_NAME: &'static str;
    const GLSL: &'static str;
    const FLUID: bool = false;
    fn descriptor() -> Descriptor;
    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError>;
    fn moduli(constants: &[f64], state: [f64; 4]) -> Moduli;
    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64;
}

struct Principal<M>(PhantomData<M>);

impl<M: ConstitutiveModel> Common for Principal<M> {
    const GLSL_NAME: &'static str = M::GLSL_NAME;
    const GLSL: &'static str = M::GLSL;
    const FLUID: bool = M::FLUID;

    fn descriptor() -> Descriptor {
        M::descriptor()
    }

    fn prepare(parameters: &Parameters) -> Result<Vec<f64>, ParameterError> {
        M::prepare(parameters)
    }

    fn moduli(constants: &[f64], state: [f64; 4]) -> Moduli {
        M::moduli(&Point { constants, state, hencky: [0.0; 3], dt: 0.0 })
    }

    fn stable_step(constants: &[f64], density: f64, spacing: f64) -> f64 {
        M::stable_step(constants, density, spacing)
    }
}

/// Builds the table without the functions that only one variant has.
fn common_table<M: Common>() -> TuffMaterial {
    let d = M::descriptor();
    let (parameters, states) = (d.parameters.iter().map(parameter), d.states.iter().map(state_word));
    let (parameters, parameter_count) = leak_list(parameters.collect());
    let (states, state_count) = leak_list(states.collect());
    let bits = [
        (d.claims.isotropic, abi::CLAIM_ISOTROPIC),
        (d.claims.volume_preserving, abi::CLAIM_VOLUME_PRESERVING),
        (d.claims.rate_independent, abi::CLAIM_RATE_INDEPENDENT),
        (d.claims.dissipative, abi::CLAIM_DISSIPATIVE),
        (M::FLUID, abi::CLAIM_FLUID),
    ];
    TuffMaterial {
        struct_size: size_of::<TuffMaterial>() as u32,
        abi_version: ABI_VERSION,
        id: leak(&d.id),
        version: leak(&d.version),
        author: leak(&d.author),
        help: leak(&d.help),
        reference: leak(&d.reference),
        glsl_name: TuffString::from_static(M::GLSL_NAME),
        glsl: TuffString::from_static(M::GLSL),
        variant: match d.variant {
            Variant::Principal => abi::VARIANT_PRINCIPAL,
            Variant::Tensor { .. } => abi::VARIANT_TENSOR,
        },
        claims: flags(&bits),
        parameters,
        states,
        parameter_count,
        state_count,
        constant_count: d.constant_count as u32,
        reserved: 0,
        prepare: Some(prepare::<M>),
        project: None,
        energy: None,
        kirchhoff: None,
        moduli: Some(moduli::<M>),
        stable_step: Some(stable_step::<M>),
        tangent: None,
        tensor: std::ptr::null(),
        reserved_slots: [std::ptr::null(); 6],
        stress: None,
    }
}

fn parameter(p: &Parameter) -> TuffParameter {
    let (kind, words): (u32, &[String]) = match &p.kind {
        ParameterKind::Number => (abi::KIND_NUMBER, &[]),
        ParameterKind::Boolean => (abi::KIND_BOOLEAN, &[]),
        ParameterKind::Choice(words) => (abi::KIND_CHOICE, words),
    };
    let (choices, choice_count) = leak_list(words.iter().map(|w| leak(w)).collect());
    let (aliases, alias_count) = leak_list(p.aliases.iter().map(|a| leak(a)).collect());
    TuffParameter {
        struct_size: size_of::<TuffParameter>() as u32,
        abi_version: ABI_VERSION,
        name: leak(&p.name),
        unit: leak(&p.unit),
        help: leak(&p.help),
        kind,
        flags: flags(&[
            (p.required, abi::PARAMETER_REQUIRED),
            (p.default.is_some(), abi::PARAMETER_HAS_DEFAULT),
            (p.min_exclusive, abi::PARAMETER_MIN_EXCLUSIVE),
            (p.max_exclusive, abi::PARAMETER_MAX_EXCLUSIVE),
            (p.typical.is_some(), abi::PARAMETER_HAS_TYPICAL),
        ]),
        default_value: p.default.unwrap_or(f64::NAN),
        min: p.min,
        max: p.max,
        choices,
        choice_count,
        alias_count,
        aliases,
        typical_value: p.typical.unwrap_or(f64::NAN),
    }
}

fn state_word(s: &StateWord) -> TuffStateWord {
    let (from_constant, initial_constant, initial_value) = match s.initial {
        Initial::Value(value) => (false, 0, value),
        Initial::Constant(index) => (true, index as u32, 0.0),
    };
    let (aliases, alias_count) = leak_list(s.aliases.iter().map(|a| leak(a)).collect());
    TuffStateWord {
        struct_size: size_of::<TuffStateWord>() as u32,
        abi_version: ABI_VERSION,
        name: leak(&s.name),
        unit: leak(&s.unit),
        help: leak(&s.help),
        flags: flags(&[(s.exported, abi::STATE_EXPORTED), (from_constant, abi::STATE_FROM_CONSTANT)]),
        initial_constant,
        initial_value,
        aliases,
        alias_count,
        reserved: 0,
    }
}

fn flags(bits: &[(bool, u32)]) -> u32 {
    bits.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum()
}

/// Leaks the text: the table and everything it points to live as long as the process.
fn leak(text: &str) -> TuffString {
    TuffString::from_static(Box::leak(text.to_owned().into_boxed_str()))
}

fn leak_one<T: 'static>(item: T) -> *const T {
    Box::leak(Box::new(item))
}

fn leak_list<T: 'static>(items: Vec<T>) -> (*const T, u32) {
    if items.is_empty() {
        return (std::ptr::null(), 0);
    }
    let items: &'static [T] = Box::leak(items.into_boxed_slice());
    (items.as_ptr(), items.len() as u32)
}

/// Runs a model's function; a panic becomes a status.
fn guard(call: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(abi::STATUS_PANIC)
}

/// Returns the size declared by a struct of the caller; 0 for null.
///
/// # Safety
/// `pointer` is null or leads to a struct of the ABI.
unsafe fn size_at<T: Sized32>(pointer: *const T) -> u32 {
    // SAFETY: not null, and every struct of the ABI begins with its size.
    if pointer.is_null() { 0 } else { unsafe { pointer.cast::<u32>().read() } }
}

/// Writes as much of a result as the caller's struct has room for; its size and version stay the caller's.
///
/// # Safety
/// `out` is null or leads to a struct of the type that begins with its size.
unsafe fn write<T: Sized32>(out: *mut T, value: T) -> i32 {
    const HEADER: usize = size_of::<[u32; 2]>();
    // SAFETY: as for this function.
    let size = unsafe { size_at(out) };
    if size < T::FIRST_SIZE {
        return abi::STATUS_MISUSE;
    }
    let length = size_of::<T>().min(size as usize) - HEADER;
    let (from, to) = (std::ptr::from_ref(&value).cast::<u8>(), out.cast::<u8>());
    // SAFETY: both structs are longer than the header and have `length` bytes after it.
    unsafe { std::ptr::copy_nonoverlapping(from.add(HEADER), to.add(HEADER), length) };
    abi::STATUS_OK
}

/// Returns the slice behind a pointer and a length; null is valid only for an empty one.
unsafe fn slice<'a>(data: *const f64, length: u32) -> Option<&'a [f64]> {
    if data.is_null() {
        return (length == 0).then_some(&[]);
    }
    // SAFETY: the caller vouches for `length` numbers.
    Some(unsafe { std::slice::from_raw_parts(data, length as usize) })
}

/// Calls `f` with the point in the form that a model sees.
///
/// # Safety
/// `point` is null or leads to a [`TuffPoint`] whose constants are readable.
unsafe fn with_point(point: *const TuffPoint, f: impl FnOnce(&Point) -> i32) -> i32 {
    // SAFETY: as for this function.
    if unsafe { size_at(point) } < TuffPoint::FIRST_SIZE {
        return abi::STATUS_MISUSE;
    }
    // SAFETY: not null, and as long as the first version of the struct, which is the one read here.
    let raw = unsafe { &*point };
    // SAFETY: the caller vouches for the constants.
    let Some(constants) = (unsafe { slice(raw.constants, raw.constant_count) }) else {
        return abi::STATUS_MISUSE;
    };
    f(&Point { constants, state: raw.state, hencky: raw.hencky, dt: raw.dt })
}

unsafe extern "C" fn prepare<M: Common>(
    parameters: *const f64,
    parameter_count: u32,
    constants: *mut f64,
    constant_count: u32,
    error: *mut TuffError,
) -> i32 {
    // SAFETY: the caller vouches for the pointers and lengths; each is checked for null before use.
    guard(|| unsafe {
        let Some(values) = slice(parameters, parameter_count) else { return abi::STATUS_MISUSE };
        let descriptor = M::descriptor();
        let named = Parameters::new(&descriptor, values);
        let (Some(named), false) = (named, constants.is_null() && constant_count > 0) else {
            return abi::STATUS_MISUSE;
        };
        match named.check_ranges().and_then(|()| M::prepare(&named)) {
            Ok(prepared) if prepared.len() == constant_count as usize => {
                std::ptr::copy_nonoverlapping(prepared.as_ptr(), constants, prepared.len());
                abi::STATUS_OK
            }
            Ok(_) => abi::STATUS_MISUSE,
            Err(refused) => {
                report(&refused, &descriptor, error);
                abi::STATUS_REFUSED
            }
        }
    })
}

unsafe fn report(refused: &ParameterError, descriptor: &Descriptor, error: *mut TuffError) {
    let mut length = refused.message.len().min(512);
    while !refused.message.is_char_boundary(length) {
        length -= 1;
    }
    let mut message = [0; 512];
    message[..length].copy_from_slice(&refused.message.as_bytes()[..length]);
    let index = refused.parameter.as_deref().and_then(|name| descriptor.parameter_index(name));
    let report = TuffError {
        struct_size: 0,
        abi_version: 0,
        parameter: index.map_or(abi::NO_PARAMETER, |index| index as u32),
        message_length: length as u32,
        message,
    };
    // SAFETY: the caller of `prepare` vouches for the struct. If there is none, the status suffices.
    let _status = unsafe { write(error, report) };
}

unsafe extern "C" fn project<M: ConstitutiveModel>(point: *const TuffPoint, out: *mut TuffProjection) -> i32 {
    // SAFETY: the caller vouches for both structs.
    guard(|| unsafe {
        with_point(point, |point| {
            let p = M::project(point);
            let (hencky, state, forget, case_id) = (p.hencky, p.state, p.forget, p.case);
            let (struct_size, abi_version, reserved) = (0, 0, 0);
            write(out, TuffProjection { struct_size, abi_version, case_id, reserved, hencky, state, forget })
        })
    })
}

unsafe extern "C" fn energy<M: ConstitutiveModel>(point: *const TuffPoint, out: *mut f64) -> i32 {
    // SAFETY: the caller vouches for the struct and room for one number.
    guard(|| unsafe { with_point(point, |point| put(out, [M::energy(point)])) })
}

unsafe extern "C" fn kirchhoff<M: ConstitutiveModel>(point: *const TuffPoint, out: *mut f64) -> i32 {
    // SAFETY: the caller vouches for the struct and room for three numbers.
    guard(|| unsafe { with_point(point, |point| put(out, M::kirchhoff(point))) })
}

unsafe extern "C" fn stress<M: ConstitutiveModel>(batch: *const TuffBatch, out: *mut f64) -> i32 {
    // SAFETY: the caller vouches for the struct, and for three rows of numbers at `out` like those of the strains.
    guard(|| unsafe {
        if size_at(batch) < TuffBatch::FIRST_SIZE || out.is_null() {
            return abi::STATUS_MISUSE;
        }
        let batch = &*batch;
        let (count, stride) = (batch.count as usize, batch.stride as usize);
        let Some(constants) = slice(batch.constants, batch.constant_count) else { return abi::STATUS_MISUSE };
        if stride < count || batch.state.is_null() || batch.hencky.is_null() {
            return abi::STATUS_MISUSE;
        }
        for i in 0..count {
            let state = batch.state.cast::<[f64; 4]>().add(i).read_unaligned();
            let hencky = [0, 1, 2].map(|axis| batch.hencky.add(axis * stride + i).read());
            let tau = M::stress(&Point { constants, state, hencky, dt: batch.dt });
            for (axis, tau) in tau.into_iter().enumerate() {
                out.add(axis * stride + i).write(tau);
            }
        }
        abi::STATUS_OK
    })
}

unsafe extern "C" fn moduli<M: Common>(point: *const TuffPoint, out: *mut TuffModuli) -> i32 {
    // SAFETY: the caller vouches for both structs.
    guard(|| unsafe {
        with_point(point, |point| {
            let m = M::moduli(point.constants, point.state);
            write(out, TuffModuli { struct_size: 0, abi_version: 0, shear: m.shear, bulk: m.bulk })
        })
    })
}

unsafe extern "C" fn stable_step<M: Common>(
    constants: *const f64,
    constant_count: u32,
    density: f64,
    spacing: f64,
    out: *mut f64,
) -> i32 {
    // SAFETY: the caller vouches for the constants and room for one number.
    guard(|| unsafe {
        let Some(constants) = slice(constants, constant_count) else { return abi::STATUS_MISUSE };
        put(out, [M::stable_step(constants, density, spacing)])
    })
}

unsafe fn put<const N: usize>(out: *mut f64, values: [f64; N]) -> i32 {
    if out.is_null() {
        return abi::STATUS_MISUSE;
    }
    // SAFETY: the caller vouches for room for `N` numbers.
    unsafe { out.cast::<[f64; N]>().write_unaligned(values) };
    abi::STATUS_OK
}

#[cfg(test)]
mod tests;
