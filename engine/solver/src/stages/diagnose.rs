//! Computes energies, highest speeds and bounds per tile. Shader: `shaders/stages/diagnose.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); 11 + LINKS.len() + 1] = join(&[
    &[
        (COMMITTED_POSITION, Read),
        (COMMITTED_VELOCITY, Read),
        (COMMITTED_STRAIN_DIAGONAL, Read),
        (COMMITTED_STRAIN_SHEAR, Read),
        (COMMITTED_MEMORY, Read),
        (COMMITTED_STATE, Read),
        (COMMITTED_IDENTITY, Read),
        (COMMITTED_HISTORY, Read),
        (NEIGHBOR_RANGE, Read),
        (TOUCHING, Read),
        (PARTIAL, Write),
    ],
    &LINKS,
    &[(COMMITTED_POSITION_LOW, Read)],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "diagnose",
    "stages/diagnose.comp",
    Part::UpdateState,
    Launch::Over(Count::Tiles, 64),
    &ACCESSES,
)
.compiled(variant)
.of_links(&[COMMITTED_POSITION_LOW])
.twin("stages/diagnose.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    Specialization { sources: [v.sources.clone(), v.classes()].concat(), ..Default::default() }
}
