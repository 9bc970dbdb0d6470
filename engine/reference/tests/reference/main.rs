//! Closed forms, invariants and published numbers; no device, no plugin.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod boundaries;
mod density;
mod experiments;
mod gradients;
mod grains;
mod laws;
mod loose;
mod mpm;
mod newton;
mod packing;
mod push_apart;
mod residuals;
mod rows;
mod runs;
mod setup;
