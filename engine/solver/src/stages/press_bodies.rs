//! What matter does to rigid bodies. Shaders: `shaders/stages/press_bodies.comp`, `sum_loads.comp`.

use super::prelude::*;
use super::sheets::BY_PARTICLE;

const PRESS: [(AttributeId, Access); CONTACTS.len() + BY_PARTICLE.len() + 10] = join(&[
    &CONTACTS,
    &[(STATUS, Read), (VELOCITY, Read), (CONTACT, Read), (RIGID, Read), (RIGID_PARTIAL, Write)],
    &BY_PARTICLE,
    &[
        (POSITION_LOW, Read),
        (MEETING, Read),
        (MEETING_NUMBERS, Read),
        (MEETING_SPOT, Read),
        (MEETING_GIVEN, Read),
    ],
]);

/// What only adhesive colliders and cloth need.
const OF_FEW: &[AttributeId] = &[
    MEMORY,
    POSITION_LOW,
    MEETING_FIRST,
    MEETING_NEXT,
    MEETING,
    MEETING_NUMBERS,
    MEETING_SPOT,
    MEETING_GIVEN,
    MEETING_PUSH,
];

const PRESS_BY_BLOCK: [(AttributeId, Access); PRESS.len() + 1] =
    join(&[&PRESS, &[(PRECONDITIONER_DIAGONAL, Read)]]);

/// Sums of tiles; particles resist with their mass.
pub const BY_MASS: Facts = Facts::new(
    "press_bodies",
    "stages/press_bodies.comp",
    Part::SolveOther,
    Launch::Over(Count::RigidTiles, 64),
    &PRESS,
)
.of_few(OF_FEW)
.compiled(|v| Specialization { defines: v.springs(), ..Default::default() })
.twin("rigid.rs");

/// As [`BY_MASS`]; particles resist with their blocks, in a Newton solve.
pub const BY_BLOCK: Facts = Facts::new(
    "newton_press",
    "stages/press_bodies.comp",
    Part::SolveOther,
    Launch::Over(Count::RigidTiles, 64),
    &PRESS_BY_BLOCK,
)
.of_few(OF_FEW)
.compiled(block_variant)
.twin("rigid.rs");

/// Sums over tiles.
pub const SUM: Facts = Facts::new(
    "sum_loads",
    "stages/sum_loads.comp",
    Part::SolveOther,
    Launch::Over(Count::RigidLanes, 64),
    &[(STATUS, Read), (NEWTON, Read), (RIGID_PARTIAL, Read), (RIGID_LOAD, Write), (RIGID_REPORT, Write)],
)
.twin("rigid.rs");

fn block_variant(v: &Variant<'_>) -> Specialization {
    let blocks = ("BLOCKS".to_owned(), "1".to_owned());
    Specialization { defines: v.springs().into_iter().chain([blocks]).collect(), ..Default::default() }
}
