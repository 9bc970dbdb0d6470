//! Sorts the occupied cells by color and number of particles. Shader: `shaders/stages/color_cells.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "color_cells",
        shader: "stages/color_cells.comp",
        accesses: &[
            (OCCUPIED_CELL, Read),
            (CELL_START, Read),
            (COLOR_COUNT, Read),
            (SIZE_CLASS, ReadWrite),
            (COLORED_CELL, Write),
        ],
        indirect: Some(ARGUMENTS),
    },
)
.compiled(variant)
.twin("stages/solve_inelastic.rs");

fn variant(v: &Variant<'_>) -> Specialization {
    v.with(&[(0, v.mapping.solve_group / v.mapping.lanes), (1, v.mapping.shares)])
}
