//! Commits positions and velocities of grains. Shader: `shaders/stages/commit_grains.comp`.

use super::prelude::*;

const OWN: [(AttributeId, Access); SURFACES.len() + 3] =
    join(&[&SURFACES, &[(TOUCHING, Read), (NEIGHBOR_RANGE, Read), (STATUS, ReadWrite)]]);

const ACCESSES: [(AttributeId, Access); OWN.len() + 2 * KEPT_BY_EACH] =
    join(&[&OWN, &kept_by_each(Side::Sorted, Read), &kept_by_each(Side::Committed, Write)]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "commit_grains",
    "stages/commit_grains.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_SOLVE),
    &ACCESSES,
)
.looked_at(COMMITTED_VALUES)
.twin("stages/commit_grains.rs");
