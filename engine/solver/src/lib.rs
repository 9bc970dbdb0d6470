//! The XPBI substep on Vulkan.
//!
//! Entry point: [`GpuSolver::new`]. [`substep`] is the method; each of its lines is a stage in [`stages`], with a shader of the same
//! name in `shaders/stages` and an f64 twin in `tuff-reference`.

pub mod agreement;
pub mod attributes;
mod blame;
pub mod bodies;
mod code;
pub mod colliders;
pub mod constants;
pub mod constraints;
pub mod graph;
mod list;
mod mapping;
pub mod materials;
pub mod mixtures;
mod profile;
pub mod push;
mod setup;
pub mod sheets;
mod solver;
pub mod stages;
pub mod status;
pub mod substep;
pub mod tension;
mod transfer;

pub use code::{StageCode, compiled};
pub use list::List;
pub use mapping::Mapping;
pub use setup::{Options, SolverError, memory_estimate};
pub use solver::GpuSolver;
pub use stages::Stage;
