//! Exclusive prefix sums, of the particles per cell and of the neighbors per particle, in three stages each.
//! Shaders: `shaders/stages/scan_tiles.comp`, `scan_sums.comp`, `scan_apply.comp`.

use super::prelude::*;

macro_rules! scan {
    ($module:ident, $doc:literal, $input:ident, $output:ident, $count:literal, $input_name:literal, $output_name:literal, $names:expr) => {
        #[doc = $doc]
        pub mod $module {
            use super::*;

            /// Sums of the tiles.
            pub const TILES: StageDeclaration = StageDeclaration {
                name: $names[0],
                shader: "stages/scan_tiles.comp",
                accesses: &[($input, Read), (SCAN_TILE_SUM, Write)],
                indirect: None,
            };
            /// Prefix sum of the tile sums.
            pub const SUMS: StageDeclaration = StageDeclaration {
                name: $names[1],
                shader: "stages/scan_sums.comp",
                accesses: &[(SCAN_TILE_SUM, ReadWrite)],
                indirect: None,
            };
            /// Prefix sums of the values.
            pub const APPLY: StageDeclaration = StageDeclaration {
                name: $names[2],
                shader: "stages/scan_apply.comp",
                accesses: &[($input, Read), (SCAN_TILE_SUM, Read), ($output, Write)],
                indirect: None,
            };

            /// What the shaders scan.
            pub fn specialization() -> Specialization {
                let define = |name: &str, value: &str| (name.to_owned(), value.to_owned());
                Specialization {
                    defines: vec![
                        define("SCAN_COUNT", $count),
                        define("SCAN_INPUT(i)", $input_name),
                        define("SCAN_OUTPUT(i)", $output_name),
                    ],
                    ..Default::default()
                }
            }
        }
    };
}

scan!(
    cells,
    "Index of the first particle of every cell.",
    CELL_COUNT,
    CELL_START,
    "push.cell_count",
    "cell_count(i)",
    "cell_start(i)",
    ["scan_cells_tiles", "scan_cells_sums", "scan_cells"]
);
scan!(
    pairs,
    "Index of the first pair record of every particle.",
    NEIGHBOR_COUNT,
    NEIGHBOR_START,
    "push.particle_count",
    "neighbor_count(i)",
    "neighbor_start(i)",
    ["scan_pairs_tiles", "scan_pairs_sums", "scan_pairs"]
);
