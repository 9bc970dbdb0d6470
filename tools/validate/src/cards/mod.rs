//! The cards, in the order of the report.

mod bar_waves;
mod brazilian;
mod cantilever;
mod hertz;
mod self_weight;
mod swinging_beam;
mod zero_energy;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[
        zero_energy::CARD,
        self_weight::CARD,
        bar_waves::CARD,
        hertz::CARD,
        brazilian::CARD,
        cantilever::CARD,
        swinging_beam::CARD,
    ]
}
