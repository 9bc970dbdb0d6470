//! Initializes the force accumulators with the forces of links. Shader: `shaders/stages/clear_forces.comp`.

use super::prelude::*;

const LINKED_ACCESSES: [(AttributeId, Access); 1 + LINKS.len() + 4] = join(&[
    &[(FORCE, Write)],
    &LINKS,
    &[(IDENTITY, Read), (POSITION, Read), (POSITION_LOW, Read), (VELOCITY, Read)],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "clear_forces",
    "stages/clear_forces.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_ITERATE),
    &LINKED_ACCESSES,
)
.of_links(&[IDENTITY, POSITION, POSITION_LOW, VELOCITY])
.twin("stages/residual.rs");
