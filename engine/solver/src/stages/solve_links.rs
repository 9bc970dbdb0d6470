//! A color of a sweep over the links between given particles. Shader: `shaders/stages/solve_links.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "solve_links",
        shader: "stages/solve_links.comp",
        accesses: &[
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
        indirect: None,
    },
)
.direct(Threads::Links)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_links.rs");
