//! What the kit for material libraries shares with tests: a model's GLSL, evaluated on a device.
//!
//! The program `tuff-material` is in `main.rs`, one module per command.

pub mod device;
