//! External forces, pins, and a fresh start of all multipliers.

use glam::{DMat3, DVec3};

use super::solve_colliders::{contact_radius, surface};
use crate::context::{Context, Step};
use crate::state::{CONTACT_CAPACITY, Contacts, NO_PIN, State};

/// `v = v^n + dt gravity`, pinned particles move to where their pin wants them; finds the colliders
/// that each particle can reach.
pub fn predict_velocity(context: &Context, step: Step, state: &mut State) {
    state.start_velocity.clone_from(&state.velocity);
    for p in 0..state.particle_count() {
        state.velocity[p] = match state.pin[p] {
            NO_PIN => state.velocity[p] + step.dt * context.gravity,
            pin => {
                let target = context.pins[pin as usize].motion.pose(step.end()).apply(state.anchor[p]);
                (target - state.position[p]) / step.dt
            }
        };
    }
    state.predicted_velocity.clone_from(&state.velocity);
    state.multiplier = vec![0.0; state.particle_count()];
    state.impulse = vec![DMat3::ZERO; state.particle_count()];
    state.memory_multiplier = vec![DVec3::ZERO; state.particle_count()];
    state.correction_impulse = vec![DVec3::ZERO; state.particle_count()];
    state.contacts = (0..state.particle_count()).map(|p| candidates(context, step, state, p)).collect();
    let full = state.contacts.iter().filter(|c| c.count > CONTACT_CAPACITY).count();
    state.counters.contact_overflow += full as u64;
    state.contacts.iter_mut().for_each(|c| c.count = c.count.min(CONTACT_CAPACITY));
}

/// The first colliders, in scene order, whose surface is within reach: `phi < radius + 2 dt |v| + 0.1 r`.
/// `count` may exceed the capacity.
fn candidates(context: &Context, step: Step, state: &State, p: usize) -> Contacts {
    let mut contacts = Contacts::default();
    if state.pin[p] != NO_PIN {
        return contacts;
    }
    let speed = state.velocity[p].length();
    let reach = contact_radius(state.rest_volume[p]) + 2.0 * step.dt * speed + 0.1 * context.radius();
    for (index, collider) in context.colliders.iter().enumerate() {
        if surface(collider, step, state.position[p]).distance < reach {
            if contacts.count < CONTACT_CAPACITY {
                contacts.collider[contacts.count] = index as u32;
            }
            contacts.count += 1;
        }
    }
    contacts
}
