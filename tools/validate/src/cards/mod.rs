//! The cards, in the order of the report.

mod self_weight;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[self_weight::CARD]
}
