//! SDK for Tuff's material libraries.
//!
//! Start at [`ConstitutiveModel`] and [`export_material!`], or at [`TensorModel`] if principal strains do not suffice.
//! [`elastic`], [`split`], [`plastic`] and [`principal`] contain formulas shared by models, [`descriptor`] a model's description,
//! [`abi`] the C side.
#![allow(unsafe_code, reason = "the C ABI: raw pointers in, raw pointers out, checked in export.rs")]

pub mod abi;
pub mod descriptor;
pub mod elastic;
#[doc(hidden)]
pub mod export;
mod model;
pub mod plastic;
pub mod principal;
pub mod split;
mod tensor;

pub use model::{ConstitutiveModel, Moduli, ParameterError, Parameters, Point, Projection};
pub use tensor::{Stretch, TensorModel, TensorPoint, TensorResponse, TensorUpdate};
