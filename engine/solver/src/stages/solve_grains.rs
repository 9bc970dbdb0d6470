//! Rigid spheres with point friction, one color. Shader: `shaders/stages/solve_grains.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_grains",
    "stages/solve_grains.comp",
    Part::SolveOther,
    Launch::Colors(ARGUMENTS_COLORS),
    &[
        (COLOR_COUNT, Read),
        (COLORED_CELL, Read),
        (CELL_START, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (POSITION, Read),
        (VELOCITY, ReadWrite),
        (STATUS, ReadWrite),
    ],
)
.compiled(variant)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_grains.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group), (1, v.mapping.lanes)])
}
