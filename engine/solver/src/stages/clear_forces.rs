//! Begins the force accumulators with what links do. Shader: `shaders/stages/clear_forces.comp`.

use super::prelude::*;

const LINKED_ACCESSES: [(AttributeId, Access); 1 + LINKS.len() + 4] = join(&[
    &[(FORCE, Write)],
    &LINKS,
    &[(IDENTITY, Read), (POSITION, Read), (POSITION_LOW, Read), (VELOCITY, Read)],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::SolveOther,
    StageDeclaration {
        name: "clear_forces",
        shader: "stages/clear_forces.comp",
        accesses: &LINKED_ACCESSES,
        indirect: Some(ARGUMENTS),
    },
)
.of_links(&[IDENTITY, POSITION, POSITION_LOW, VELOCITY])
.twin("stages/residual.rs");
