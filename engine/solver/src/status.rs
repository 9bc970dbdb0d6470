//! The status block and the workgroup counts, as shaders/include/status.glsl names them.

use tuff_problem::Counters;

/// Words of the status block.
pub const WORDS: u64 = 16;
/// Particles that one invocation sums in a reduction.
pub const TILE: u64 = 64;
/// Entries of the workgroup counts.
pub const ARGUMENTS: u64 = 59;

/// Entry of the counts for one invocation per particle.
pub const ARGUMENTS_PARTICLES: u64 = 0;
/// Entry for one invocation per tile of particles.
pub const ARGUMENTS_TILES: u64 = 1;
/// Entry for the neighbor search.
pub const ARGUMENTS_SEARCH: u64 = 2;
/// Entry for one invocation per particle once the lists fit.
pub const ARGUMENTS_SOLVE: u64 = 3;
/// Entry for one invocation per particle until converged.
pub const ARGUMENTS_ITERATE: u64 = 4;
/// First of the entries for a sweep over a color.
pub const ARGUMENTS_COLORS: u64 = 5;
/// First of the entries for the force residual over a color.
pub const ARGUMENTS_RESIDUAL: u64 = 32;

/// More pair records than fit.
pub const FAILED_PAIRS: u32 = 1;
/// More neighbors of one particle than a record can count.
pub const FAILED_LIST: u32 = 2;
/// A neighborhood folded at the commit.
pub const FAILED_FOLD: u32 = 4;
/// A position, velocity or strain is not finite.
pub const FAILED_NOT_FINITE: u32 = 8;

/// The status block of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Status {
    /// Failure bits.
    pub failed: u32,
    /// Pair records of the largest substep.
    pub pairs_needed: u32,
    /// Smallest id concerned by a failure; all bits set: none.
    pub particle: u32,
    /// Iterations done in the batch.
    pub iterations: u32,
    /// Substeps committed in the batch.
    pub completed: u32,
    /// Force residual relative to its start [dimensionless].
    pub residual: f32,
    /// Norm of C + alpha~ lambda [sqrt(Pa)].
    pub multiplier: f32,
    /// The limiters.
    pub counters: Counters,
}

impl Status {
    /// The block before a batch.
    pub fn initial() -> [u32; WORDS as usize] {
        let mut words = [0; WORDS as usize];
        words[2] = u32::MAX;
        words
    }

    /// Reads a downloaded block.
    pub fn read(words: &[u32; WORDS as usize]) -> Self {
        let count = |i: usize| u64::from(words[8 + i]);
        Self {
            failed: words[0],
            pairs_needed: words[1],
            particle: words[2],
            iterations: words[3],
            completed: words[4],
            residual: f32::from_bits(words[6]),
            multiplier: f32::from_bits(words[7]),
            counters: Counters {
                stretch_clamped: count(0),
                fold_limited: count(1),
                tip_released: count(2),
                rank_deficient: count(3),
                isolated: count(4),
                position_corrected: count(5),
                contact_overflow: count(6),
                fast_particles: count(7),
                ..Counters::default()
            },
        }
    }
}
