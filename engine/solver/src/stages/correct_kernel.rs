//! Corrected kernel gradients and the sums over each neighborhood (eq. 10). Shader: `shaders/stages/correct_kernel.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "correct_kernel",
        shader: "stages/correct_kernel.comp",
        accesses: &[
            (KERNEL_WEIGHT, Read),
            (METRIC_DIAGONAL, Read),
            (METRIC_SHEAR, Read),
            (POSITION_LOW, Read),
            (NEIGHBOR_RANGE, Read),
            (MOMENT_DIAGONAL, Write),
            (MOMENT_SHEAR, Write),
            (GRADIENT_SUM, Write),
            (MEMORY_RESPONSE, Write),
            (MEMORY_WEIGHT, Write),
            (PAIR, ReadWrite),
            (STATUS, ReadWrite),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.compiled(variant)
.looked_at(&[
    (MOMENT_DIAGONAL, "kernel gradients"),
    (MOMENT_SHEAR, "kernel gradients"),
    (GRADIENT_SUM, "kernel gradients"),
    (MEMORY_WEIGHT, "memory weights"),
])
.twin("stages/correct_kernel.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.settings.kernel_correction.into()), (1, v.jacobi().into()), (2, v.metric().into())])
}
