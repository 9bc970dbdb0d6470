//! A sweep of the inelastic constraints over one color (eq. 9-19). Shader: `shaders/stages/solve_inelastic.comp`.

use super::prelude::*;
use tuff_scene::{Gradient, Multiplier, Plasticity, SolverSettings};

/// The sweep, Gauss-Seidel or Jacobi.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "solve_inelastic",
    shader: "stages/solve_inelastic.comp",
    accesses: &[
        (COLOR_COUNT, Read),
        (COLORED_CELL, Read),
        (CELL_START, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (STRAIN_DIAGONAL, Read),
        (STRAIN_SHEAR, Read),
        (MEMORY, Read),
        (STATE, Read),
        (HISTORY, Read),
        (IDENTITY, Read),
        (MOMENT_DIAGONAL, Read),
        (MOMENT_SHEAR, Read),
        (GRADIENT_SUM, Read),
        (MEMORY_RESPONSE, Read),
        (MEMORY_WEIGHT, Read),
        (IMPULSE_X, ReadWrite),
        (IMPULSE_Y, ReadWrite),
        (IMPULSE_Z, ReadWrite),
        (MULTIPLIER, ReadWrite),
        (STATUS, ReadWrite),
        (VELOCITY, ReadWrite),
        (VELOCITY_CHANGE, ReadWrite),
        (CORRECTION_IMPULSE, ReadWrite),
        (DENSITY_LIMIT, Read),
    ],
    indirect: Some(ARGUMENTS),
};

/// Constants of the particle's rows, shared by the sweep, the force residual and the commit.
pub fn row_constants(settings: &SolverSettings, lanes: u32) -> Vec<(u32, u32)> {
    vec![
        (1, lanes),
        (2, u32::from(settings.plasticity == Plasticity::Implicit)),
        (3, u32::from(settings.gradient == Gradient::Literal)),
        (4, u32::from(settings.multiplier == Multiplier::Tensor)),
        (5, u32::from(settings.stabilization > 0.0)),
    ]
}
