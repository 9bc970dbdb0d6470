//! The status block and the workgroup counts: constants that host and shaders share. The shader header
//! `shaders/include/generated/status.glsl` is written from this table (`cargo run -p tuff-solver --example layouts`).

use std::fmt::Write as _;

use tuff_problem::Counters;

macro_rules! shared {
    ($($name:ident = $value:expr, $help:literal;)*) => {
        $(#[doc = $help] pub const $name: u32 = $value;)*

        /// Name, value and meaning of every shared constant.
        pub const SHARED: &[(&str, u32, &str)] = &[$((stringify!($name), $name, $help)),*];
    };
}

shared! {
    STATUS_FAILED = 0, "Failure bits; every later stage that changes state is skipped.";
    STATUS_PAIRS_NEEDED = 1, "Pair records of the largest substep.";
    STATUS_PARTICLE = 2, "Smallest id concerned by a failure; all bits set: none.";
    STATUS_ITERATIONS = 3, "Iterations done in the batch.";
    STATUS_COMPLETED = 4, "Substeps committed in the batch.";
    STATUS_RESIDUAL_START = 5, "Force residual at the predicted velocities [N s], float bits.";
    STATUS_RESIDUAL = 6, "Force residual now, relative to its start, float bits.";
    STATUS_MULTIPLIER = 7, "|C + alpha~ lambda| [sqrt(Pa)], float bits.";
    COUNT_STRETCH_CLAMPED = 8, "Strains clamped.";
    COUNT_FOLD_LIMITED = 9, "Folded velocity gradients scaled back.";
    COUNT_TIP_RELEASED = 10, "Impulses given back at a yield tip.";
    COUNT_RANK_DEFICIENT = 11, "Kernel corrections of deficient rank.";
    COUNT_ISOLATED = 12, "Particles without neighbors.";
    COUNT_POSITION_CORRECTED = 13, "Pairs pushed apart.";
    COUNT_CONTACT_OVERFLOW = 14, "Particles near more colliders than are tracked.";
    COUNT_FAST_PARTICLES = 15, "Particles faster than half a kernel radius per substep.";
    COUNTERS = 8, "Counters from the first on.";
    COMMITTED_COUNTS = 16, "The counters at the last commit.";
    COMMITTED_ITERATIONS = 24, "Iterations at the last commit.";
    STATUS_WORDS = 25, "Words of the status block.";
    FAILED_PAIRS = 1, "More pair records than fit.";
    FAILED_LIST = 2, "More than 65535 neighbors of one particle.";
    FAILED_FOLD = 4, "A neighborhood folded at the commit.";
    FAILED_NOT_FINITE = 8, "A position, velocity or strain is not finite.";
    TILE = 64, "Particles that one invocation sums in a reduction.";
    ARGUMENTS_PARTICLES = 0, "One invocation per particle, workgroups of 64.";
    ARGUMENTS_TILES = 1, "One invocation per tile of particles, workgroups of 64.";
    ARGUMENTS_SEARCH = 2, "8 lanes per occupied cell.";
    ARGUMENTS_SOLVE = 3, "As for particles; empty where the lists overflowed.";
    ARGUMENTS_ITERATE = 4, "As for the solve; empty once converged.";
    ARGUMENTS_COLORS = 5, "One entry per color; empty once converged.";
    ARGUMENTS_RESIDUAL = 32, "One entry per color, one invocation per cell; empty once converged.";
    ARGUMENTS_COUNT = 59, "Entries of the workgroup counts.";
}

/// Text of the shader header.
pub fn header() -> String {
    let mut text = String::from("// Written from engine/solver/src/status.rs; do not edit.\n\n");
    for (name, value, help) in SHARED {
        let _ = writeln!(text, "const uint {name} = {value}u; // {help}");
    }
    text
}

/// The status block of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Status {
    /// Failure bits.
    pub failed: u32,
    /// Pair records of the largest substep.
    pub pairs_needed: u32,
    /// Smallest id concerned by a failure; all bits set: none.
    pub particle: u32,
    /// Iterations of the substeps committed in the batch.
    pub iterations: u32,
    /// Substeps committed in the batch.
    pub completed: u32,
    /// Force residual relative to its start [dimensionless].
    pub residual: f32,
    /// Norm of C + alpha~ lambda [sqrt(Pa)].
    pub multiplier: f32,
    /// The limiters, over the substeps committed in the batch.
    pub counters: Counters,
}

impl Status {
    /// The block before a batch.
    pub fn initial() -> [u32; STATUS_WORDS as usize] {
        let mut words = [0; STATUS_WORDS as usize];
        words[STATUS_PARTICLE as usize] = u32::MAX;
        words
    }

    /// Reads a downloaded block.
    pub fn read(words: &[u32; STATUS_WORDS as usize]) -> Self {
        let word = |index: u32| words[index as usize];
        let count = |index: u32| u64::from(word(COMMITTED_COUNTS + index - COUNT_STRETCH_CLAMPED));
        Self {
            failed: word(STATUS_FAILED),
            pairs_needed: word(STATUS_PAIRS_NEEDED),
            particle: word(STATUS_PARTICLE),
            iterations: word(COMMITTED_ITERATIONS),
            completed: word(STATUS_COMPLETED),
            residual: f32::from_bits(word(STATUS_RESIDUAL)),
            multiplier: f32::from_bits(word(STATUS_MULTIPLIER)),
            counters: Counters {
                stretch_clamped: count(COUNT_STRETCH_CLAMPED),
                fold_limited: count(COUNT_FOLD_LIMITED),
                tip_released: count(COUNT_TIP_RELEASED),
                rank_deficient: count(COUNT_RANK_DEFICIENT),
                isolated: count(COUNT_ISOLATED),
                position_corrected: count(COUNT_POSITION_CORRECTED),
                contact_overflow: count(COUNT_CONTACT_OVERFLOW),
                fast_particles: count(COUNT_FAST_PARTICLES),
                ..Counters::default()
            },
        }
    }
}
