//! Constants that host and shaders share: the words of the status block, the entries of the workgroup counts, sizes and
//! shapes. The shader header `shaders/include/generated/constants.glsl` is written from this table
//! (`cargo run -p tuff-solver --example layouts`).

use std::fmt::Write as _;

/// Constants that count up from the first, in the order of their list.
macro_rules! numbered {
    ($list:ident from $first:expr; $($name:ident, $help:literal;)*) => {
        const $list: List = {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants they number")]
            enum Index { $($name),* }
            &[$((stringify!($name), $first + Index::$name as u32, $help)),*]
        };
        numbered!(@each $list; 0; $($name, $help;)*);
    };
    (@each $list:ident; $at:expr; $name:ident, $help:literal; $($rest:tt)*) => {
        #[doc = $help]
        pub const $name: u32 = $list[$at].1;
        numbered!(@each $list; $at + 1; $($rest)*);
    };
    (@each $list:ident; $at:expr;) => {};
}

/// Constants with values of their own.
macro_rules! valued {
    ($list:ident; $($name:ident = $value:expr, $help:literal;)*) => {
        $(#[doc = $help] pub const $name: u32 = $value;)*
        const $list: List = &[$((stringify!($name), $name, $help)),*];
    };
}

/// Name, value and meaning.
type List = &'static [(&'static str, u32, &'static str)];

numbered! {
    STATUS_HEAD from 0;
    STATUS_FAILED, "Failure bits; every later stage that changes state is skipped.";
    STATUS_PAIRS_NEEDED, "Pair records of the last substep.";
    STATUS_PARTICLE, "Smallest id concerned by a failure; all bits set: none.";
    STATUS_ITERATIONS, "Iterations done in the batch.";
    STATUS_COMPLETED, "Substeps committed in the batch.";
    STATUS_RESIDUAL_START, "Force residual at the predicted velocities, before or after contact [N s], float bits.";
    STATUS_RESIDUAL, "Force residual now, relative to its start, float bits.";
    STATUS_MULTIPLIER, "|C + alpha~ lambda| [sqrt(Pa)], float bits.";
}

/// First word of the counters; every one that shaders count has the next, as `COUNT_` and its name.
pub const FIRST_COUNT: u32 = STATUS_HEAD.len() as u32;

valued! {
    SIZES;
    COUNTERS = tuff_problem::DEVICE_COUNTERS as u32, "Counters from the first on.";
    COMMITTED_COUNTS = FIRST_COUNT + COUNTERS, "The counters at the last commit.";
    COMMITTED_ITERATIONS = COMMITTED_COUNTS + COUNTERS, "Iterations at the last commit.";
    STATUS_WORDS = COMMITTED_ITERATIONS + 1, "Words of the status block.";
    FAILED_PAIRS = 1 << 0, "More pair records than fit.";
    FAILED_LIST = 1 << 1, "More than 65535 neighbors of one particle.";
    FAILED_FOLD = 1 << 2, "A neighborhood folded at the commit.";
    FAILED_NOT_FINITE = 1 << 3, "A position, velocity or strain is not finite.";
    FAILED_PASSES = 1 << 4, "A Newton solve needs more passes than were recorded.";
    FAILED_UNBALANCED = 1 << 5, "A Newton solve ended far from balance.";
    SIZE_CLASSES = 16, "Classes of cells by their number of particles.";
    COLORS = 27, "Colors of cells: 3 in every direction.";
    SCAN_TILE = 64, "Values that one invocation of a prefix sum adds.";
    CONTACT_SLOTS = 3, "Faces of colliders that a particle can touch at once.";
    LINK_MEMBERS = tuff_problem::links::MEMBERS as u32, "Most particles of a link.";
    COLLIDER_WORDS = 8, "Words (vec4) of a collider face per substep.";
    PIN_WORDS = 5, "Words (vec4) of a pin per substep.";
}

numbered! {
    SHAPES from 0;
    SHAPE_PLANE, "Collider shape: local y >= 0 is outside.";
    SHAPE_BOX, "Collider shape: half sizes.";
    SHAPE_SPHERE, "Collider shape: radius in x.";
    SHAPE_CYLINDER, "Collider shape: radius in x, half length in y, axis y.";
    SHAPE_CAPSULE, "Collider shape: radius in x, half length of the axis in y.";
    SHAPE_REVOLVE, "Collider shape: profile (radius, height) about y.";
}

numbered! {
    CORRECTIONS from 0;
    CORRECT_NOTHING, "Position correction: none.";
    CORRECT_DISTANCE, "Position correction: by the distance of pairs.";
    CORRECT_DENSITY, "Position correction: by the density of neighborhoods.";
}

numbered! {
    NEWTON_STATE from 0;
    NEWTON_MODE, "Newton: what the pass at hand does.";
    NEWTON_ACT, "Newton: what follows it.";
    NEWTON_PRODUCTS, "Newton: products of the linear solve so far.";
    NEWTON_NORM, "Newton: norm of the imbalance at the last evaluation that counts [N s].";
    NEWTON_GOAL, "Newton: norm at which the linear solve ends [N s].";
    NEWTON_FACTOR, "Newton: part of the step that is being looked at, or that counted last.";
    NEWTON_LEFT, "Newton: norm that the linear model leaves [N s].";
    NEWTON_ALPHA, "Newton: length of the step along the direction.";
    NEWTON_BETA, "Newton: part of the direction before.";
    NEWTON_GAMMA, "Newton: product of the residual with its preconditioned self.";
    NEWTON_LOWEST, "Newton: lowest norm of the imbalance so far [N s].";
    NEWTON_FORCING, "Newton: part of the imbalance that the next linear solve leaves.";
    NEWTON_ROUND_NORM, "Newton: norm of the imbalance at the start of a round of relaxation [N s].";
    NEWTON_MOVES, "Newton: moves of the round so far.";
    NEWTON_KNOWN, "Newton: moves of relaxation whose effect is known, at most 2.";
    NEWTON_LAST_SHARE, "Newton: share of the last move to take back.";
    NEWTON_OLDER_SHARE, "Newton: share of the move before it.";
    NEWTON_AIM, "Newton: norm of the imbalance at which the solve ends; at the latest some evaluations after that of the tolerance [N s].";
    NEWTON_MORE, "Newton: evaluations that reached the tolerance and not that norm.";
}

valued! {
    NEWTON_SIZES;
    NEWTON_WORDS = NEWTON_STATE.len() as u32, "Words of the Newton solve.";
    ROUND_MOVES = tuff_problem::newton::ROUND_MOVES, "Moves of a round of relaxation.";
    NOISE_EVALUATIONS = tuff_problem::newton::NOISE_EVALUATIONS, "Evaluations within the tolerance that a solve takes to come nearer at most.";
    NEWTON_CLOSE = 0xffff_ffff, "Phase of newton_plan: no more passes are recorded.";
}

numbered! {
    NEWTON_MODES from 0;
    NEWTON_FIRST, "Mode: forces at the first velocities.";
    NEWTON_EVALUATE, "Mode: forces at velocities to judge.";
    NEWTON_MULTIPLY, "Mode: the matrix times what the velocities hold.";
    NEWTON_ENDED, "Mode: none.";
    NEWTON_PREDICTED, "Mode: forces at the predicted velocities, since the first ones were worse.";
    NEWTON_RELAX, "Mode: forces after a move of relaxation.";
    NEWTON_REOPEN, "Mode: forces where a round of relaxation began, since it led astray.";
}

numbered! {
    NEWTON_ACTS from 0;
    NEWTON_NOTHING, "Act: none; the velocities stay.";
    NEWTON_BEGIN, "Act: invert the diagonal blocks and begin relaxation from here.";
    NEWTON_STEP, "Act: one step of conjugate gradients.";
    NEWTON_TRY, "Act: the last step, then look at what it leads to.";
    NEWTON_SHORTEN, "Act: look at a shorter step.";
    NEWTON_RETURN, "Act: go back to the velocities that were kept.";
    NEWTON_PREDICT, "Act: begin again at the predicted velocities.";
    NEWTON_RESUME, "Act: begin conjugate gradients from here.";
    NEWTON_ROUND, "Act: begin a round of relaxation from here.";
    NEWTON_MOVE, "Act: another move of the round.";
}

valued! {
    ARGUMENTS;
    TILE = 64, "Particles that one invocation sums in a reduction.";
    ARGUMENTS_PARTICLES = 0, "One invocation per particle, workgroups of 64.";
    ARGUMENTS_TILES = ARGUMENTS_PARTICLES + 1, "One invocation per tile of particles, workgroups of 64.";
    ARGUMENTS_SEARCH = ARGUMENTS_TILES + 1, "8 lanes per occupied cell.";
    ARGUMENTS_SOLVE = ARGUMENTS_SEARCH + 1, "As for particles; empty where the lists overflowed.";
    ARGUMENTS_ITERATE = ARGUMENTS_SOLVE + 1, "As for the solve; empty once converged.";
    ARGUMENTS_COLORS = ARGUMENTS_ITERATE + 1, "One entry per color; empty once converged.";
    ARGUMENTS_RESIDUAL = ARGUMENTS_COLORS + COLORS, "One entry per color, one invocation per cell; empty once converged.";
    ARGUMENTS_CELLS = ARGUMENTS_RESIDUAL + COLORS, "One invocation per occupied cell, workgroups of 64.";
    ARGUMENTS_SUMS = ARGUMENTS_CELLS + 1, "As for tiles; empty once converged.";
    ARGUMENTS_COUNT = ARGUMENTS_SUMS + 1, "Entries of the workgroup counts.";
}

/// Name, value and meaning of every shared constant besides the counters.
const SHARED: [List; 9] = [
    STATUS_HEAD,
    SIZES,
    SHAPES,
    CORRECTIONS,
    NEWTON_STATE,
    NEWTON_SIZES,
    NEWTON_MODES,
    NEWTON_ACTS,
    ARGUMENTS,
];

/// Numbers that the shaders share with the f64 twin: name, value and meaning.
pub const SHARED_FLOATS: &[(&str, f64, &str)] = &[
    (
        "PAIR_RELAXATION",
        tuff_problem::PAIR_RELAXATION,
        "Part of what a pair lacks that a round of the position correction takes, over its crowd.",
    ),
    (
        "SEPARATION_TOLERANCE",
        tuff_problem::SEPARATION_TOLERANCE,
        "Part of the least distance that a pair may lack and counts as parted.",
    ),
    (
        "NEAR_STIFFNESS",
        tuff_problem::NEAR_STIFFNESS,
        "Stiffness of pairs that are too near in a Newton solve, in kernel radii times their modulus of uniaxial strain.",
    ),
    ("VELOCITY_ROUNDING", tuff_problem::VELOCITY_ROUNDING, "Unit roundoff of a velocity in f32."),
    (
        "EASING_FROM",
        tuff_problem::EASING_RANGE.0,
        "Block of a particle over its mass from which on a contact is eased.",
    ),
    (
        "EASING_TO",
        tuff_problem::EASING_RANGE.1,
        "Block of a particle over its mass to which on it is eased wholly.",
    ),
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
    ("FORCING_MIN", tuff_problem::newton::FORCING_MIN, "Least part that a later one leaves."),
    ("FORCING_MAX", tuff_problem::newton::FORCING_MAX, "Most that it leaves."),
    (
        "GUESS_ROUNDING",
        tuff_problem::newton::GUESS_ROUNDING,
        "Imbalance of a guess, over that of none, up to which it is one.",
    ),
    ("DECREASE", tuff_problem::newton::DECREASE, "Part of the predicted decrease that a step has to bring."),
    ("SHORTEST", tuff_problem::newton::SHORTEST, "Shortest part of a step that is tried."),
    (
        "KINK_ALLOWANCE",
        tuff_problem::newton::KINK_ALLOWANCE,
        "Norm in parts of the lowest so far up to which a step counts: a kink of the law lies uphill.",
    ),
    (
        "ROUND_REDUCTION",
        tuff_problem::newton::ROUND_REDUCTION,
        "Part of the imbalance at its start that a round may leave if another is to follow.",
    ),
    ("GROWTH", tuff_problem::newton::GROWTH, "How much a move of relaxation may raise the imbalance."),
    (
        "COLLINEAR_SINE_SQUARED",
        tuff_problem::newton::COLLINEAR_SINE_SQUARED,
        "Square of the sine between what two moves did below which they count as one.",
    ),
    (
        "NOISE_FROM",
        tuff_problem::newton::NOISE_FROM,
        "Momentum, in parts of the scale of the tolerance, from which on it may be noise.",
    ),
    ("NOISE_TO", tuff_problem::newton::NOISE_TO, "The same to which."),
    (
        "NOISE_SPEED_CAP",
        tuff_problem::newton::NOISE_SPEED_CAP,
        "Speed as which that of anything faster counts there, in parts of what gravity adds in a substep.",
    ),
    (
        "NOISE_TOLERANCE",
        tuff_problem::newton::NOISE_TOLERANCE,
        "Part of the tolerance at which solves end there.",
    ),
    (
        "RESTING",
        tuff_problem::newton::RESTING,
        "Slip below which a contact is taken to stick, in parts of what gravity adds in a substep.",
    ),
    ("RESTING_MIN", tuff_problem::newton::RESTING_MIN, "Least such slip [kernel radii per substep]."),
    ("RESTING_MAX", tuff_problem::newton::RESTING_MAX, "Most [kernel radii per substep]."),
    (
        "OVERLAP_REDUCTION",
        tuff_problem::OVERLAP_REDUCTION,
        "Part of an overlap that a substep works off by displacement.",
    ),
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
    ("SPREAD_MAX", tuff_problem::SPREAD_MAX, "Most of what such a pair lacks that a substep parts it by."),
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
    ("MAX_DISPLACEMENT", tuff_problem::MAX_DISPLACEMENT, "Longest such displacement [kernel radii]."),
];

/// Text of the shader header.
pub fn header() -> String {
    let mut text = String::from("// Written from engine/solver/src/constants.rs; do not edit.\n\n");
    let counters = tuff_problem::COUNTERS.iter().filter(|counter| counter.on_device);
    for (value, counter) in (FIRST_COUNT..).zip(counters) {
        let name = counter.name.to_uppercase();
        let _ = writeln!(text, "const uint COUNT_{name} = {value}u; // {}", counter.help);
    }
    for (name, value, help) in SHARED.into_iter().flatten() {
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
