//! Solves one color of a sweep over the links between given particles. Shader: `shaders/stages/solve_links.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_links",
    "stages/solve_links.comp",
    Part::SolveOther,
    Launch::Links(64),
    &[
        (LINKED_PLACE, Read),
        (LINK, Read),
        (LINK_NUMBERS, Read),
        (LINK_COLOR, Read),
        (POSITION, Read),
        (POSITION_LOW, Read),
        (ARGUMENTS, Read),
        (VELOCITY, ReadWrite),
        (LINK_MULTIPLIER, ReadWrite),
    ],
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_links.rs");
