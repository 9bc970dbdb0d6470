//! Sizes the stages that follow the search. Shader: `shaders/stages/plan_solve.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "plan_solve",
    "stages/plan_solve.comp",
    Part::NeighborSearch,
    Launch::One(1),
    &[(COLOR_COUNT, Read), (STATUS, ReadWrite), (ARGUMENTS, Write)],
)
.compiled(variant);

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group), (1, v.mapping.lanes), (2, v.mapping.sharers())])
}
