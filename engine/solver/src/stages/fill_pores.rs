//! Finds the room of fluids among grains, and the volumes with which kernels count them. Shader: `shaders/stages/fill_pores.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); SURFACES.len() + 8] = join(&[
    &SURFACES,
    &[
        (POSITION, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (IDENTITY, Read),
        (TOUCHING, Read),
        (STATUS, Read),
        (KERNEL_WEIGHT, ReadWrite),
        (ROOM, Write),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "fill_pores",
    "stages/fill_pores.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &ACCESSES,
)
.compiled(|v| Specialization { sources: v.pores().collect(), ..v.with(&[]) })
.twin("stages/fill_pores.rs");
