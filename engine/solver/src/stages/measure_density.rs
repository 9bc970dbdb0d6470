//! Gives fluids the strain of their density, and measures the drag and cohesion of mixtures. Shader:
//! `shaders/stages/measure_density.comp`.

use super::prelude::*;

const ACCESSES: [(AttributeId, Access); SURFACES.len() + AROUND.len() + 9] = join(&[
    &SURFACES,
    &AROUND,
    &[
        (TOUCHING, Read),
        (REST_SUM, Read),
        (ROOM, Read),
        (VELOCITY, Read),
        (STATE, ReadWrite),
        (WALL_PUSH, Write),
        (LACK, Write),
        (STRAIN_DIAGONAL, Write),
        (STRAIN_SHEAR, Write),
    ],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "measure_density",
    "stages/measure_density.comp",
    Part::NeighborSearch,
    Launch::Sized(ARGUMENTS_SOLVE),
    &ACCESSES,
)
.compiled(|v| {
    let mut all = v.rows(1);
    all.sources.extend(v.pores().chain(v.tension()));
    all
})
.of_few(&[LACK])
.looked_at(&[(STRAIN_DIAGONAL, "strain")])
.twin("stages/measure_density.rs");
