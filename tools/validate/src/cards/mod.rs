//! The cards, in the order of the report.

mod bar_waves;
mod brazilian;
mod cantilever;
mod hertz;
mod homogeneous;
mod momentum;
mod patch_test;
mod pressed_cube;
mod rotation;
mod self_weight;
mod sliding;
mod swinging_beam;
mod zero_energy;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[
        momentum::CARD,
        patch_test::CARD,
        homogeneous::CARD,
        rotation::CARD,
        zero_energy::CARD,
        self_weight::CARD,
        bar_waves::CARD,
        hertz::CARD,
        brazilian::CARD,
        sliding::CARD,
        cantilever::CARD,
        pressed_cube::CARD,
        swinging_beam::CARD,
    ]
}
