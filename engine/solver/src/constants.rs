//! Constants that host and shaders share: words of the status block, entries of the workgroup counts, sizes, shapes and parameters of
//! the method. The shader header `shaders/include/generated/constants.glsl` is generated from these tables
//! (`cargo run -p tuff-solver --example layouts`).

use std::fmt::Write as _;

/// Defines constants that count up from the first, in the order of their list.
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

/// Defines constants of one bit each, from the lowest, in the order of their list.
macro_rules! bits {
    ($list:ident; $($name:ident, $help:literal;)*) => {
        const $list: List = {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants they number")]
            enum Index { $($name),* }
            &[$((stringify!($name), 1 << Index::$name as u32, $help)),*]
        };
        numbered!(@each $list; 0; $($name, $help;)*);
    };
}

/// Defines the first entries of spans of given widths, one after another in the order of their list.
macro_rules! spans {
    ($list:ident with $widths:ident; $($name:ident: $width:expr, $help:literal;)*) => {
        const $widths: &[u32] = &[$($width),*];
        const $list: List = {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants they number")]
            enum Index { $($name),* }
            &[$((stringify!($name), total($widths.split_at(Index::$name as usize).0), $help)),*]
        };
        numbered!(@each $list; 0; $($name, $help;)*);
    };
}

const fn total(widths: &[u32]) -> u32 {
    match widths {
        [] => 0,
        [first, rest @ ..] => *first + total(rest),
    }
}

/// Defines constants with given values.
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
    STATUS_FAILED, "Failure bits; once one is set, every later stage that changes state is skipped.";
    STATUS_PAIRS, "Number of pairs in the lists of the last substep.";
    STATUS_RECORDS_NEEDED, "Number of pair records that the lists of the last substep occupy.";
    STATUS_MEETINGS, "Number of contacts with sheets that the last substep listed.";
    STATUS_PARTICLE, "Smallest id of the particles that failed; all bits set: none.";
    STATUS_ITERATIONS, "Number of iterations in the batch.";
    STATUS_COMPLETED, "Number of substeps committed in the batch.";
    STATUS_RESIDUAL_START, "Scale of the force residual: its norm at the predicted velocities, before or after contact, with a floor [N s]; float bits.";
    STATUS_RESIDUAL, "Present force residual relative to its scale; float bits.";
    STATUS_MULTIPLIER, "|C + alpha~ lambda| [sqrt(Pa)]; float bits.";
}

/// First word of the counters; each counter of the shaders has one word, named `COUNT_` and its name.
pub const FIRST_COUNT: u32 = STATUS_HEAD.len() as u32;

bits! {
    FAILURES;
    FAILED_PAIRS, "More pair records than fit.";
    FAILED_LIST, "More neighbors of one particle than MOST_NEIGHBORS.";
    FAILED_FOLD, "A neighborhood folded at the commit.";
    FAILED_NOT_FINITE, "A position, velocity or strain is not finite.";
    FAILED_PASSES, "A Newton solve needs more passes than were recorded.";
    FAILED_UNBALANCED, "A Newton solve ended far from balance.";
    FAILED_MEETINGS, "More contacts with sheets than fit.";
    STOPPED, "Something is stretched further than it bears: the batch ends with this substep, which is committed.";
}

valued! {
    SIZES;
    COUNTERS = tuff_problem::DEVICE_COUNTERS as u32, "Number of counters.";
    COMMITTED_COUNTS = FIRST_COUNT + COUNTERS, "First word of the counters at the last commit.";
    COMMITTED_ITERATIONS = COMMITTED_COUNTS + COUNTERS, "Number of iterations at the last commit.";
    STATUS_WORDS = COMMITTED_ITERATIONS + 1, "Number of words in the status block.";
    MOST_NEIGHBORS = (1 << 14) - 1, "Maximum number of neighbors of a particle, and mask of a count in its range.";
    SIZE_CLASSES = 16, "Number of size classes of cells, by particle count.";
    COLORS = 27, "Number of colors of cells: 3 in every direction.";
    SCAN_TILE = 64, "Number of values that one invocation of a prefix sum adds.";
    CONTACT_SLOTS = 3, "Maximum number of collider faces that a particle touches at once.";
    MAX_WALLS = 3, "Maximum number of faces of thin colliders that a particle sees when its neighbors are listed.";
    SHEET_GROUP = 128, "Workgroup size of the stages in which one workgroup visits a whole sheet.";
    SHEET_ROUNDS = tuff_problem::SHEET_ROUNDS, "Maximum number of sweeps over the contacts with sheets at a time.";
    SHEETS_SWEEP = 0, "Contacts with sheets act in an iteration.";
    SHEETS_CORRECT = 1, "Contacts with sheets act after the iterations.";
    SHEETS_HOLD = 2, "The same, and stop the slow slip of those that stick.";
    MEETING_EDGES = 1 << 31, "Mark of a contact between edges, in the index of its first member.";
    MEETING_OBSTACLE = tuff_problem::MEETING_OBSTACLE, "Mark of a contact with a face of a collider, which the index of its first member tells.";
    OBSTACLE_ROUNDS = tuff_problem::OBSTACLE_ROUNDS, "Most projections between a triangle and a collider.";
    PRESS_SPRINGS = 0, "Rigid bodies respond to the springs of triangles of cloth, too.";
    PRESS_MATTER = 1, "Rigid bodies respond at velocities of which no evaluation knows yet how these springs push.";
    NOTHING = u32::MAX, "In place of an index: none.";
    LINK_MEMBERS = tuff_problem::links::MEMBERS as u32, "Maximum number of particles in a link.";
    LINK_MEMBRANE = tuff_problem::links::Kind::Membrane as u32, "Kind of the links that keep triangles of cloth in shape.";
    LINK_WORDS = (tuff_problem::links::NUMBERS / 4) as u32, "Words of four numbers of a link.";
    LINK_MULTIPLIERS = tuff_problem::links::MULTIPLIERS as u32, "Multipliers of a link.";
    ADHERES = 24, "First of the bits of touching that tell which faces hold the particle by adhesion.";
    COLLIDER_WORDS = 8, "Number of words (vec4) of a collider face per substep.";
    CUT_WORDS = 4, "Number of words (vec4) of a shape that is cut away from a collider face, per substep.";
    NEAR_TRIANGLES = tuff_scene::NEAR_TRIANGLES as u32, "Number of triangles of a mesh that are kept for a contact.";
    NEAR_WORDS = 1 + NEAR_TRIANGLES.div_ceil(4), "Number of words (uvec4) of a contact's triangles.";
    SHEET_FRONT = 1, "Side of a sheet: where the normals of its triangles point.";
    SHEET_BACK = 2, "Side of a sheet: the other.";
    TRIANGLE_WORDS = 9, "Number of words (vec4) of a triangle of a mesh collider.";
    ACROSS_CUT = tuff_scene::ACROSS_CUT, "In place of the vertex across an edge of a deforming patch: the patch ends there.";
    ACROSS_RIM = tuff_scene::ACROSS_RIM, "In place of that vertex: the edge belongs to the rim of an open mesh.";
    ACROSS_NOTHING = tuff_scene::ACROSS_NOTHING, "In place of that vertex: the edge is a part of the rim alone.";
    MESH_LEAF = 1 << 31, "Mark of a leaf in a mesh's tree; its first triangle and number of triangles follow.";
    PIN_WORDS = 5, "Number of words (vec4) of a pin per substep.";
    RIGID_WORDS = 5, "Number of words (vec4) of a rigid body.";
    LOAD_WORDS = 11, "Number of words (vec4) of what matter does to a rigid body.";
    MODE_WORDS = 14, "Number of words (vec4) of the rigid modes of a body.";
    MODE_CENTER = 0, "Word of its center, and sum for it.";
    MODE_INERTIA = 1, "First of the words of its inverse inertia, and sum for it.";
    MODE_IMBALANCE = 4, "First of the two words of its force and moment at the last move.";
    MODE_EFFECT = 6, "The same, the effect of the last move on them.";
    MODE_RESIDUAL = 8, "The same, the residual of the linear model, and sum for all of them.";
    MODE_PRODUCT = 10, "The same, matrix times search direction.";
    MODE_MOTION = 12, "Words of the velocity and the angular velocity with which the body follows.";
    REPORT_WORDS = REPORT.len() as u32, "Number of words that tell the host where a solve is.";
}

numbered! {
    REPORT from 0;
    REPORT_FAILED, "Report: failure bits.";
    REPORT_ITERATIONS, "Report: number of iterations.";
    REPORT_MODE, "Report: mode of the next Newton pass.";
    REPORT_ACT, "Report: act that followed the last Newton pass.";
}

numbered! {
    SHAPES from 0;
    SHAPE_PLANE, "Collider shape: local y >= 0 is outside.";
    SHAPE_BOX, "Collider shape: half sizes.";
    SHAPE_SPHERE, "Collider shape: radius in x.";
    SHAPE_CYLINDER, "Collider shape: radius in x, half length in y, axis y.";
    SHAPE_CAPSULE, "Collider shape: radius in x, half length of the axis in y.";
    SHAPE_REVOLVE, "Collider shape: profile (radius, height) about y.";
    SHAPE_MESH, "Collider shape: patch of a mesh, by its tree.";
}

numbered! {
    CORRECTIONS from 0;
    CORRECT_NOTHING, "Position correction: none.";
    CORRECT_DISTANCE, "Position correction: by the distance of pairs.";
    CORRECT_DENSITY, "Position correction: by the density of neighborhoods.";
}

numbered! {
    NEWTON_STATE from 0;
    NEWTON_MODE, "Newton: mode of the present pass.";
    NEWTON_ACT, "Newton: act that follows the pass.";
    NEWTON_PRODUCTS, "Newton: number of products in the linear solve so far.";
    NEWTON_NORM, "Newton: norm of the imbalance at the last accepted evaluation, or of the matter at a rejected guess [N s].";
    NEWTON_GOAL, "Newton: norm at which the linear solve ends [N s].";
    NEWTON_FACTOR, "Newton: length of the step under trial, or of the last accepted one, as a fraction of the full step.";
    NEWTON_LEFT, "Newton: norm of the imbalance left by the linear model [N s].";
    NEWTON_ALPHA, "Newton: length of the step along the direction.";
    NEWTON_BETA, "Newton: coefficient of the previous direction.";
    NEWTON_GAMMA, "Newton: scalar product of the residual and the preconditioned residual.";
    NEWTON_LOWEST, "Newton: lowest norm of the imbalance so far [N s]; imbalance of the rigid bodies at a rejected guess.";
    NEWTON_FORCING, "Newton: fraction of the imbalance that the next linear solve may leave.";
    NEWTON_ROUND_NORM, "Newton: norm of the imbalance at the start of a round of relaxation [N s].";
    NEWTON_MOVES, "Newton: number of moves in the round so far.";
    NEWTON_KNOWN, "Newton: number of moves of relaxation whose effect is known, at most 2.";
    NEWTON_LAST_SHARE, "Newton: share of the last move to take back.";
    NEWTON_OLDER_SHARE, "Newton: share of the move before the last to take back.";
    NEWTON_AIM, "Newton: norm of the imbalance at which the solve ends, unless NOISE_EVALUATIONS within the tolerance end it first [N s].";
    NEWTON_MORE, "Newton: number of evaluations within the tolerance but above NEWTON_AIM.";
}

valued! {
    NEWTON_SIZES;
    NEWTON_WORDS = NEWTON_STATE.len() as u32, "Number of words of the Newton solve.";
    GUESS_AGAIN = tuff_problem::newton::GUESS_AGAIN, "Passes that must be left to return to a rejected guess.";
    ROUND_MOVES = tuff_problem::newton::ROUND_MOVES, "Number of moves in a round of relaxation.";
    CORNER_ROUNDS = tuff_problem::newton::CORNER_ROUNDS, "Rounds in which the faces of colliders share the load of a particle between them.";
    NOISE_EVALUATIONS = tuff_problem::newton::NOISE_EVALUATIONS, "Maximum number of evaluations within the tolerance that a solve spends on NOISE_TOLERANCE.";
    NEWTON_CLOSE = 0xffff_ffff, "Phase of newton_plan after the last recorded pass.";
}

numbered! {
    NEWTON_MODES from 0;
    NEWTON_FIRST, "Mode: forces at the first velocities: the predicted ones for the scale, then the guess.";
    NEWTON_EVALUATE, "Mode: forces at the end of a trial step.";
    NEWTON_MULTIPLY, "Mode: the matrix times the vector that the velocities hold.";
    NEWTON_ENDED, "Mode: none.";
    NEWTON_PREDICTED, "Mode: forces at the predicted velocities after contact, because the guess was rejected.";
    NEWTON_RELAX, "Mode: forces after a move of relaxation.";
    NEWTON_REOPEN, "Mode: forces at the start of a round of relaxation that was taken back.";
    NEWTON_GUESSED, "Mode: forces at the rejected guess, because the predicted velocities after contact are farther from balance.";
}

numbered! {
    NEWTON_ACTS from 0;
    NEWTON_NOTHING, "Act: none; the velocities stay.";
    NEWTON_BEGIN, "Act: invert the diagonal blocks and begin relaxation from here.";
    NEWTON_STEP, "Act: one step of conjugate gradients.";
    NEWTON_TRY, "Act: the last step of conjugate gradients, then evaluate its result.";
    NEWTON_SHORTEN, "Act: evaluate a shorter step.";
    NEWTON_RETURN, "Act: return to the saved velocities.";
    NEWTON_PREDICT, "Act: start again at the predicted velocities.";
    NEWTON_RESUME, "Act: begin conjugate gradients from here.";
    NEWTON_ROUND, "Act: begin a round of relaxation from here.";
    NEWTON_MOVE, "Act: another move of the round.";
}

valued! {
    ARGUMENT_SIZES;
    TILE = tuff_problem::TILE, "Number of particles of a partial sum.";
    ARGUMENTS_COUNT = total(ARGUMENT_WIDTHS), "Number of entries of the workgroup counts.";
}

spans! {
    ARGUMENTS with ARGUMENT_WIDTHS;
    ARGUMENTS_PARTICLES: 1, "One invocation per particle, workgroups of 64.";
    ARGUMENTS_TILES: 1, "One invocation per tile of particles, workgroups of 64.";
    ARGUMENTS_SEARCH: 1, "8 lanes per occupied cell.";
    ARGUMENTS_SOLVE: 1, "As for particles; empty if the lists overflowed.";
    ARGUMENTS_ITERATE: 1, "As ARGUMENTS_SOLVE; empty once converged.";
    ARGUMENTS_COLORS: COLORS, "One entry per color; empty once converged.";
    ARGUMENTS_RESIDUAL: COLORS, "One entry per color, one invocation per cell; empty once converged.";
    ARGUMENTS_CELLS: 1, "One invocation per occupied cell, workgroups of 64.";
    ARGUMENTS_SUMS: 1, "The invocations of newton_sum over tiles of particles, workgroups of 64; empty once converged.";
    ARGUMENTS_MEETINGS: 1, "One invocation per contact with a sheet, workgroups of 64.";
}

/// Name, value and meaning of every shared integer except the counters.
const SHARED: [List; 12] = [
    STATUS_HEAD,
    FAILURES,
    SIZES,
    REPORT,
    SHAPES,
    CORRECTIONS,
    NEWTON_STATE,
    NEWTON_SIZES,
    NEWTON_MODES,
    NEWTON_ACTS,
    ARGUMENT_SIZES,
    ARGUMENTS,
];

/// Thresholds of the scene format that shaders apply: name, value and meaning. Those of the method are in [`tuff_problem::thresholds`].
const SCENE_FLOATS: [tuff_problem::thresholds::Threshold; 4] = [
    ("STICKY", tuff_scene::Friction::STICKY, "Coulomb coefficient of sticky surfaces."),
    (
        "CORNER",
        tuff_scene::CORNER,
        "Difference of the distances of two edges up to which they count as equally near, relative to what is compared.",
    ),
    (
        "PARALLEL",
        tuff_scene::PARALLEL,
        "Sine squared of the angle between two normals below which their surfaces count as parallel.",
    ),
    (
        "OPPOSED",
        tuff_scene::OPPOSED,
        "Cosine of the angle between two sides of a collider from which on they face away from each other.",
    ),
];

/// Returns the text of the shader header.
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
    for (name, value, help) in SCENE_FLOATS.iter().chain(tuff_problem::thresholds::all()) {
        let _ = writeln!(text, "const float {name} = {value:e}; // {}", help.trim_start());
    }
    text
}

// The grid and the f64 twin know these by the problem's names.
const _: () = assert!(COLORS == tuff_problem::COLOR_COUNT);
const _: () = assert!(CONTACT_SLOTS as usize == tuff_problem::CONTACT_SLOTS);
const _: () = assert!(MAX_WALLS as usize == tuff_problem::MAX_WALLS);
