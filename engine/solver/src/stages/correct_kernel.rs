//! Computes corrected kernel gradients and the sums over each neighborhood (eq. 10). Shader: `shaders/stages/correct_kernel.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "correct_kernel",
    "stages/correct_kernel.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (KERNEL_WEIGHT, Read),
        (METRIC_DIAGONAL, Read),
        (METRIC_SHEAR, Read),
        (POSITION_LOW, Read),
        (IDENTITY, Read),
        (ROOM, Read),
        (NEIGHBOR_RANGE, Read),
        (MOMENT_DIAGONAL, Write),
        (MOMENT_SHEAR, Write),
        (GRADIENT_SUM, Write),
        (MEMORY_RESPONSE, Write),
        (MEMORY_WEIGHT, ReadWrite),
        (PAIR, ReadWrite),
        (BODY_MODULUS, Read),
        (STATUS, ReadWrite),
    ],
)
.compiled(variant)
.of_few(&[IDENTITY, ROOM])
.looked_at(&[
    (MOMENT_DIAGONAL, "kernel gradients"),
    (MOMENT_SHEAR, "kernel gradients"),
    (GRADIENT_SUM, "kernel gradients"),
    (MEMORY_WEIGHT, "memory weights"),
])
.agrees(&[("S", 1e-4), ("s", 1e-4), ("sum w'", 1e-3), ("D_h", 1e-3), ("c", 1e-3), ("g", 1e-4)])
.twin("stages/correct_kernel.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    let constants =
        [(0, v.settings.kernel_correction.into()), (1, v.jacobi().into()), (2, v.metric().into())];
    Specialization { sources: v.pores().collect(), ..v.with(&constants) }
}
