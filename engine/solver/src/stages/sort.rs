//! Moves the particles into the order (cell, id). Shader: `shaders/stages/sort.comp`.

use super::prelude::*;

const OWN: [(AttributeId, Access); 8] = [
    (LINKED_PLACE, Write),
    (TOTAL_PLACE, Write),
    (PARTICLE_CELL, Read),
    (CELL_START, Read),
    (CELL_MEMBER, Read),
    (KERNEL_WEIGHT, Write),
    (METRIC_DIAGONAL, Write),
    (METRIC_SHEAR, Write),
];

const ACCESSES: [(AttributeId, Access); OWN.len() + 2 * KEPT.len()] =
    join(&[&OWN, &kept(Side::Committed, Read), &kept(Side::Sorted, Write)]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "sort",
    "stages/sort.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_PARTICLES),
    &ACCESSES,
)
.compiled(variant)
.twin("stages/sort.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    let (metric, newton) = (v.metric().into(), v.settings.newton().into());
    let constants = v.with(&[(0, metric), (1, v.history.words()), (2, newton), (3, v.deformation.into())]);
    Specialization { sources: v.classes(), ..constants }
}
