//! Rigid bodies in the solve of the matter (engine/solver/METHOD.md "Rigid bodies").
//!
//! A body is a collider whose motion over the substep is found together with the velocities: whenever the contacts have acted on the
//! particles, the bodies respond to what the contacts carry.

use glam::{DMat3, DVec3};
use tuff_problem::SLIPPING;
use tuff_rigid::{Load, add_resistance};

use crate::context::{Context, Step};
use crate::placed::Placed;
use crate::scalar::Scalar;
use crate::sheets;
use crate::state::State;
use crate::tensor::outer;

/// A contact of matter with a body.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    particle: u32,
    slot: u8,
    body: u16,
}

/// Places the bodies for a substep, as they would move without contacts, and finds the contacts among them.
pub fn place<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if !state.rigid.is_empty() {
        state.rigid.begin(context.gravity, step.time, step.dt);
        follow(context, step, state);
    }
}

/// Moves the faces of the bodies to where their twists bring them.
pub fn follow<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    for (face, placed) in std::iter::zip(&context.faces, &mut state.placed) {
        if let Some(b) = face.rigid {
            let [start, end] = state.rigid.poses(b);
            *placed = Placed::between(start, end, step.dt);
        }
    }
}

/// Lists which particles may touch bodies.
pub fn list_contacts<S: Scalar>(context: &Context, state: &mut State<S>) {
    state.touches.clear();
    if state.rigid.is_empty() {
        return;
    }
    for (p, contacts) in state.contacts.iter().enumerate() {
        for slot in 0..contacts.count {
            if let Some(b) = context.faces[contacts.face[slot] as usize].rigid {
                state.touches.push(Touch { particle: p as u32, slot: slot as u8, body: b as u16 });
            }
        }
    }
}

/// Sets the twists of the guess: those without contacts, changed by what contacts did in the last substep.
pub fn guess<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if !state.rigid.is_empty() {
        state.rigid.guess();
        follow(context, step, state);
    }
}

/// Sets the twists without contacts.
pub fn predict<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if !state.rigid.is_empty() {
        state.rigid.predict();
        follow(context, step, state);
    }
}

/// Returns what the matter does to each body, without its resistance.
fn loads<S: Scalar>(context: &Context, state: &State<S>) -> Vec<Load> {
    let mut loads = vec![Load::NONE; state.rigid.len()];
    for touch in &state.touches {
        let (p, b) = (touch.particle as usize, usize::from(touch.body));
        let impulse = -state.mass[p] * state.contacts[p].change[usize::from(touch.slot)];
        let load = &mut loads[b];
        load.wrench.add(impulse, state.position[p] - state.rigid.center(b));
        load.size += impulse.length();
        load.contacts += 1;
    }
    for (face, at, impulse) in sheets::on_obstacles(state) {
        let Some(b) = context.faces[face].rigid else { continue };
        let load = &mut loads[b];
        load.wrench.add(impulse, at - state.rigid.center(b));
        load.size += impulse.length();
        load.contacts += 1;
    }
    loads
}

/// Returns the imbalance of the bodies at the twists found, relative to what acts on them [dimensionless].
pub fn imbalance<S: Scalar>(context: &Context, state: &State<S>) -> f64 {
    if state.rigid.is_empty() { 0.0 } else { state.rigid.imbalance(&loads(context, state)) }
}

/// Lets the bodies respond to what their contacts carry. `resistance`: how much a particle resists a change of its velocity at once [kg],
/// shape [particle_count]; its mass if `None`.
pub fn respond<S: Scalar>(context: &Context, step: Step, state: &mut State<S>, resistance: Option<&[f64]>) {
    if state.rigid.is_empty() {
        return;
    }
    let mut loads = loads(context, state);
    let seen = 0.5 * context.radius();
    for touch in &state.touches {
        let (p, slot, b) = (touch.particle as usize, usize::from(touch.slot), usize::from(touch.body));
        let (change, pull) = (state.contacts[p].change[slot], state.contacts[p].pull[slot]);
        let face = state.contacts[p].face[slot] as usize;
        let collider = &context.faces[face].surface;
        let (x, v) = (state.position[p], state.velocity[p]);
        let n = state.placed[face].surface_ahead(collider, x, v, seen, state.near(p, slot)).normal;
        let pressed = change.dot(n);
        if pressed <= -pull || change == DVec3::ZERO {
            continue;
        }
        let bound = context.friction(state, p, face) * (pressed + pull);
        let sticks = (change - pressed * n).length() < SLIPPING * bound;
        let directions = if sticks { DMat3::IDENTITY } else { outer(n, n) };
        let size = resistance.map_or(state.mass[p], |resistance| resistance[p].max(state.mass[p]));
        let arm = state.position[p] - state.rigid.center(b);
        add_resistance(&mut loads[b].resistance, size * directions, arm);
    }
    for (face, at, stiffness) in sheets::resistances(step, state, resistance.is_some()) {
        if let Some(b) = context.faces[face].rigid {
            add_resistance(&mut loads[b].resistance, stiffness, at - state.rigid.center(b));
        }
    }
    state.rigid.respond(&loads);
    follow(context, step, state);
}

/// As [`respond`] at velocities of which no evaluation knows yet how the springs of triangles of cloth push.
pub fn respond_to_matter<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let pushes = std::mem::take(&mut state.sheet_pushes);
    respond(context, step, state, None);
    state.sheet_pushes = pushes;
}
