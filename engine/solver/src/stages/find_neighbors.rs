//! Lists the neighbors of every particle. Shader: `shaders/stages/find_neighbors.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "find_neighbors",
    "stages/find_neighbors.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SEARCH),
    &[
        (POSITION, Read),
        (IDENTITY, Read),
        (METRIC_DIAGONAL, Read),
        (METRIC_SHEAR, Read),
        (CELL_START, Read),
        (OCCUPIED_CELL, Read),
        (COLOR_COUNT, Read),
        (WALL, Read),
        (WALLED, Read),
        (TOTAL_START, Read),
        (TOTAL_PAIR, Read),
        (PAIR, Write),
        (NEIGHBOR_RANGE, Write),
        (STATUS, ReadWrite),
    ],
)
.compiled(variant)
.of_few(&[WALL, WALLED, TOTAL_START, TOTAL_PAIR])
.twin("stages/find_neighbors.rs");

/// Sets the workgroup size, and whether kernels see matter before its elastic strain, and lists ascend across
/// the seams of the grid.
fn variant(v: &Variant<'_>) -> Specialization {
    let ascending = v.settings.newton();
    let constants = v.with(&[(0, v.mapping.search_group), (1, v.metric().into()), (2, ascending.into())]);
    Specialization { sources: v.classes(), ..constants }
}
