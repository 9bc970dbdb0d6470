//! Finds and loads material libraries, checks everything they declare, and wraps their functions safely.
//!
//! [`Library::discover`] turns a [`SearchPath`] into [`Model`]s.
#![allow(unsafe_code, reason = "loading libraries and calling through the C ABI")]

mod error;
mod glsl;
mod image;
mod library;
mod memory;
mod model;
mod probe;
mod read;
mod search;
mod tensor;
mod watchdog;

pub use error::{PluginError, PrepareError};
pub use glsl::{LooseMacro, without_comments};
pub use library::{Library, content_hash};
pub use model::Model;
pub use probe::{Probe, answer};
pub use search::SearchPath;
pub use tuff_material_sdk::descriptor::{Descriptor, Parameter, Variant};
pub use tuff_material_sdk::{Moduli, Projection, Stretch, TensorPoint, TensorResponse, TensorUpdate};
pub use watchdog::end_if_stuck;
