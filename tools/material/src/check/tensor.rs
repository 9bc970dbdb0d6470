//! Checks models of the tensor variant against the laws that they must satisfy.

mod compare;
mod device;
mod glsl;
mod laws;
mod matter;
mod probe;
mod report;

pub use glsl::check as check_glsl;
pub use laws::{check, states};
pub use matter::Matter;
