//! Neighbors of every particle. Shader: `shaders/stages/find_neighbors.comp`.

use super::prelude::*;

/// The stage.
pub const DECLARATION: StageDeclaration = StageDeclaration {
    name: "find_neighbors",
    shader: "stages/find_neighbors.comp",
    accesses: &[
        (POSITION, Read),
        (IDENTITY, Read),
        (METRIC_DIAGONAL, Read),
        (METRIC_SHEAR, Read),
        (CELL_START, Read),
        (OCCUPIED_CELL, Read),
        (COLOR_COUNT, Read),
        (PAIR, Write),
        (NEIGHBOR_RANGE, Write),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};

/// Constants of the shader: workgroup size, whether the scene has one body, whether kernels see the unstretched frame,
/// whether lists ascend across the seams of the grid.
pub fn specialization(group: u32, one_body: bool, metric: bool, ascending: bool) -> Specialization {
    Specialization {
        constants: vec![(0, group), (1, one_body.into()), (2, metric.into()), (3, ascending.into())],
        ..Default::default()
    }
}
