//! Corrected kernel gradients and the sums over each neighborhood (eq. 10). Shader: `shaders/stages/correct_kernel.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
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
};
