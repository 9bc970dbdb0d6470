//! A sweep of the inelastic constraints of total bodies over one color of the cells in which they started. Shader:
//! `shaders/stages/solve_inelastic.comp`.

use super::prelude::*;
use super::solve_inelastic;

const ACCESSES: [(AttributeId, Access); solve_inelastic::ROWS.len() + 5] =
    join(&[&TOTAL_CELLS, &solve_inelastic::ROWS]);

/// The sweep, Gauss-Seidel or Jacobi.
pub const STAGE: Facts = Facts::new(
    "solve_total",
    "stages/solve_inelastic.comp",
    Part::SolveInelastic,
    Launch::TotalColors(TOTAL_GROUP),
    &ACCESSES,
)
.compiled(variant)
.idle(solve_inelastic::idle)
.looked_at(&[(IMPULSE_X, "impulse"), (IMPULSE_Y, "impulse"), (IMPULSE_Z, "impulse"), (VELOCITY, "velocity")])
.twin("stages/solve_total.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    let mut all = v.total_rows();
    all.constants.push((6, CORRECT_NOTHING));
    if v.jacobi() {
        all.defines.push(("JACOBI".to_owned(), "1".to_owned()));
    }
    all
}
