//! The cards, in the order of the report.

mod paper;
mod self_weight;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[
        self_weight::CARD,
        paper::P1,
        paper::P2,
        paper::P3,
        paper::P5,
        paper::P6,
        paper::P7,
        paper::P8,
        paper::P9,
        paper::P10,
        paper::P11,
        paper::P12,
        paper::P13,
        paper::P14,
    ]
}
