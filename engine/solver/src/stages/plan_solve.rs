//! Sizes the stages that follow the search. Shader: `shaders/stages/plan_solve.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "plan_solve",
        shader: "stages/plan_solve.comp",
        accesses: &[(COLOR_COUNT, Read), (STATUS, ReadWrite), (ARGUMENTS, Write)],
        indirect: None,
    },
)
.compiled(variant);

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group), (1, v.mapping.lanes)])
}
