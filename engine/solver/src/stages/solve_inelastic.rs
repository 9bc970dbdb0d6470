//! A sweep of the inelastic constraints over one color (eq. 9-19). Shader: `shaders/stages/solve_inelastic.comp`.

use super::prelude::*;
use super::solve_contacts::correction;
use crate::constants::CORRECT_NOTHING;
use tuff_scene::{Gradient, Multiplier, Plasticity, PositionCorrection, Scheme, SolverSettings};

const ACCESSES: [(AttributeId, Access); 3 + ROWS.len()] =
    join(&[&[(COLOR_COUNT, Read), (COLORED_CELL, Read), (CELL_START, Read)], &ROWS]);

/// Accesses of the rows of particles, whatever their order.
pub const ROWS: [(AttributeId, Access); 3 + MATTER.len() + 14] = join(&[
    &[(NEIGHBOR_RANGE, Read), (PAIR, Read), (POSITION, Read)],
    &MATTER,
    &[
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
]);

/// The sweep, Gauss-Seidel or Jacobi.
pub const STAGE: Facts = Facts::new(
    "solve_inelastic",
    "stages/solve_inelastic.comp",
    Part::SolveInelastic,
    Launch::Colors(ARGUMENTS_COLORS),
    &ACCESSES,
)
.compiled(variant)
.idle(idle)
.looked_at(&[
    // Impulses of a particle's own rows come first; the velocities of its neighbors follow from them.
    (IMPULSE_X, "impulse"),
    (IMPULSE_Y, "impulse"),
    (IMPULSE_Z, "impulse"),
    (CORRECTION_IMPULSE, "position correction"),
    (VELOCITY, "velocity"),
])
.agrees(&[("H", 1e-3), ("memory's multiplier", 2e-3), ("lambda", 1e-3), ("v", 1e-5)])
.twin("stages/solve_inelastic.rs");

/// Returns the constants of a particle's rows, `remembers` telling whether these include the memory; shared by the sweep, the force
/// residual, the Newton pass and the commit.
pub fn row_constants(settings: &SolverSettings, remembers: bool, lanes: u32) -> Vec<(u32, u32)> {
    vec![
        (1, lanes),
        (2, u32::from(settings.plasticity == Plasticity::Implicit)),
        (3, u32::from(settings.gradient == Gradient::Literal)),
        (4, u32::from(settings.multiplier == Multiplier::Tensor)),
        (5, u32::from(remembers)),
    ]
}

/// Gauss-Seidel changes velocities at once and includes the position correction, which follows a Jacobi sweep.
pub(super) fn idle(settings: &SolverSettings) -> &'static [AttributeId] {
    match (settings.scheme, settings.position_correction) {
        (Scheme::Jacobi, _) => &[CORRECTION_IMPULSE],
        (_, PositionCorrection::None) => &[VELOCITY_CHANGE, CORRECTION_IMPULSE],
        _ => &[VELOCITY_CHANGE],
    }
}

fn variant(v: &Variant<'_>) -> Specialization {
    let correction = if v.jacobi() { CORRECT_NOTHING } else { correction(v.settings) };
    let mut all = v.rows(v.mapping.lanes);
    all.constants.push((6, correction));
    if v.jacobi() {
        all.defines.push(("JACOBI".to_owned(), "1".to_owned()));
    }
    all
}
