//! A scene with its particles, materials and settings, ready for a solver, and the results of a solver. Device-free: the Vulkan
//! solver and the f64 reference share every type here.
//!
//! Entry points: [`Problem::new`] on the way in, [`Solver`] on the way out.

mod advice;
mod boxes;
mod class;
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
pub use mixture::{ACCELERATION_TIME, BED, Mixtures, Pores, SPARSE_STEP, acceleration_part, presence};
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

/// Stiffness of a too-close pair in a Newton solve, as a multiple of kernel radius times the harmonic mean of its particles'
/// moduli of uniaxial strain [dimensionless] (engine/solver/METHOD.md "Newton").
pub const NEAR_STIFFNESS: f64 = 0.3;

/// Unit roundoff of a velocity in f32 [dimensionless].
pub const VELOCITY_ROUNDING: f64 = 6e-8;

/// Ratios of a particle's diagonal block to its mass [dimensionless] between which contacts are eased in a Newton solve: from the
/// first on, a contact begins to account for the response of the matter around it; from the second on, it does so fully.
pub const EASING_RANGE: (f64, f64) = (30.0, 300.0);

/// Way beyond a predicted move around which triangles of a mesh are kept for contacts, relative to half a kernel radius [dimensionless].
pub const NEAR_MARGIN: f64 = 0.02;

/// Fraction of its Coulomb bound above which the friction of a contact with a rigid body counts as slipping [dimensionless].
pub const SLIPPING: f64 = 0.99;

/// Square root of the fraction of a contact's energy that the residual imbalance of a Newton solve may store as strain
/// [dimensionless].
pub const STRAIN_SHARE: f64 = 0.1;

/// Relaxation per round: each pair closes `min(1, factor / n)` of its gap, n = the larger number of active pairs of its two
/// particles in the previous round.
pub const PAIR_RELAXATION: f64 = 2.0;

/// Fraction of the least distance that a pair may lack and still count as separated: rounding.
pub const SEPARATION_TOLERANCE: f64 = 1e-4;

/// Fraction of an overlap that a substep removes by displacement. Contacts and the position correction by distance leave existing
/// overlaps alone and act only against approach, so that no overlap turns into velocity.
pub const OVERLAP_REDUCTION: f64 = 0.25;

/// Depth behind two patches of a mesh, relative to a particle's radius, up to which the particle touches them where they meet. Deeper
/// points may lie beyond the matter's side of the mesh.
pub const CUT_DEPTH: f64 = 0.5;

/// Distance beyond its place on an adhesive surface up to which a particle is held [kernel radii]; a substep begins to hold what is
/// nearer, and lets go what is farther away.
pub const ADHESION_REACH: f64 = 0.1;

/// Maximum length of this displacement per substep [kernel radii].
pub const MAX_DISPLACEMENT: f64 = 0.1;

/// Fraction of its deviator below which yielding matter counts as loose; the less it keeps, the looser it is.
pub const LOOSE_BELOW: f64 = 0.1;

/// Rate, per unit of non-affine strain, at which log J of flowing matter approaches its packing.
pub const PACKING_RATE: f64 = 30.0;

/// Non-affine strain per substep that the packing correction treats as rest, in units of `g dt^2 / r`: about what the tolerance
/// of a solve leaves.
pub const REST_MOVE: f64 = 0.02;

/// Rate, per non-affine displacement of a pair relative to its distance, at which particles of stress-free matter closer than on
/// a lattice are separated.
pub const SPREAD_RATE: f64 = 20.0;

/// log J from which loose matter counts as open, so that such pairs are separated at the full rate; below, the rate is
/// proportional to log J. Matter that has not opened is only about to move: separating its pairs would make a layer of sand creep
/// down a slope on which it should rest.
pub const SPREAD_OPEN: f64 = 0.1;

/// Largest fraction of such a pair's missing distance that one substep restores.
pub const SPREAD_MAX: f64 = 0.5;

/// Stand-in for the bound of a memory without one, as in matter that never flows [m].
pub const UNBOUNDED: f64 = 1e30;

/// Curvature is not separated from slope where the scatter that slopes leave unexplained is below this fraction of the mean
/// square.
pub const CURVATURE_SCATTER: f64 = 0.1;

/// Largest `r^2 sum |g_b - L a_b|^2` by which separating curvature from slope may steepen the gradient of a neighborhood.
pub const CURVATURE_STEEPEST: f64 = 3.0;

/// Eigenvalues of a fluid's moment between which its gradients pass from those of its density to exact ones: inside, exact ones let it
/// shear without resistance; at a surface, where they would be much larger than the density tells, they would feed it with energy.
pub const FLUID_COMPLETES: (f64, f64) = (0.6, 0.8);

/// Least principal stretch of total bodies: neighborhoods that are flatter, or turned inside out, respond as if they had it.
pub const LEAST_STRETCH: f64 = 0.1;

/// Ratio of the least to the largest eigenvalue of `sum w^ a d^T` below which curvature is not separated from slope.
pub const CURVATURE_FLAT: f64 = 0.01;

/// Same ratio, from which on curvature is separated in full.
pub const CURVATURE_ROUND: f64 = 0.05;

/// Share of other bodies in the kernel moment from which on curvature is not separated at all.
pub const CURVATURE_FOREIGN: f64 = 0.3;

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
