//! Contact with cloth. Shaders: `shaders/stages/sheet_speeds.comp`, `refit_sheets.comp`, `list_meetings.comp`, `plan_meetings.comp`,
//! `order_meetings.comp`, `look_sheets.comp`, `solve_sheets.comp`, `shift_sheets.comp`, `settle_sheets.comp`.

use super::prelude::*;

/// Where the members of contacts are.
const PLACES: [(AttributeId, Access); 2] = [(POSITION, Read), (POSITION_LOW, Read)];

/// Contacts that act one after the other.
const TURNS: [(AttributeId, Access); 10] = [
    (ARGUMENTS, Read),
    (COLLIDER, Read),
    (MEETING, Read),
    (MEETING_NUMBERS, Read),
    (MEETING_KEY, Read),
    (MEETING_SPOT, Read),
    (MEETING_ACTIVE, Coherent),
    (MEETING_TURN, Coherent),
    (POSITION, Read),
    (POSITION_LOW, Read),
];

/// Contacts by their particles.
pub const BY_PARTICLE: [(AttributeId, Access); 3] =
    [(MEETING_FIRST, Read), (MEETING_NEXT, Read), (MEETING_PUSH, Read)];

/// Largest speeds in tiles of particles.
pub const SPEEDS: Facts = Facts::new(
    "sheet_speeds",
    "stages/sheet_speeds.comp",
    Part::CollisionDetection,
    Launch::Over(Count::Tiles, 64),
    &[(VELOCITY, Read), (SHEET_SPEED, Write)],
)
.twin("sheets/list.rs");

/// Boxes around the triangles, at the start or around their paths.
pub const BOXES: Facts = Facts::new(
    "refit_sheets",
    "stages/refit_sheets.comp",
    Part::CollisionDetection,
    Launch::One(SHEET_GROUP),
    &[
        (LINKED_PLACE, Read),
        (SHEET_TRIANGLE, Read),
        (SHEET_SPEED, Read),
        (POSITION, Read),
        (VELOCITY, Read),
        (SHEET_BOX, Coherent),
        (SHEET_REACH, Write),
    ],
)
.twin("sheets/list.rs");

const LIST_ACCESSES: [(AttributeId, Access); PLACES.len() + SURFACES.len() + 20] = join(&[
    &PLACES,
    &SURFACES,
    &[
        (VELOCITY, Read),
        (IDENTITY, Read),
        (MEMORY, Read),
        (RIGID, Read),
        (LINKED_PLACE, Read),
        (SHEET, Read),
        (SHEET_OF_BODY, Read),
        (SHEET_TRIANGLE, Read),
        (SHEET_EDGE, Read),
        (SHEET_BOX, Read),
        (SHEET_REACH, Read),
        (ARGUMENTS, Read),
        (MEETING, Write),
        (MEETING_NUMBERS, Write),
        (MEETING_KEY, Write),
        (MEETING_SPOT, Write),
        (MEETING_GIVEN, Write),
        (MEETING_NEXT, Write),
        (MEETING_FIRST, ReadWrite),
        (STATUS, ReadWrite),
    ],
]);

/// Lists what may touch sheets in the substep.
pub const LIST: Facts = Facts::new(
    "list_meetings",
    "stages/list_meetings.comp",
    Part::CollisionDetection,
    Launch::Over(Count::SheetOwners, 64),
    &LIST_ACCESSES,
)
.twin("sheets/list.rs");

/// Sizes the stages over contacts.
pub const PLAN: Facts = Facts::new(
    "plan_meetings",
    "stages/plan_meetings.comp",
    Part::CollisionDetection,
    Launch::One(1),
    &[(STATUS, ReadWrite), (ARGUMENTS, ReadWrite)],
);

/// Orders the contacts of each particle.
pub const ORDER: Facts = Facts::new(
    "order_meetings",
    "stages/order_meetings.comp",
    Part::CollisionDetection,
    Launch::Sized(ARGUMENTS_SOLVE),
    &[(MEETING_KEY, Read), (MEETING_NEXT, ReadWrite), (MEETING_FIRST, ReadWrite)],
)
.twin("sheets/list.rs");

const LOOK_ACCESSES: [(AttributeId, Access); PLACES.len() + 10] = join(&[
    &PLACES,
    &[
        (VELOCITY, Read),
        (NEWTON, Read),
        (NEWTON_STRESS_DIAGONAL, Read),
        (STATUS, Read),
        (ARGUMENTS, Read),
        (COLLIDER, Read),
        (MEETING, Read),
        (MEETING_SPOT, Read),
        (MEETING_NUMBERS, ReadWrite),
        (MEETING_PUSH, Write),
    ],
]);

/// Finds what contacts do in the force balance.
pub const LOOK: Facts = Facts::new(
    "look_sheets",
    "stages/look_sheets.comp",
    Part::SolveOther,
    Launch::Sized(ARGUMENTS_MEETINGS),
    &LOOK_ACCESSES,
)
.twin("sheets/push.rs");

const SOLVE_ACCESSES: [(AttributeId, Access); TURNS.len() + 3] =
    join(&[&TURNS, &[(VELOCITY, Coherent), (MEETING_GIVEN, ReadWrite), (STATUS, ReadWrite)]]);

/// Parts contacts one after the other.
pub const SOLVE: Facts = Facts::new(
    "solve_sheets",
    "stages/solve_sheets.comp",
    Part::SolveOther,
    Launch::One(SHEET_GROUP),
    &SOLVE_ACCESSES,
)
.looked_at(&[(VELOCITY, "velocity")])
.twin("sheets/push.rs");

const SHIFT_ACCESSES: [(AttributeId, Access); TURNS.len() + 4] =
    join(&[&TURNS, &[(VELOCITY, Read), (SHIFT, Coherent), (SHIFT_LIMIT, Read), (STATUS, ReadWrite)]]);

/// Removes overlaps by displacements.
pub const SHIFTS: Facts = Facts::new(
    "shift_sheets",
    "stages/shift_sheets.comp",
    Part::UpdateState,
    Launch::One(SHEET_GROUP),
    &SHIFT_ACCESSES,
)
.twin("sheets/push.rs");

const SETTLE_ACCESSES: [(AttributeId, Access); PLACES.len() + 5] = join(&[
    &PLACES,
    &[
        (VELOCITY, Read),
        (SHIFT, Read),
        (COMMITTED_POSITION, ReadWrite),
        (COMMITTED_POSITION_LOW, ReadWrite),
        (STATUS, ReadWrite),
    ],
]);

/// Commits positions with these displacements.
pub const SETTLE: Facts = Facts::new(
    "settle_sheets",
    "stages/settle_sheets.comp",
    Part::UpdateState,
    Launch::Sized(ARGUMENTS_SOLVE),
    &SETTLE_ACCESSES,
)
.looked_at(&[(COMMITTED_POSITION, "position")])
.twin("sheets/push.rs");
