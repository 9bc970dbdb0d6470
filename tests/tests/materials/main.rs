//! Material libraries as the engine loads them: reference values, closed forms, and refusals of broken ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod abi;
mod cases;
mod parameters;
mod tensor;
mod tensor_models;
mod vectors;

use tuff_tests::libraries as harness;
