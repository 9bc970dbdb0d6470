//! One test per bug, named after what broke.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod component_loads_by_address;
