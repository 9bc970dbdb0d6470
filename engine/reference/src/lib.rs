//! The XPBI substep on the CPU, on all cores: as a device with pairs in f32, and as the reference with everything in f64. Also a baseline:
//! [`mpm`].
//!
//! Entry points: [`ReferenceSolver`] takes a [`tuff_problem::Problem`]; [`substep::substep`] reads
//! like the paper, one line per stage; [`stages`] holds the twin of every shader, each a function on
//! the plain [`State`], so that tests can feed snapshots and compare. The formulas are in
//! `engine/solver/METHOD.md`.
//!
//! Cells and neighbors follow from positions and distances rounded to f32, as on the device, so that both visit the same pairs in the same
//! order; what particles keep is f64.

pub mod batch;
pub mod clock;
pub mod constraints;
pub mod context;
mod history;
pub mod kernel;
pub mod lanes;
pub mod law;
pub mod mpm;
pub mod newton;
pub mod pairs;
pub mod parallel;
pub mod placed;
pub mod rigid;
pub mod scalar;
pub mod sheets;
pub mod stages;
pub mod state;
pub mod strain;
pub mod substep;
pub mod sweep;
pub mod symmetric;
pub mod tensor;
pub mod trace;
pub mod trials;

mod examine;
mod saved;
mod solver;

pub use context::{Context, Material, Step};
pub use examine::examine;
pub use law::Law;
pub use mpm::MpmSolver;
pub use solver::{ReferenceSolver, both};
pub use state::State;
