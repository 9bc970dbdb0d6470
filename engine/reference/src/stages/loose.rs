//! Particles that carry no stress and lie on others.

use glam::DVec3;
use tuff_problem::newton::HELD_LOAD;
use tuff_problem::thresholds::LEAST_BEARING;

use crate::context::{Context, Step};
use crate::newton::rests;
use crate::scalar::Scalar;
use crate::state::{NO_PIN, State};
use crate::tensor::norm;

/// Returns true if friction keeps p where it is: p lost its stress (E = 0, though its volume has changed), is slower than half of
/// what gravity adds in a substep, and lies on particles below it that are as slow on average; or, if p touches colliders from
/// above, p sticks to each of them by Coulomb's law. `velocity` [m/s], shape [particle_count].
pub fn is_held<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    velocity: &[DVec3],
    p: usize,
) -> bool {
    let gravity = context.gravity;
    let slow = 0.5 * step.dt * gravity.length();
    let loose = state.volume_ratio[p] != 1.0 && norm(state.strain[p]) == 0.0;
    // NaN does not creep: it has to be seen.
    let creeps = velocity[p].length() < slow;
    if state.pin[p] != NO_PIN || !loose || !creeps {
        return false;
    }
    stands(context, state, p).unwrap_or_else(|| {
        let near = state.near_range(p).map(|i| state.neighbor[i] as usize);
        let below = near.filter(|&b| (state.position[b] - state.position[p]).dot(gravity) > 0.0);
        let (sum, count) = below.fold((DVec3::ZERO, 0.0), |(sum, count), b| (sum + velocity[b], count + 1.0));
        count > 0.0 && sum.length() < count * slow
    })
}

/// Returns true if the neighbors of p need its motion, in a Newton solve: in a body that rests, p is out of balance by more than
/// friction bears where the body stands still. If such a particle stopped, the solve of the next substep would set it in motion again.
pub fn is_needed<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    velocity: &[DVec3],
    p: usize,
) -> bool {
    let weight = state.mass[p] * step.dt * context.gravity.length();
    let rests = || rests(context, step, state, p, velocity[p]);
    context.settings.newton() && rests() && state.guess_imbalance[p] > HELD_LOAD * weight
}

/// Returns whether p sticks to each collider that it touches from above; `None` if it touches no such collider.
fn stands<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> Option<bool> {
    let gravity = context.gravity;
    let mut stands = None;
    for slot in 0..state.contacts[p].count {
        let face = state.contacts[p].face[slot] as usize;
        let collider = &context.faces[face].surface;
        let normal = state.placed[face].surface(collider, state.position[p]).normal;
        let pressed = -gravity.dot(normal);
        if pressed < LEAST_BEARING * gravity.length() {
            continue;
        }
        let sticks = (gravity + pressed * normal).length() < collider.friction.coefficient() * pressed;
        stands = Some(sticks && stands.unwrap_or(true));
    }
    stands
}
