//! Bounds of a Newton solve, shared by the device solver and the f64 twin (engine/solver/METHOD.md "Newton").

use crate::thresholds::thresholds;

thresholds! {
    SOLVE;
    /// Fraction of its residual that the first linear solve may leave (Eisenstat and Walker 1996).
    FORCING_FIRST = 0.3;
    /// Lower bound of this fraction in later linear solves.
    FORCING_MIN = 0.05;
    /// Upper bound of this fraction in later linear solves.
    FORCING_MAX = 0.5;
    /// Accept a guess only if its residual does not exceed that of no guess (up to rounding).
    GUESS_ROUNDING = 1.001;
    /// Fraction of the predicted decrease that a step has to achieve.
    DECREASE = 1e-2;
    /// Shortest fraction of a step that is tried.
    SHORTEST = 0.125;
    /// Norm, relative to the lowest so far, up to which a step is accepted all the same: at a kink of the law, the way to balance
    /// leads uphill.
    KINK_ALLOWANCE = 1.2;
    /// Fraction of the imbalance at its start that a round may leave for another round to follow.
    ROUND_REDUCTION = 0.75;
    /// Friction above which a slipping particle responds to a move with the load on its contact as well.
    LOADED_FRICTION = 1.5;
    /// Factor by which a move of relaxation may raise the imbalance.
    GROWTH = 10.0;
    /// Squared sine of the angle between the effects of two moves below which they count as one.
    COLLINEAR_SINE_SQUARED = 1e-4;
    /// Momentum, in units of the scale of the tolerance, from which on it may be noise left by the last solves; below, it is frozen.
    NOISE_FROM = 1e-2;
    /// Momentum up to which it may be noise; above, it is motion.
    NOISE_TO = 1.0;
    /// Speed limit in that momentum, in units of the speed that gravity adds in a substep; faster particles count as that fast.
    NOISE_SPEED_CAP = 8.0;
    /// Fraction of the tolerance at which solves end if motion may be noise, so that it decays.
    NOISE_TOLERANCE = 0.33;
    /// Fraction of its weight that friction bears of a loose particle: in a body that rests, one out of balance by more at the guess is
    /// not held, because its neighbors need its motion.
    HELD_LOAD = 0.7;
    /// Fraction of the speed that gravity adds in a substep below which a slipping contact is treated as sticking: the tolerance
    /// leaves as much. If a creeping contact is treated as slipping, the next move stops it, which strains stiff matter by more than
    /// its weight does, and it creeps again afterwards.
    RESTING = 1e-2;
    /// Lower bound of that slip [kernel radii per substep]: rounding leaves as much.
    RESTING_MIN = 1e-7;
    /// Upper bound of that slip [kernel radii per substep].
    RESTING_MAX = 1e-5;
}

/// Passes that must be left to return to a rejected guess: its evaluation, and a move with the way back.
pub const GUESS_AGAIN: u32 = 3;

/// Rounds in which the faces of colliders share the load of a particle between them.
pub const CORNER_ROUNDS: u32 = 8;

/// Number of moves in a round of relaxation.
pub const ROUND_MOVES: u32 = 4;

/// Maximum number of evaluations within the tolerance that a solve spends on [`NOISE_TOLERANCE`].
pub const NOISE_EVALUATIONS: u32 = 8;
