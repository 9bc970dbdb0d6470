//! `tuff-material` as a user runs it. No device is needed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check;
mod check_tensor;
#[path = "../common/mod.rs"]
mod common;
mod drive;
mod drivers;
mod eval;
mod guide;
mod new;
mod plot;
mod tensor_drivers;
