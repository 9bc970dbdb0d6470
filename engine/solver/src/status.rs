//! The status block that the device keeps over a batch.

use tuff_problem::{Counters, Residual};

use crate::constants::*;

/// The status block of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Status {
    /// Failure bits.
    pub failed: u32,
    /// Number of pairs in the lists of the last substep.
    pub pairs: u32,
    /// Number of pair records that these lists occupy.
    pub records_needed: u32,
    /// Number of contacts with sheets that the last substep listed.
    pub meetings: u32,
    /// Smallest id of the particles that failed; all bits set: none.
    pub particle: u32,
    /// Number of iterations of the substeps committed in the batch.
    pub iterations: u32,
    /// Number of substeps committed in the batch.
    pub completed: u32,
    /// Force residual relative to its scale [dimensionless].
    pub residual: f32,
    /// Norm of C + alpha~ lambda [sqrt(Pa)].
    pub multiplier: f32,
    /// Limiter counts of the substeps committed in the batch.
    pub counters: Counters,
}

impl Status {
    /// Returns the block before a batch.
    pub fn initial() -> [u32; STATUS_WORDS as usize] {
        let mut words = [0; STATUS_WORDS as usize];
        words[STATUS_PARTICLE as usize] = u32::MAX;
        words
    }

    /// Returns the residuals computed by the last substep.
    pub fn residual(&self) -> Residual {
        Residual { force: self.residual.into(), multiplier: self.multiplier.into() }
    }

    /// Reads a downloaded block.
    pub fn read(words: &[u32; STATUS_WORDS as usize]) -> Self {
        let word = |index: u32| words[index as usize];
        Self {
            failed: word(STATUS_FAILED),
            pairs: word(STATUS_PAIRS),
            records_needed: word(STATUS_RECORDS_NEEDED),
            meetings: word(STATUS_MEETINGS),
            particle: word(STATUS_PARTICLE),
            iterations: word(COMMITTED_ITERATIONS),
            completed: word(STATUS_COMPLETED),
            residual: f32::from_bits(word(STATUS_RESIDUAL)),
            multiplier: f32::from_bits(word(STATUS_MULTIPLIER)),
            counters: counters(words, COMMITTED_COUNTS),
        }
    }

    /// Returns the limiter counts in a downloaded block, including those of a failed substep.
    pub fn uncommitted(words: &[u32]) -> Counters {
        counters(words, FIRST_COUNT)
    }
}

/// Returns the counters from word `first` on.
fn counters(words: &[u32], first: u32) -> Counters {
    let mut words = words.iter().skip(first as usize);
    Counters::of_device(|| words.next().map_or(0, |&word| word.into()))
}
