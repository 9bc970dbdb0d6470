//! The cards, in the order of the report.

mod cam_clay;
mod chute;
mod cone;
mod geostatic;
mod plateaus;
mod punch;
mod repose;
mod self_weight;
mod slump;
mod vertical_cut;
mod viscometry;

use crate::Card;

/// All cards.
pub fn all() -> &'static [Card] {
    &[
        self_weight::CARD,
        plateaus::CARD,
        punch::CARD,
        vertical_cut::CARD,
        cone::CARD,
        geostatic::CARD,
        viscometry::CARD,
        chute::CARD,
        repose::CARD,
        slump::CARD,
        cam_clay::CARD,
    ]
}
