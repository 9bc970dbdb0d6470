//! Runs of a scene: frames made of substeps, on a device by name.
//!
//! Entry point: [`open`] gives a [`Simulation`] that goes from frame to frame. Behind it is a [`Run`], the one driver of all
//! [solvers](tuff_problem::Solver): it decides how long substeps are, halves those that a solver refuses, goes back to the
//! start of a frame where that does not help, and keeps states to return to. Programs know exit codes; this crate knows
//! errors.

mod checkpoint;
mod derived;
mod device;
mod identity;
mod run;
mod simulation;
mod substeps;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use derived::Derived;
pub use device::{GpuSimulation, MpmSimulation, OpenError, ReferenceSimulation, device_memory, on_cpu, open};
pub use identity::{Difference, differences, start_hash};
pub use run::Run;
pub use simulation::{RunState, Simulation};
