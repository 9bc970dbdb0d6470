//! Exclusive prefix sum of the particles per cell, in three stages.
//! Shaders: `shaders/stages/scan_tiles.comp`, `scan_sums.comp`, `scan_apply.comp`.

use super::prelude::*;

/// Sums of the tiles.
pub const TILES: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "scan_tiles",
        shader: "stages/scan_tiles.comp",
        accesses: &[(CELL_COUNT, Read), (SCAN_TILE_SUM, Write)],
        indirect: None,
    },
)
.direct(Threads::ScanTiles)
.twin("stages/bin.rs");

/// Prefix sum of the tile sums.
pub const SUMS: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "scan_sums",
        shader: "stages/scan_sums.comp",
        accesses: &[(SCAN_TILE_SUM, ReadWrite)],
        indirect: None,
    },
)
.direct(Threads::Group)
.twin("stages/bin.rs");

/// Index of the first particle of every cell.
pub const APPLY: Facts = Facts::new(
    Part::NeighborSearch,
    StageDeclaration {
        name: "scan_apply",
        shader: "stages/scan_apply.comp",
        accesses: &[(CELL_COUNT, Read), (SCAN_TILE_SUM, Read), (CELL_START, Write)],
        indirect: None,
    },
)
.direct(Threads::ScanTiles)
.twin("stages/bin.rs");
