//! Lets grains feel the pressure in their pores. Shader: `shaders/stages/press_grains.comp`.

use super::prelude::*;

/// The stage.
pub const STAGE: Facts = Facts::new(
    "press_grains",
    "stages/press_grains.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[
        (POSITION, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (IDENTITY, Read),
        (KERNEL_WEIGHT, Read),
        (ROOM, Read),
        (MEAN_ACCELERATION, Read),
        (STATUS, Read),
        (VELOCITY, ReadWrite),
        (ADDED_VELOCITY, ReadWrite),
    ],
)
.compiled(|v| Specialization { sources: v.pores().collect(), ..v.with(&[]) })
.looked_at(&[(VELOCITY, "velocity")])
.twin("stages/fill_pores.rs");
