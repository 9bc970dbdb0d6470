//! Uniform numbers from the fixed generator of the samplers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Returns a number in [0, 1) with 53 random bits.
pub(crate) fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
