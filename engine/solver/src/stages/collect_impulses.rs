//! Adds the substep's impulses to each collider's total. Shader: `shaders/stages/collect_impulses.comp`.

use super::prelude::*;
use super::sheets::BY_PARTICLE;

const ACCESSES: [(AttributeId, Access); BY_PARTICLE.len() + 7] = join(&[
    &[(STATUS, Read), (TOUCHING, Read), (CONTACT, Read), (VELOCITY, Read), (COLLIDER_IMPULSE, ReadWrite)],
    &BY_PARTICLE,
    &[(MEETING, Read), (MEETING_GIVEN, Read)],
]);

/// The stage.
pub const STAGE: Facts = Facts::new(
    "collect_impulses",
    "stages/collect_impulses.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_TILES),
    &ACCESSES,
)
.of_few(&[MEETING_FIRST, MEETING_NEXT, MEETING_PUSH, MEETING, MEETING_GIVEN])
.compiled(|v| Specialization { defines: v.springs(), ..Default::default() })
.twin("stages/solve_colliders.rs");
