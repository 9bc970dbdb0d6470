//! The cards, in the order of the report.

mod cam_clay;
mod cone;
mod plateaus;
mod self_weight;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[self_weight::CARD, plateaus::CARD, cone::CARD, cam_clay::CARD]
}
