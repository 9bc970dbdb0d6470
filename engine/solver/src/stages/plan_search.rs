//! Sizes the neighbor search and divides the lists of the colors among size classes. Shader: `shaders/stages/plan_search.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "plan_search",
    "stages/plan_search.comp",
    Part::NeighborSearch,
    Launch::One(32),
    &[(COLOR_COUNT, ReadWrite), (SIZE_CLASS, ReadWrite), (ARGUMENTS, Write)],
)
.compiled(variant);

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.search_group)])
}
