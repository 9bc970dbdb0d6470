//! Rigid modes of stiff bodies in a Newton solve. Shaders: `shaders/stages/sum_modes.comp`, `move_modes.comp`.

use super::prelude::*;

/// Sums over tiles for the center, the inertia, or what moves the body.
pub const SUM: Facts = Facts::new(
    "sum_modes",
    "stages/sum_modes.comp",
    Part::SolveOther,
    Launch::Over(Count::ModeTiles, 64),
    &[
        (STATUS, Read),
        (ARGUMENTS, Read),
        (NEWTON, Read),
        (BODY_MODE, Read),
        (RIGID_MODE, Read),
        (IDENTITY, Read),
        (POSITION, Read),
        (VELOCITY, Read),
        (BALANCE, Read),
        (NEWTON_BLOCKED, Read),
        (NEWTON_RESIDUAL, Read),
        (MODE_PARTIAL, Write),
    ],
)
.twin("newton/modes.rs");

/// Adds up the tiles, and finds with which motion each body follows what its particles lack.
pub const MOVE: Facts = Facts::new(
    "move_modes",
    "stages/move_modes.comp",
    Part::SolveOther,
    Launch::Over(Count::ModeLanes, 64),
    &[(ARGUMENTS, Read), (NEWTON, Read), (MODE_PARTIAL, Read), (RIGID_MODE, ReadWrite)],
)
.twin("newton/modes.rs");
