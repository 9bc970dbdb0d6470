//! Bounds of a Newton solve, the same on a device and in the f64 twin (engine/solver/METHOD.md "Newton").

/// Part of its residual that the first linear solve leaves, and the bounds of that of later ones (Eisenstat and Walker 1996).
pub const FORCING_FIRST: f64 = 0.3;
/// See [`FORCING_FIRST`].
pub const FORCING_LEAST: f64 = 0.05;
/// See [`FORCING_FIRST`].
pub const FORCING_MOST: f64 = 0.5;

/// A guess may be as far from balance as none, but for rounding.
pub const GUESS_ROUNDING: f64 = 1.001;

/// Part of the predicted decrease that a step has to bring.
pub const DECREASE: f64 = 1e-2;

/// Shortest part of a step that is tried.
pub const SHORTEST: f64 = 0.125;

/// Norm in parts of the lowest so far up to which a step counts all the same: where the law has a kink, the way to balance leads uphill.
pub const UPHILL: f64 = 1.2;

/// Moves of a round of relaxation.
pub const ROUND_MOVES: u32 = 4;

/// Part of the imbalance at its start that a round may leave if another is to follow.
pub const WORTHWHILE: f64 = 0.75;

/// How much a move of relaxation may raise the imbalance.
pub const GROWTH: f64 = 10.0;

/// Square of the sine of the angle between what two moves did below which they count as one.
pub const ALIKE: f64 = 1e-4;

/// Momentum, in parts of the scale of the tolerance, from which on it may be noise that the last solves left: less is frozen.
pub const NOISE_FROM: f64 = 1e-2;

/// The same to which: more is motion.
pub const NOISE_TO: f64 = 1.0;

/// What is faster than this, in parts of what gravity adds in a substep, counts as that fast in such a momentum.
pub const FLYING: f64 = 8.0;

/// Part of the tolerance at which solves end where motion may be noise, so that it dies away.
pub const STILLER: f64 = 0.33;

/// Evaluations within the tolerance that they take for it at most.
pub const STILLER_EVALUATIONS: u32 = 8;

/// Part of what gravity adds in a substep below which a contact that slips is taken to stick: the tolerance leaves as much. A contact
/// that is taken to slip, but only creeps, is stopped by the next move, which strains stiff matter by more than its weight does, and
/// creeps again after it.
pub const RESTING: f64 = 1e-2;

/// Least and most of that slip [kernel radii per substep]: rounding leaves as much.
pub const RESTING_LEAST: f64 = 1e-7;
/// See [`RESTING_LEAST`].
pub const RESTING_MOST: f64 = 1e-5;
