//! External forces, pins, and reset of all multipliers.

use glam::{DMat3, DVec3};
use tuff_problem::links::MULTIPLIERS;
use tuff_problem::{ADHESION_REACH, CONTACT_SLOTS, CUT_DEPTH, Face, SEPARATION_TOLERANCE};
use tuff_scene::{Geometry, Near, PARALLEL};

use crate::context::{Context, Step};
use crate::parallel;
use crate::placed::{Placed, Surface};
use crate::scalar::Scalar;
use crate::state::{Contacts, NO_NEAR, NO_PIN, State};

/// Predicts `v = v^n + dt gravity`, moves pinned particles with their pins, and finds the faces of colliders that each particle
/// can reach.
pub fn predict_velocity<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    state.start_velocity.clone_from(&state.velocity);
    count_awake(context, step, state);
    let predicted = |p: usize| match state.pin[p] {
        NO_PIN => state.velocity[p] + step.dt * context.gravity,
        pin => {
            let target = context.pins[pin as usize].motion.pose(step.end()).apply(state.anchor[p]);
            (target - state.position[p]) / step.dt
        }
    };
    state.velocity = parallel::map(state.particle_count(), predicted);
    state.predicted_velocity.clone_from(&state.velocity);
    state.multiplier = vec![0.0; state.particle_count()];
    state.impulse = vec![DMat3::ZERO; state.particle_count()];
    state.memory_multiplier = vec![DVec3::ZERO; state.particle_count()];
    state.link_multiplier = vec![[DVec3::ZERO; MULTIPLIERS]; context.links.all.len()];
    state.correction_impulse = vec![DVec3::ZERO; state.particle_count()];
    let (contacts, overflow) =
        parallel::map_two(state.particle_count(), |p| candidates(context, step, state, p));
    state.counters.contact_overflow += overflow.iter().filter(|overflow| **overflow).count() as u64;
    state.contacts = contacts;
    keep_near(context, state);
}

/// Keeps the triangles near contacts with meshes, for all passes of the substep.
fn keep_near<S: Scalar>(context: &Context, state: &mut State<S>) {
    (state.near, state.near_row) = (Vec::new(), Vec::new());
    if !context.faces.iter().any(|face| matches!(face.surface.shape.geometry, Geometry::Mesh(_))) {
        return;
    }
    let near_mesh = |contacts: &Contacts| {
        let faces = &contacts.face[..contacts.count];
        faces.iter().any(|&face| state.placed[face as usize].is_mesh(&context.faces[face as usize].surface))
    };
    let touching: Vec<usize> =
        (0..state.particle_count()).filter(|&p| near_mesh(&state.contacts[p])).collect();
    let near = |p: usize, slot: usize| {
        let face = state.contacts[p].face[slot] as usize;
        let (collider, seen) = (&context.faces[face].surface, 0.5 * context.radius());
        state.placed[face].near(collider, state.position[p], state.velocity[p], seen).unwrap_or_default()
    };
    state.near = parallel::map(touching.len(), |row| {
        let p = touching[row];
        let count = state.contacts[p].count;
        std::array::from_fn(|slot| if slot < count { near(p, slot) } else { Near::default() })
    });
    state.near_row = vec![NO_NEAR; state.particle_count()];
    for (row, &p) in touching.iter().enumerate() {
        state.near_row[p] = row as u32;
    }
}

/// Returns true if gravity adds more than twice the `velocity` [m/s] in the substep.
pub fn is_slow(context: &Context, step: Step, velocity: DVec3) -> bool {
    velocity.length() < 0.5 * step.dt * context.gravity.length()
}

/// Counts 19 for each particle of a body that is not slow, minus 1 for each that is: a body rests if at most a twentieth of it
/// moves.
fn count_awake<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    state.awake = vec![0; state.body.iter().max().map_or(0, |&last| last as usize + 1)];
    for p in (0..state.particle_count()).filter(|&p| state.pin[p] == NO_PIN) {
        let slow = is_slow(context, step, state.velocity[p]);
        state.awake[state.body[p] as usize] += if slow { -1 } else { 19 };
    }
}

/// Returns true if a particle at `x` [m] can touch a face that is `seen` from there at the end of the step. Where a patch of a mesh ends,
/// the particle touches what is beyond, unless it is just behind two patches; and it touches the side of a sheet over which it lies at
/// the start.
fn can_touch(face: &Face, placed: &Placed, x: DVec3, seen: Surface, radius: f64) -> bool {
    let Some(side) = face.sheet else {
        return !seen.at_cut || (seen.distance < 0.0 && seen.distance > -CUT_DEPTH * radius);
    };
    placed.at_start(&face.surface, x).is_some_and(|before| !before.at_cut && side.holds(before.distance))
}

/// Returns true if two faces are one surface where they are seen from a particle: pieces of a collider overlap.
fn coincide(context: &Context, step: Step, a: Surface, b: Surface) -> bool {
    let near = SEPARATION_TOLERANCE * context.radius();
    (a.distance - b.distance).abs() < near
        && (a.normal - b.normal).length_squared() < PARALLEL
        && step.dt * (a.velocity - b.velocity).length() < near
}

/// Finds the faces of colliders whose surface is within reach, `phi < radius + thickness + 2 dt |v| + 0.1 r`, in scene order. Returns
/// them and whether there were too many, in which case a nearer one replaces the farthest.
fn candidates<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> (Contacts, bool) {
    let mut contacts = Contacts::default();
    let mut overflow = false;
    if state.pin[p] != NO_PIN {
        return (contacts, overflow);
    }
    let speed = state.velocity[p].length();
    let radius = state.contact_radius[p];
    let touch = radius + 2.0 * step.dt * speed + 0.1 * context.radius();
    // The density of a fluid counts what lies beyond walls within its kernel.
    let reach = if state.is_fluid(p) { touch.max(2.0 * context.radius()) } else { touch };
    let section = (2.0 * radius).powi(2);
    let mut distances = [f64::NEG_INFINITY; CONTACT_SLOTS];
    let nothing = Surface { distance: f64::INFINITY, normal: DVec3::Y, velocity: DVec3::ZERO, at_cut: false };
    let mut kept = [nothing; CONTACT_SLOTS];
    for (index, face) in context.faces.iter().enumerate() {
        let placed = &state.placed[index];
        let carried = placed.way_to(state.position[p]);
        // An adhesive surface may leave with the particle.
        let leaves = if face.surface.adhesion > 0.0 { carried } else { 0.0 };
        let reach = reach + face.surface.thickness + leaves;
        let limit = reach + context.radius() + carried;
        let Some(seen) = placed.surface_within(&face.surface, state.position[p], limit) else { continue };
        let distance = seen.distance;
        if distance >= reach || !can_touch(face, placed, state.position[p], seen, radius) {
            continue;
        }
        if context.pieces && kept[..contacts.count].iter().any(|other| coincide(context, step, seen, *other))
        {
            continue;
        }
        let mut slot = contacts.count;
        if slot == CONTACT_SLOTS {
            overflow = true;
            slot = (1..CONTACT_SLOTS).fold(0, |far, i| if distances[i] > distances[far] { i } else { far });
            if distance >= distances[slot] {
                continue;
            }
        } else {
            contacts.count += 1;
        }
        distances[slot] = distance;
        kept[slot] = seen;
        contacts.face[slot] = index as u32;
    }
    for slot in 0..contacts.count {
        let index = contacts.face[slot] as usize;
        let face = &context.faces[index].surface;
        let before = state.placed[index].at_start(face, state.position[p]);
        let distance = before.map_or(f64::INFINITY, |seen| seen.distance);
        let room = radius + face.thickness;
        contacts.gap[slot] = distance.min(room);
        if distance < room + ADHESION_REACH * context.radius() {
            contacts.pull[slot] = face.adhesion * section * step.dt * state.inverse_mass[p];
        }
    }
    (contacts, overflow)
}
