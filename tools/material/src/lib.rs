//! The part of the kit for material libraries that tests share: evaluation of a model's GLSL on a device ([`device`]), and element tests
//! in f64 ([`drivers`], [`piece`], [`surface`], and [`tensor_drivers`] for models of the tensor variant).
//!
//! The program `tuff-material` is in `main.rs`, one module per command.

pub mod device;
pub mod drivers;
pub mod piece;
pub mod surface;
pub mod tensor_drivers;
