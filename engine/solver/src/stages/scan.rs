//! Exclusive prefix sum of the particles per cell, in three stages.
//! Shaders: `shaders/stages/scan_tiles.comp`, `scan_sums.comp`, `scan_apply.comp`.

use super::prelude::*;

/// Sums of the tiles.
pub const TILES: Facts = Facts::new(
    "scan_tiles",
    "stages/scan_tiles.comp",
    Part::NeighborSearch,
    Launch::Over(Count::ScanTiles, 8),
    &[(CELL_COUNT, Read), (SCAN_TILE_SUM, Write)],
)
.twin("stages/bin.rs");

/// Prefix sum of the tile sums.
pub const SUMS: Facts = Facts::new(
    "scan_sums",
    "stages/scan_sums.comp",
    Part::NeighborSearch,
    Launch::One(64),
    &[(SCAN_TILE_SUM, ReadWrite)],
)
.twin("stages/bin.rs");

/// Index of the first particle of every cell.
pub const APPLY: Facts = Facts::new(
    "scan_apply",
    "stages/scan_apply.comp",
    Part::NeighborSearch,
    Launch::Over(Count::ScanTiles, 8),
    &[(CELL_COUNT, Read), (SCAN_TILE_SUM, Read), (CELL_START, Write)],
)
.twin("stages/bin.rs");
