//! What a material library for Tuff is written against.
//!
//! Start at [`ConstitutiveModel`] and [`export_material!`], or at [`TensorModel`] where principal strains do not suffice; [`elastic`], [`split`], [`plastic`] and [`principal`] hold the
//! formulas that models share, [`descriptor`] what a model says about itself, [`abi`] the C side.
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
