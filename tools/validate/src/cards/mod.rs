//! The cards, in the order of the report.

mod bar_waves;
mod belt;
mod brazilian;
mod cam_clay;
mod cantilever;
mod chute;
mod cone;
mod craters;
mod drum;
mod fed_heap;
mod geostatic;
mod hertz;
mod homogeneous;
mod interface;
mod metal_bar;
mod momentum;
mod paper;
mod patch_test;
mod plateaus;
mod pressed_cube;
mod punch;
mod repose;
mod resolution;
mod ring;
mod rope;
mod rotation;
mod self_weight;
mod shear_cell;
mod silo;
mod sliding;
mod slump;
mod swinging_beam;
mod vertical_cut;
mod viscometry;
mod water;
mod zero_energy;

use crate::Card;

/// Returns all cards.
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
        silo::CARD,
        plateaus::CARD,
        punch::CARD,
        vertical_cut::CARD,
        ring::CARD,
        cone::CARD,
        geostatic::CARD,
        viscometry::CARD,
        sliding::CARD,
        chute::CARD,
        craters::CARD,
        repose::CARD,
        slump::CARD,
        cam_clay::CARD,
        water::REST,
        water::WAVE,
        rope::CARD,
        cantilever::CARD,
        pressed_cube::CARD,
        swinging_beam::CARD,
        interface::CARD,
        metal_bar::CARD,
        drum::CARD,
        resolution::CARD,
        shear_cell::CARD,
        belt::CARD,
        fed_heap::CARD,
        paper::P1,
        paper::P2,
        paper::P3,
        paper::P4,
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
        paper::P15,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    /// Returns the sort key of an id: B cards before E and P cards, each by number.
    fn rank(id: &str) -> (char, u32) {
        let letter = id.chars().next().unwrap();
        (letter, id[1..].parse().unwrap_or_else(|_| panic!("{id} is not a letter and a number")))
    }

    #[test]
    fn ids_are_in_order_and_unique() {
        let ranks: Vec<_> = all().iter().map(|card| rank(card.id)).collect();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{ranks:?}");
    }

    #[test]
    fn all_quick_cards_fit_into_90_minutes() {
        let of = |size: Size| -> f64 {
            let settings = |card: &Card| card.settings().iter().map(|&s| card.minutes(size, s)).sum::<f64>();
            all().iter().map(settings).sum()
        };
        assert!(of(Size::Quick) <= 90.0, "{} minutes", of(Size::Quick));
        assert!(of(Size::Test) <= of(Size::Quick));
    }
}
