//! Constants that host and shaders share: the words of the status block, the entries of the workgroup counts, sizes and
//! shapes. The shader header `shaders/include/generated/constants.glsl` is written from this table
//! (`cargo run -p tuff-solver --example layouts`).

use std::fmt::Write as _;

macro_rules! shared {
    ($($name:ident = $value:expr, $help:literal;)*) => {
        $(#[doc = $help] pub const $name: u32 = $value;)*

        /// Name, value and meaning of every shared constant.
        pub const SHARED: &[(&str, u32, &str)] = &[$((stringify!($name), $name, $help)),*];
    };
}

shared! {
    STATUS_FAILED = 0, "Failure bits; every later stage that changes state is skipped.";
    STATUS_PAIRS_NEEDED = 1, "Pair records of the last substep.";
    STATUS_PARTICLE = 2, "Smallest id concerned by a failure; all bits set: none.";
    STATUS_ITERATIONS = 3, "Iterations done in the batch.";
    STATUS_COMPLETED = 4, "Substeps committed in the batch.";
    STATUS_RESIDUAL_START = 5, "Force residual at the predicted velocities, before or after contact [N s], float bits.";
    STATUS_RESIDUAL = 6, "Force residual now, relative to its start, float bits.";
    STATUS_MULTIPLIER = 7, "|C + alpha~ lambda| [sqrt(Pa)], float bits.";
    COUNT_STRETCH_CLAMPED = 8, "Strains clamped.";
    COUNT_FOLD_LIMITED = 9, "Folded velocity gradients scaled back.";
    COUNT_TIP_RELEASED = 10, "Impulses given back at a yield tip.";
    COUNT_RANK_DEFICIENT = 11, "Kernel corrections of deficient rank.";
    COUNT_GRADIENT_LIMITED = 12, "Gradients of nearly flat or very near neighborhoods scaled down.";
    COUNT_ISOLATED = 13, "Particles without neighbors.";
    COUNT_POSITION_CORRECTED = 14, "Pairs or neighborhoods pushed apart.";
    COUNT_CONTACT_OVERFLOW = 15, "Particles near more colliders than are tracked.";
    COUNT_FAST_PARTICLES = 16, "Particles faster than half a kernel radius per substep, with something in reach.";
    COUNT_LOOSE_HELD = 17, "Particles without stress that were kept in place.";
    COUNT_NEWTON_UPHILL = 18, "Newton steps that came no nearer to force balance, and rounds of relaxation that were taken back.";
    COUNT_NEWTON_UNBALANCED = 19, "Substeps that a Newton solve left above the tolerance of their residual.";
    COUNT_OVERLAP_DISPLACED = 20, "Particles moved out of an overlap beside their velocity.";
    COUNT_VOLUME_CORRECTED = 21, "Particles whose volume was brought nearer to their packing.";
    COUNTERS = 14, "Counters from the first on.";
    COMMITTED_COUNTS = 22, "The counters at the last commit.";
    COMMITTED_ITERATIONS = 36, "Iterations at the last commit.";
    STATUS_WORDS = 37, "Words of the status block.";
    FAILED_PAIRS = 1, "More pair records than fit.";
    FAILED_LIST = 2, "More than 65535 neighbors of one particle.";
    FAILED_FOLD = 4, "A neighborhood folded at the commit.";
    FAILED_NOT_FINITE = 8, "A position, velocity or strain is not finite.";
    FAILED_PASSES = 16, "A Newton solve needs more passes than were recorded.";
    FAILED_UNBALANCED = 32, "A Newton solve ended far from balance.";
    SIZE_CLASSES = 16, "Classes of cells by their number of particles.";
    COLORS = 27, "Colors of cells: 3 in every direction.";
    SCAN_TILE = 64, "Values that one invocation of a prefix sum adds.";
    CONTACT_SLOTS = 3, "Faces of colliders that a particle can touch at once.";
    COLLIDER_WORDS = 8, "Words (vec4) of a collider face per substep.";
    PIN_WORDS = 5, "Words (vec4) of a pin per substep.";
    SHAPE_PLANE = 0, "Collider shape: local y >= 0 is outside.";
    SHAPE_BOX = 1, "Collider shape: half sizes.";
    SHAPE_SPHERE = 2, "Collider shape: radius in x.";
    SHAPE_CYLINDER = 3, "Collider shape: radius in x, half length in y, axis y.";
    SHAPE_CAPSULE = 4, "Collider shape: radius in x, half length of the axis in y.";
    SHAPE_REVOLVE = 5, "Collider shape: profile (radius, height) about y.";
    CORRECT_NOTHING = 0, "Position correction: none.";
    CORRECT_DISTANCE = 1, "Position correction: by the distance of pairs.";
    CORRECT_DENSITY = 2, "Position correction: by the density of neighborhoods.";
    NEWTON_MODE = 0, "Newton: what the pass at hand does.";
    NEWTON_ACT = 1, "Newton: what follows it.";
    NEWTON_PRODUCTS = 2, "Newton: products of the linear solve so far.";
    NEWTON_NORM = 3, "Newton: norm of the imbalance at the last evaluation that counts [N s].";
    NEWTON_GOAL = 4, "Newton: norm at which the linear solve ends [N s].";
    NEWTON_FACTOR = 5, "Newton: part of the step that is being looked at, or that counted last.";
    NEWTON_LEFT = 6, "Newton: norm that the linear model leaves [N s].";
    NEWTON_ALPHA = 7, "Newton: length of the step along the direction.";
    NEWTON_BETA = 8, "Newton: part of the direction before.";
    NEWTON_GAMMA = 9, "Newton: product of the residual with its preconditioned self.";
    NEWTON_LOWEST = 10, "Newton: lowest norm of the imbalance so far [N s].";
    NEWTON_FORCING = 11, "Newton: part of the imbalance that the next linear solve leaves.";
    NEWTON_ROUND_NORM = 12, "Newton: norm of the imbalance at the start of a round of relaxation [N s].";
    NEWTON_MOVES = 13, "Newton: moves of the round so far.";
    NEWTON_KNOWN = 14, "Newton: moves of relaxation whose effect is known, at most 2.";
    NEWTON_LAST_SHARE = 15, "Newton: share of the last move to take back.";
    NEWTON_OLDER_SHARE = 16, "Newton: share of the move before it.";
    NEWTON_AIM = 17, "Newton: norm of the imbalance at which the solve ends; at the latest some evaluations after that of the tolerance [N s].";
    NEWTON_MORE = 18, "Newton: evaluations that reached the tolerance and not that norm.";
    NEWTON_WORDS = 19, "Words of the Newton solve.";
    ROUND_MOVES = tuff_problem::newton::ROUND_MOVES, "Moves of a round of relaxation.";
    STILLER_EVALUATIONS = tuff_problem::newton::STILLER_EVALUATIONS, "Evaluations within the tolerance that a solve takes to come nearer at most.";
    NEWTON_CLOSE = 0xffff_ffff, "Phase of newton_plan: no more passes are recorded.";
    NEWTON_FIRST = 0, "Mode: forces at the first velocities.";
    NEWTON_EVALUATE = 1, "Mode: forces at velocities to judge.";
    NEWTON_MULTIPLY = 2, "Mode: the matrix times what the velocities hold.";
    NEWTON_ENDED = 3, "Mode: none.";
    NEWTON_PREDICTED = 4, "Mode: forces at the predicted velocities, since the first ones were worse.";
    NEWTON_RELAX = 5, "Mode: forces after a move of relaxation.";
    NEWTON_REOPEN = 6, "Mode: forces where a round of relaxation began, since it led astray.";
    NEWTON_NOTHING = 0, "Act: none; the velocities stay.";
    NEWTON_BEGIN = 1, "Act: invert the diagonal blocks and begin relaxation from here.";
    NEWTON_STEP = 2, "Act: one step of conjugate gradients.";
    NEWTON_TRY = 3, "Act: the last step, then look at what it leads to.";
    NEWTON_SHORTEN = 4, "Act: look at a shorter step.";
    NEWTON_RETURN = 5, "Act: go back to the velocities that were kept.";
    NEWTON_PREDICT = 6, "Act: begin again at the predicted velocities.";
    NEWTON_RESUME = 7, "Act: begin conjugate gradients from here.";
    NEWTON_ROUND = 8, "Act: begin a round of relaxation from here.";
    NEWTON_MOVE = 9, "Act: another move of the round.";
    TILE = 64, "Particles that one invocation sums in a reduction.";
    ARGUMENTS_PARTICLES = 0, "One invocation per particle, workgroups of 64.";
    ARGUMENTS_TILES = 1, "One invocation per tile of particles, workgroups of 64.";
    ARGUMENTS_SEARCH = 2, "8 lanes per occupied cell.";
    ARGUMENTS_SOLVE = 3, "As for particles; empty where the lists overflowed.";
    ARGUMENTS_ITERATE = 4, "As for the solve; empty once converged.";
    ARGUMENTS_COLORS = 5, "One entry per color; empty once converged.";
    ARGUMENTS_RESIDUAL = 32, "One entry per color, one invocation per cell; empty once converged.";
    ARGUMENTS_CELLS = 59, "One invocation per occupied cell, workgroups of 64.";
    ARGUMENTS_SUMS = 60, "As for tiles; empty once converged.";
    ARGUMENTS_COUNT = 61, "Entries of the workgroup counts.";
}

/// Numbers that the shaders share with the f64 twin: name, value and meaning.
pub const SHARED_FLOATS: &[(&str, f64, &str)] = &[
    (
        "CROWD_SHARE",
        tuff_problem::CROWD_SHARE,
        "Part of what a pair lacks that a round of the position correction takes, over its crowd.",
    ),
    ("PARTED", tuff_problem::PARTED, "Part of the least distance that a pair may lack and counts as parted."),
    (
        "NEAR_STIFFNESS",
        tuff_problem::NEAR_STIFFNESS,
        "Stiffness of pairs that are too near in a Newton solve, in kernel radii times their modulus of uniaxial strain.",
    ),
    ("VELOCITY_ROUNDING", tuff_problem::VELOCITY_ROUNDING, "Unit roundoff of a velocity in f32."),
    (
        "EASED_FROM",
        tuff_problem::EASED.0,
        "Block of a particle over its mass from which on a contact is eased.",
    ),
    ("EASED_TO", tuff_problem::EASED.1, "Block of a particle over its mass to which on it is eased wholly."),
    (
        "STRAIN_SHARE",
        tuff_problem::STRAIN_SHARE,
        "Square root of the part of the energy of a contact that the imbalance which a Newton solve leaves may hold as strain.",
    ),
    (
        "FORCING_FIRST",
        tuff_problem::newton::FORCING_FIRST,
        "Part of its residual that the first linear solve leaves.",
    ),
    ("FORCING_LEAST", tuff_problem::newton::FORCING_LEAST, "Least part that a later one leaves."),
    ("FORCING_MOST", tuff_problem::newton::FORCING_MOST, "Most that it leaves."),
    (
        "GUESS_ROUNDING",
        tuff_problem::newton::GUESS_ROUNDING,
        "Imbalance of a guess, over that of none, up to which it is one.",
    ),
    ("DECREASE", tuff_problem::newton::DECREASE, "Part of the predicted decrease that a step has to bring."),
    ("SHORTEST", tuff_problem::newton::SHORTEST, "Shortest part of a step that is tried."),
    (
        "UPHILL",
        tuff_problem::newton::UPHILL,
        "Norm in parts of the lowest so far up to which a step counts: a kink of the law lies uphill.",
    ),
    (
        "WORTHWHILE",
        tuff_problem::newton::WORTHWHILE,
        "Part of the imbalance at its start that a round may leave if another is to follow.",
    ),
    ("GROWTH", tuff_problem::newton::GROWTH, "How much a move of relaxation may raise the imbalance."),
    (
        "ALIKE",
        tuff_problem::newton::ALIKE,
        "Square of the sine between what two moves did below which they count as one.",
    ),
    (
        "NOISE_FROM",
        tuff_problem::newton::NOISE_FROM,
        "Momentum, in parts of the scale of the tolerance, from which on it may be noise.",
    ),
    ("NOISE_TO", tuff_problem::newton::NOISE_TO, "The same to which."),
    (
        "FLYING",
        tuff_problem::newton::FLYING,
        "Speed as which that of anything faster counts there, in parts of what gravity adds in a substep.",
    ),
    ("STILLER", tuff_problem::newton::STILLER, "Part of the tolerance at which solves end there."),
    (
        "RESTING",
        tuff_problem::newton::RESTING,
        "Slip below which a contact is taken to stick, in parts of what gravity adds in a substep.",
    ),
    ("RESTING_LEAST", tuff_problem::newton::RESTING_LEAST, "Least such slip [kernel radii per substep]."),
    ("RESTING_MOST", tuff_problem::newton::RESTING_MOST, "Most [kernel radii per substep]."),
    ("WORKED_OFF", tuff_problem::WORKED_OFF, "Part of an overlap that a substep works off by displacement."),
    (
        "LOOSE_BELOW",
        tuff_problem::LOOSE_BELOW,
        "Part of its deviator below which matter that yields counts as loose.",
    ),
    (
        "PACKING_RATE",
        tuff_problem::PACKING_RATE,
        "Rate, per non-affine strain, at which the volume of matter that flows is brought to its packing.",
    ),
    (
        "REST_MOVE",
        tuff_problem::REST_MOVE,
        "Non-affine strain of a substep that counts as rest there [g dt^2 / r].",
    ),
    (
        "SPREAD_RATE",
        tuff_problem::SPREAD_RATE,
        "Rate, per non-affine move, at which pairs of matter that flows without stress are parted.",
    ),
    (
        "SPREAD_OPEN",
        tuff_problem::SPREAD_OPEN,
        "log J from which loose matter is open and they are parted in full.",
    ),
    ("SPREAD_PART", tuff_problem::SPREAD_PART, "Most of what such a pair lacks that a substep parts it by."),
    (
        "UNBOUNDED",
        tuff_problem::UNBOUNDED,
        "Bound of memories that nothing bounds, as in matter that never flows [m].",
    ),
    (
        "CURVATURE_SCATTER",
        tuff_problem::CURVATURE_SCATTER,
        "Scatter, in parts of their mean square, from which curvatures are told from slopes.",
    ),
    (
        "CURVATURE_STEEPEST",
        tuff_problem::CURVATURE_STEEPEST,
        "Most that this steepens a gradient [r^2 sum |g - L a|^2].",
    ),
    (
        "CURVATURE_FLAT",
        tuff_problem::CURVATURE_FLAT,
        "Ratio of moments of a neighborhood that is too flat for it.",
    ),
    ("CURVATURE_ROUND", tuff_problem::CURVATURE_ROUND, "Ratio of one that is not."),
    (
        "CURVATURE_FOREIGN",
        tuff_problem::CURVATURE_FOREIGN,
        "Share of other bodies in a neighborhood without it.",
    ),
    ("MOST_DISPLACED", tuff_problem::MOST_DISPLACED, "Longest such displacement [kernel radii]."),
];

/// Text of the shader header.
pub fn header() -> String {
    let mut text = String::from("// Written from engine/solver/src/constants.rs; do not edit.\n\n");
    for (name, value, help) in SHARED {
        let _ = writeln!(text, "const uint {name} = {value}u; // {help}");
    }
    for (name, value, help) in SHARED_FLOATS {
        let _ = writeln!(text, "const float {name} = {value:e}; // {help}");
    }
    text
}

// The grid and the f64 twin know these by the problem's names.
const _: () =
    assert!(COLORS == tuff_problem::COLOR_COUNT && CONTACT_SLOTS as usize == tuff_problem::CONTACT_SLOTS);
