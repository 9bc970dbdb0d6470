//! Stops the batch when something is stretched further than it bears; the host then takes it out. Shaders:
//! `shaders/stages/break_pairs.comp`, `tear_links.comp`.

use super::prelude::*;

/// Looks at the pairs of total bodies.
pub const PAIRS: Facts = Facts::new(
    "break_pairs",
    "stages/break_pairs.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (IDENTITY, Read),
        (COMMITTED_POSITION, Read),
        (COMMITTED_POSITION_LOW, Read),
        (TOTAL_PLACE, Read),
        (TOTAL_START, Read),
        (TOTAL_PAIR, Read),
        (TOTAL_REACH, Read),
        (STATUS, ReadWrite),
    ],
)
.twin("solver.rs");

/// Looks at the triangles of cloth.
pub const TRIANGLES: Facts = Facts::new(
    "tear_links",
    "stages/tear_links.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (IDENTITY, Read),
        (COMMITTED_POSITION, Read),
        (COMMITTED_POSITION_LOW, Read),
        (LINKED_PLACE, Read),
        (LINK, Read),
        (LINK_NUMBERS, Read),
        (LINK_START, Read),
        (LINK_LIST, Read),
        (STATUS, ReadWrite),
    ],
)
.twin("constraints/links.rs");
