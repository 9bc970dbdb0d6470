//! A scene with its particles, materials and settings, ready for a solver, and what a solver
//! returns. Device-free: the Vulkan solver and the f64 reference share every type here.
//!
//! Entry points: [`Problem::new`] on the way in, [`Solver`] on the way out.

mod advice;
mod control;
mod cost;
mod density;
mod face;
mod failure;
mod falls;
mod frame;
mod grid;
pub mod links;
pub mod newton;
mod problem;
mod range;
mod replacement;
mod report;
mod scheme;
mod solver;
mod step_control;
mod stiffness;
mod trace;

pub use control::Control;
pub use density::{DENSITY_TOLERANCE, density_limits, kernel, packing, packing_limits};
pub use face::{Face, faces};
pub use failure::{
    Evidence, Examination, Failure, FailureKind, NEWTON_SOLVE, Origin, Point, START, SURROUNDINGS,
    Surroundings,
};
pub use frame::{Frame, Wanted};
pub use grid::{COLOR_COUNT, Grid};
pub use links::Links;
pub use problem::{
    Problem, ProblemError, ResolvedMaterial, XSPH_VISCOSITY, bounds, grid_for, max_cells, xsph_coefficient,
};
pub use range::{MOST_FACES, MOST_PARTICLES, many_particles};
pub use replacement::{Replacement, ReplacementError};
pub use report::{
    COUNTERS, Counter, Counters, DEVICE_COUNTERS, Energies, FrameReport, Residual, SimulationError,
};
pub use scheme::{NEWTON_CROSSINGS, Reason, SchemeChoice};
pub use solver::{Attempt, Column, Explanation, Refusal, Seen, Solver, SolverState, Step, Steps};
pub use step_control::StepControl;
pub use stiffness::doubts as stiffness_doubts;
pub use trace::Trace;

use tuff_scene::SolverSettings;

/// Faces of colliders that a particle can touch at once; of more, the nearest.
pub const CONTACT_SLOTS: usize = 3;

/// Rounds of the position correction by distance that follow a Newton solve, each over all pairs at once.
pub const CORRECTION_ROUNDS: u32 = 10;

/// Stiffness of a pair that would come too near in a Newton solve, in kernel radii times the harmonic mean of the moduli of uniaxial
/// strain of its particles [dimensionless] (engine/solver/METHOD.md "Newton").
pub const NEAR_STIFFNESS: f64 = 0.3;

/// Unit roundoff of a velocity in f32 [dimensionless].
pub const VELOCITY_ROUNDING: f64 = 6e-8;

/// Block of a particle over its mass [dimensionless] from which on a contact in a Newton solve takes as given that the matter around it
/// answers, too, and to which on it does so wholly.
pub const EASED: (f64, f64) = (30.0, 300.0);

/// Square root of the part of the energy of a contact that the imbalance which a Newton solve leaves may hold as strain [dimensionless].
pub const STRAIN_SHARE: f64 = 0.1;

/// In such a round a pair moves by this part of what it lacks, over the larger number of pairs that its particles had in the
/// round before, and by all of it at most.
pub const CROWD_SHARE: f64 = 2.0;

/// Part of the least distance that a pair may lack in such a round and counts as parted: rounding.
pub const PARTED: f64 = 1e-4;

/// Part of an overlap that a substep works off by displacement. Overlaps are what contacts and the position correction by
/// distance let be: these act against approach alone, so that none of them turns into velocity.
pub const WORKED_OFF: f64 = 0.25;

/// Longest displacement in a substep for this [kernel radii].
pub const MOST_DISPLACED: f64 = 0.1;

/// Part of its deviator below which matter that yields counts as loose, the more so the less it keeps.
pub const LOOSE_BELOW: f64 = 0.1;

/// Rate, per non-affine strain, at which log J of matter that flows is brought to its packing.
pub const PACKING_RATE: f64 = 30.0;

/// Non-affine strain of a substep that counts as rest there, in parts of `g dt^2 / r`: about what the tolerance of a solve leaves.
pub const REST_MOVE: f64 = 0.02;

/// Rate, per non-affine move of a pair over its distance, at which particles of matter without stress that are nearer than on
/// a lattice are parted.
pub const SPREAD_RATE: f64 = 20.0;

/// log J from which loose matter counts as open and such pairs are parted in full, less below in proportion. What has not opened
/// is only about to move: parted there, a layer of sand creeps down a slope that it ought to lie on.
pub const SPREAD_OPEN: f64 = 0.1;

/// Most of what such a pair lacks that a substep parts it by.
pub const SPREAD_PART: f64 = 0.5;

/// Stands for the bound of a memory that nothing bounds, as in matter that never flows [m].
pub const UNBOUNDED: f64 = 1e30;

/// Curvatures that scatter less than this part of their mean square beside what slopes explain are not told from these.
pub const CURVATURE_SCATTER: f64 = 0.1;

/// Most `r^2 sum |g_b - L a_b|^2` by which telling curvature from slope may steepen the gradient of a neighborhood.
pub const CURVATURE_STEEPEST: f64 = 3.0;

/// Least eigenvalue of `sum w^ a d^T` over the largest below which curvature is not told from slope.
pub const CURVATURE_FLAT: f64 = 0.01;

/// The same from which on it is told in full.
pub const CURVATURE_ROUND: f64 = 0.05;

/// Share of other bodies in the kernel moment from which on it is not told at all.
pub const CURVATURE_FOREIGN: f64 = 0.3;

/// Sweeps of the position correction by density that follow a Newton solve.
pub const CORRECTION_SWEEPS: u32 = 5;

/// Force residual, in parts of its tolerance, above which a substep that Newton's method solved is repeated in two halves.
pub const UNBALANCED: f64 = 3.0;

/// How often a substep is halved for want of balance: its eighths count in any case.
pub const MOST_HALVINGS: u32 = 3;

/// Force residual above which a part of a substep, halved `halvings` times, is not to count; none counts in any case.
pub fn most_residual(settings: &SolverSettings, halvings: u32) -> Option<f64> {
    let judged = settings.newton() && settings.residual_tolerance > 0.0 && halvings < MOST_HALVINGS;
    judged.then_some(UNBALANCED * settings.residual_tolerance)
}
