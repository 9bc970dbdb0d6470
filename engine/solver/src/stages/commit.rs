//! Advances strain, material state, memory and position (eq. 22). Shader: `shaders/stages/commit.comp`.

use tuff_scene::{PositionCorrection, SolverSettings};

use super::prelude::*;

const OWN: [(AttributeId, Access); SURFACES.len() + 20] = join(&[
    &SURFACES,
    &[
        (TOUCHING, Read),
        (NEIGHBOR_RANGE, Read),
        (PAIR, Read),
        (MEMORY_WEIGHT, Read),
        (PACKING_LIMIT, Read),
        (HISTORY, Read),
        (COMMITTED_HISTORY, Write),
        (PLASTIC, Read),
        (COMMITTED_PLASTIC, Write),
        (TOTAL_UNSTRETCH, Read),
        (DEFORMATION, Read),
        (COMMITTED_DEFORMATION, Write),
        (COMMITTED_INTERNAL_ACCELERATION, ReadWrite),
        (SHIFT, Write),
        (SHIFT_LIMIT, Write),
        (DEFERRED, Read),
        (ROOM, Read),
        (VELOCITY_START, Read),
        (MEAN_ACCELERATION, Read),
        (COMMITTED_MEAN_ACCELERATION, Write),
    ],
]);

const ACCESSES: [(AttributeId, Access); OWN.len() + 2 * KEPT_BY_EACH + 1] = join(&[
    &OWN,
    &kept_by_each(Side::Sorted, Read),
    &kept_by_each(Side::Committed, Write),
    &[(STATUS, ReadWrite)],
]);

/// The stage.
pub const STAGE: Facts =
    Facts::new("commit", "stages/commit.comp", Part::UpdateState, Launch::Sized(ARGUMENTS_SOLVE), &ACCESSES)
        .compiled(variant)
        .idle(|settings| if defers(settings) { &[] } else { &[DEFERRED] })
        .of_few(&[SHIFT, SHIFT_LIMIT, VELOCITY_START])
        .looked_at(COMMITTED_VALUES)
        .agrees(&[("E", 1e-3), ("J", 1e-5), ("h", 1e-3), ("x [m]", 1e-8)])
        .twin("stages/commit.rs");

/// Returns true if a part of pushes and of contact takes effect after the substep in stiff matter.
pub fn defers(settings: &SolverSettings) -> bool {
    settings.newton() && matches!(settings.position_correction, PositionCorrection::Distance { .. })
}

fn variant(v: &Variant<'_>) -> Specialization {
    let mut all = v.rows(1);
    all.constants.extend([
        (7, v.settings.newton().into()),
        (8, v.deformation.into()),
        (9, defers(v.settings).into()),
    ]);
    all
}
