//! Runs a scene frame by frame on a device selected by name.
//!
//! Entry point: [`open`] returns a [`Simulation`]. It is a [`Run`], the driver shared by all [solvers](tuff_problem::Solver):
//! it chooses the length of substeps, halves rejected ones, repeats a frame with shorter substeps if halving does not help,
//! and saves states for retries and [checkpoints](Checkpoint). Errors are typed; exit codes belong to programs.

mod checkpoint;
mod derived;
mod device;
mod identity;
mod population;
mod profile;
mod run;
mod simulation;
mod substeps;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use derived::Derived;
pub use device::{
    Chosen, CpuSimulation, GpuSimulation, MpmSimulation, OpenError, ReferenceSimulation, chosen,
    device_memory, names_cpu, on_cpu, open,
};
pub use identity::{Difference, differences, start_hash};
pub use run::Run;
pub use simulation::{RunState, Simulation};
