//! Deforming meshes follow their motion. Shaders: `shaders/stages/move_vertices.comp`, `turn_vertices.comp`, `turn_triangles.comp`,
//! `refit_boxes.comp`.

use super::prelude::*;

/// Positions of the vertices.
pub const VERTICES: Facts = Facts::new(
    "move_vertices",
    "stages/move_vertices.comp",
    Part::CollisionDetection,
    Launch::Over(Count::MeshPoints, 64),
    &[(MESH_KNOT, Read), (MESH_SPAN, Read), (MESH_POINT, Write)],
)
.compiled(|v| v.with(&[(0, v.deforming.points)]))
.twin("placed.rs");

/// Pseudo-normals of the vertices of patches.
pub const NORMALS: Facts = Facts::new(
    "turn_vertices",
    "stages/turn_vertices.comp",
    Part::CollisionDetection,
    Launch::Over(Count::PatchPoints, 64),
    &[(MESH_POINT, Read), (PATCH_POINT, Read), (PATCH_AROUND, Read), (MESH_NORMAL, Write)],
)
.compiled(|v| v.with(&[(0, v.deforming.patch_points)]))
.twin("placed.rs");

/// Triangles with their normals.
pub const TRIANGLES: Facts = Facts::new(
    "turn_triangles",
    "stages/turn_triangles.comp",
    Part::CollisionDetection,
    Launch::Over(Count::PatchTriangles, 64),
    &[
        (MESH_POINT, Read),
        (MESH_NORMAL, Read),
        (PATCH_TRIANGLE, Read),
        (MESH_TRIANGLE, Write),
        (MESH_DRIFT, Write),
    ],
)
.compiled(|v| v.with(&[(0, v.deforming.triangles)]))
.twin("placed.rs");

/// Boxes of the trees, level by level from the leaves on.
pub const BOXES: Facts = Facts::new(
    "refit_boxes",
    "stages/refit_boxes.comp",
    Part::CollisionDetection,
    Launch::Levels(64),
    &[(REFIT_LEVEL, Read), (REFIT_NODE, Read), (MESH_TRIANGLE, Read), (MESH_NODE, ReadWrite)],
)
.twin("placed.rs");
