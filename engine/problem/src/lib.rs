//! A scene with its particles, materials and settings, ready for a solver, and the results of a solver. Device-free: the Vulkan
//! solver and the f64 reference share every type here.
//!
//! Entry points: [`Problem::new`] on the way in, [`Solver`] on the way out.

mod advice;
mod boxes;
mod class;
mod contrast;
mod control;
mod cost;
mod density;
mod even;
mod face;
mod failure;
mod falls;
mod fluid;
mod fracture;
mod frame;
mod grid;
pub mod links;
mod meeting;
mod mixture;
pub mod newton;
mod pierced;
mod population;
mod problem;
pub mod profile;
mod range;
mod replacement;
mod report;
mod rigid_start;
mod scheme;
mod sheets;
mod solver;
mod step_control;
mod stiffness;
mod tension;
pub mod thresholds;
mod total;
mod trace;

pub use boxes::Boxes;
pub use class::{Alike, Class, Classes, Pairing};
pub use contrast::Contrast;
pub use control::Control;
pub use density::{density_limits, kernel, packing, packing_limits};
pub use face::{Face, Side, faces, faces_for, set_motion};
pub use failure::{
    Evidence, Examination, Failure, FailureKind, NEWTON_SOLVE, Origin, Point, START, SURROUNDINGS,
    Surroundings,
};
pub use fluid::{beyond_wall, rest_sums, wall_slope};
pub use fracture::{BrokenPair, broken_column, broken_pairs, renumbered};
pub use frame::{Frame, OptionalFields};
pub use grid::{COLOR_COUNT, Grid};
pub use links::Links;
pub use meeting::{
    Approach, BODY_SPRING, BODY_SPRING_PART, MEETING_BORDER, MEETING_OBSTACLE, Meeting, OBSTACLE_ROUNDS,
    PARALLEL_EDGES, SHEET_LEAST_SLIP, SHEET_LOAD_SHARE, SHEET_MEMBERS, SHEET_ROUNDS, SHEET_SLACK, SHEET_SLIP,
    SHEET_STIFFEST, SPOT_AT_VERTEX, SPOT_TOLERANCE, body_spring, meeting_key, obstacle_key,
};
pub use mixture::{ACCELERATION_TIME, Mixtures, Pores, SPARSE_STEP, acceleration_part, presence};
pub use pierced::Piercing;
pub use population::{Layers, append, chosen};
pub use problem::{
    Problem, ProblemError, ResolvedMaterial, XSPH_VISCOSITY, bounds, grid_for, max_cells, xsph_coefficient,
};
pub use range::{MAX_FACES, MAX_PARTICLES, many_particles};
pub use replacement::{Replacement, ReplacementError};
pub use report::{
    COUNTERS, Counter, Counters, DEVICE_COUNTERS, Energies, FrameReport, Residual, SimulationError, TILE,
};
pub use scheme::{NEWTON_CROSSINGS, Reason, SchemeChoice};
pub use sheets::{Patch, Sheet, Sheets};
pub use solver::{Attempt, Column, Explanation, Refusal, Seen, Solver, SolverState, Step, Steps};
pub use step_control::StepControl;
pub use stiffness::warnings as stiffness_warnings;
pub use tension::{Cohesion, Tension, lacking_beyond, lacking_slope, surround, surround_slope};
pub use thresholds::*;
pub use total::{Total, TotalPair};
pub use trace::Trace;
pub use tuff_rigid::RigidState;

use tuff_scene::SolverSettings;

/// Maximum number of collider faces that a particle touches at once; if there are more, the nearest are kept.
pub const CONTACT_SLOTS: usize = 3;

/// Maximum number of faces of thin colliders that a particle sees when its neighbors are listed; the nearest are kept.
pub const MAX_WALLS: usize = 3;

/// Rounds of the position correction by distance after a Newton solve, each over all pairs at once.
pub const CORRECTION_ROUNDS: u32 = 10;

/// Sweeps of the position correction by density after a Newton solve.
pub const CORRECTION_SWEEPS: u32 = 5;

/// Force residual, in units of its tolerance, above which a substep of Newton's method is repeated in two halves.
pub const UNBALANCED: f64 = 3.0;

/// Maximum number of times an unbalanced substep is halved; its eighths are accepted in any case.
pub const MAX_HALVINGS: u32 = 3;

/// Returns the force residual above which a part of a substep, halved `halvings` times, is rejected; `None` if any is accepted.
pub fn residual_limit(settings: &SolverSettings, halvings: u32) -> Option<f64> {
    let judged = settings.newton() && settings.residual_tolerance > 0.0 && halvings < MAX_HALVINGS;
    judged.then_some(UNBALANCED * settings.residual_tolerance)
}
