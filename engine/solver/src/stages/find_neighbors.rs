//! Neighbors of every particle, counted and then written. Shader: `shaders/stages/find_neighbors.comp`.

use super::prelude::*;

/// Counts the neighbors.
pub const COUNT: StageDeclaration = StageDeclaration {
    name: "count_neighbors",
    shader: "stages/find_neighbors.comp",
    accesses: &[
        (POSITION, Read),
        (IDENTITY, Read),
        (METRIC_DIAGONAL, Read),
        (METRIC_SHEAR, Read),
        (CELL_START, Read),
        (OCCUPIED_CELL, Read),
        (COLOR_COUNT, Read),
        (NEIGHBOR_COUNT, Write),
        (PAIR, ReadWrite),
        (NEIGHBOR_RANGE, ReadWrite),
        (STATUS, ReadWrite),
    ],
    indirect: Some(ARGUMENTS),
};

/// Writes the indices and weight codes of the pair records.
pub const FILL: StageDeclaration = StageDeclaration { name: "find_neighbors", ..COUNT };

/// Constants of the shader: workgroup size, whether records are written, whether the scene has one body,
/// whether kernels see the unstretched frame.
pub fn specialization(group: u32, fill: bool, one_body: bool, metric: bool) -> Specialization {
    Specialization {
        constants: vec![(0, group), (1, fill.into()), (2, one_body.into()), (3, metric.into())],
        ..Default::default()
    }
}
