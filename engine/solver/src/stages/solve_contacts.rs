//! Position correction (eq. 21, or by density), one color. Shader: `shaders/stages/solve_contacts.comp`.

use super::prelude::*;
use tuff_scene::{PositionCorrection, SolverSettings};

use crate::constants::{CORRECT_DENSITY, CORRECT_DISTANCE, CORRECT_NOTHING};

const ACCESSES: [(AttributeId, Access); COLORED_PAIRS.len() + 7] = join(&[
    &COLORED_PAIRS,
    &[
        (POSITION, Read),
        (MEMORY, Read),
        (IDENTITY, Read),
        (DENSITY_LIMIT, Read),
        (VELOCITY, ReadWrite),
        (CORRECTION_IMPULSE, ReadWrite),
        (STATUS, ReadWrite),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_contacts",
    "stages/solve_contacts.comp",
    Part::SolveOther,
    Launch::Colors(ARGUMENTS_COLORS),
    &ACCESSES,
)
.compiled(variant)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_contacts.rs");

/// Returns the shader constant of the position correction.
pub fn correction(settings: &SolverSettings) -> u32 {
    match settings.position_correction {
        PositionCorrection::None => CORRECT_NOTHING,
        PositionCorrection::Distance { .. } => CORRECT_DISTANCE,
        PositionCorrection::Density { .. } => CORRECT_DENSITY,
    }
}

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group), (1, v.mapping.lanes), (6, correction(v.settings))])
}
