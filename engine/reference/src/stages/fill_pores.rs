//! Fluids in the pores of grains: the room that they have there, and the pressure that grains feel.

use glam::DVec3;
use tuff_problem::{beyond_wall, presence};

use super::measure_density::walls;
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// What a fluid's particle has of a bed of grains around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Part of the space that the fluid can take; 1 outside of beds.
    pub part: f64,
    /// `sum V W` over the grains [dimensionless].
    pub bed: f64,
    /// Drag of the grains per relative velocity [kg/s]: `V0 / f n mu / k` times the presence of the bed.
    pub drag: f64,
}

impl Room {
    /// Outside of beds.
    const ALL: Self = Self { part: 1.0, bed: 0.0, drag: 0.0 };
}

/// Finds the room f of fluids, and the volumes with which kernels count them: `V0 / f`, the space that they share with the grains.
pub fn fill_pores<S: Scalar>(context: &Context, state: &mut State<S>) {
    state.seen_volume.clone_from(&state.volume);
    if context.mixtures.is_empty() {
        return;
    }
    let now = &*state;
    let room = parallel::map(now.particle_count(), |p| room(context, now, p));
    parallel::each(&mut state.seen_volume, |p, volume| *volume /= room[p].part);
    state.room = room;
}

fn room<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> Room {
    if !state.is_fluid(p) {
        return Room::ALL;
    }
    let (mut bed, mut solid, mut rate) = (0.0, 0.0, 0.0);
    for (b, w) in state.around(context, p) {
        if let Some(pores) = context.mixtures.find(state.material[p], state.material[b]) {
            let filled = state.volume[b].abs() * w;
            (bed, solid, rate) = (bed + filled, solid + pores.solid * filled, rate + pores.drag * filled);
        }
    }
    if bed == 0.0 {
        return Room::ALL;
    }
    let beyond = |(_, depth, _)| beyond_wall(depth, context.radius());
    let free: f64 = walls(context, state, p).map(|wall| 1.0 - beyond(wall)).product();
    let presence = presence(bed, free);
    let part = 1.0 - presence * solid / bed;
    Room { part, bed, drag: state.rest_volume[p] / part * presence * rate / bed }
}

/// Lets grains feel the gradient of the pressure in their pores. A fluid of mass m that has the part f of the space takes only f of it;
/// grains take the rest, which by the fluid's own balance is `(1 / f - 1) (m (a - g) + drag)`. The drag contains its part. The accelerations a
/// are means over the last substeps, g is gravity. Grains share the force by `V W`, so that momentum is conserved.
pub fn press_grains<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if context.mixtures.is_empty() {
        return;
    }
    let now = &*state;
    // Accelerations of fluids in pores [m/s^2].
    let change = parallel::map(now.particle_count(), |p| {
        let moves = f64::from(u8::from(now.inverse_mass[p] > 0.0));
        moves * (1.0 / now.room[p].part - 1.0) * (context.gravity - now.mean_acceleration[p])
    });
    let changed = parallel::map(now.particle_count(), |p| {
        if now.is_fluid(p) {
            return change[p];
        }
        let taken: DVec3 = now
            .around(context, p)
            .filter(|&(b, _)| now.room[b].bed > 0.0)
            .filter(|&(b, _)| context.mixtures.find(now.material[b], now.material[p]).is_some())
            .map(|(b, w)| now.mass[b] * w / now.room[b].bed * change[b])
            .sum();
        -now.volume[p].abs() * now.inverse_mass[p] * taken
    });
    for (p, change) in changed.into_iter().enumerate() {
        state.velocity[p] += step.dt * change;
        state.predicted_velocity[p] += step.dt * change;
    }
}
