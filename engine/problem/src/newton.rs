//! Bounds of a Newton solve, shared by the device solver and the f64 twin (engine/solver/METHOD.md "Newton").

/// Fraction of its residual that the first linear solve may leave, and the bounds of this fraction in later ones (Eisenstat and
/// Walker 1996).
pub const FORCING_FIRST: f64 = 0.3;
/// See [`FORCING_FIRST`].
pub const FORCING_MIN: f64 = 0.05;
/// See [`FORCING_FIRST`].
pub const FORCING_MAX: f64 = 0.5;

/// Accept a guess only if its residual does not exceed that of no guess (up to rounding).
pub const GUESS_ROUNDING: f64 = 1.001;

/// Passes that must be left to return to a rejected guess: its evaluation, and a move with the way back.
pub const GUESS_AGAIN: u32 = 3;

/// Fraction of the predicted decrease that a step has to achieve.
pub const DECREASE: f64 = 1e-2;

/// Shortest fraction of a step that is tried.
pub const SHORTEST: f64 = 0.125;

/// Norm, relative to the lowest so far, up to which a step is accepted all the same: at a kink of the law, the way to balance
/// leads uphill.
pub const KINK_ALLOWANCE: f64 = 1.2;

/// Number of moves in a round of relaxation.
pub const ROUND_MOVES: u32 = 4;

/// Fraction of the imbalance at its start that a round may leave for another round to follow.
pub const ROUND_REDUCTION: f64 = 0.75;

/// Friction above which a slipping particle responds to a move with the load on its contact as well.
pub const LOADED_FRICTION: f64 = 1.5;

/// Factor by which a move of relaxation may raise the imbalance.
pub const GROWTH: f64 = 10.0;

/// Squared sine of the angle between the effects of two moves below which they count as one.
pub const COLLINEAR_SINE_SQUARED: f64 = 1e-4;

/// Momentum, in units of the scale of the tolerance, from which on it may be noise left by the last solves; below, it is frozen.
pub const NOISE_FROM: f64 = 1e-2;

/// Momentum up to which it may be noise; above, it is motion.
pub const NOISE_TO: f64 = 1.0;

/// Speed limit in that momentum, in units of the speed that gravity adds in a substep; faster particles count as that fast.
pub const NOISE_SPEED_CAP: f64 = 8.0;

/// Fraction of the tolerance at which solves end if motion may be noise, so that it decays.
pub const NOISE_TOLERANCE: f64 = 0.33;

/// Maximum number of evaluations within the tolerance that a solve spends on [`NOISE_TOLERANCE`].
pub const NOISE_EVALUATIONS: u32 = 8;

/// Fraction of its weight that friction bears of a loose particle: in a body that rests, one out of balance by more at the guess is
/// not held, because its neighbors need its motion.
pub const HELD_LOAD: f64 = 0.7;

/// Fraction of the speed that gravity adds in a substep below which a slipping contact is treated as sticking: the tolerance
/// leaves as much. If a creeping contact is treated as slipping, the next move stops it, which strains stiff matter by more than
/// its weight does, and it creeps again afterwards.
pub const RESTING: f64 = 1e-2;

/// Least and largest value of that slip [kernel radii per substep]: rounding leaves as much.
pub const RESTING_MIN: f64 = 1e-7;
/// See [`RESTING_MIN`].
pub const RESTING_MAX: f64 = 1e-5;
