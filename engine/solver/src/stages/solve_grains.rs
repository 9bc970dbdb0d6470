//! Rigid spheres with point friction, one color. Shader: `shaders/stages/solve_grains.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); COLORED_PAIRS.len() + 3] =
    join(&[&COLORED_PAIRS, &[(POSITION, Read), (VELOCITY, ReadWrite), (STATUS, ReadWrite)]]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "solve_grains",
    "stages/solve_grains.comp",
    Part::SolveOther,
    Launch::Colors(ARGUMENTS_COLORS),
    &ACCESSES,
)
.compiled(variant)
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/solve_grains.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group), (1, v.mapping.lanes)])
}
