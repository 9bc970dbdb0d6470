//! Measures the deformation of total bodies. Shader: `shaders/stages/measure_total.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "measure_total",
    "stages/measure_total.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (POSITION, Read),
        (POSITION_LOW, Read),
        (IDENTITY, Read),
        (NEIGHBOR_RANGE, Read),
        (PLASTIC, Read),
        (TOTAL_PLACE, Read),
        (TOTAL_START, Read),
        (TOTAL_PAIR, Read),
        (TOTAL_WEIGHT, Read),
        (TOTAL_UNSTRETCH, Write),
        (PAIR, ReadWrite),
        (STRAIN_DIAGONAL, ReadWrite),
        (STRAIN_SHEAR, ReadWrite),
        (MEMORY, ReadWrite),
        (HISTORY, ReadWrite),
        (DEFORMATION, Write),
        (MEMORY_WEIGHT, Write),
        (STATUS, ReadWrite),
    ],
)
.compiled(variant)
.looked_at(&[(STRAIN_DIAGONAL, "strain"), (STRAIN_SHEAR, "strain"), (MEMORY, "memory")])
.twin("stages/measure_total.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    let layout = [v.history.words(), v.history.branch.into(), v.history.deformation.into()];
    let [words, branch, deformation] = layout;
    v.with(&[(0, words), (1, branch), (2, deformation), (3, v.deformation.into())])
}
