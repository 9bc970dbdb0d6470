//! Removes by displacement the overlaps that were there when the substep began: contacts and the position correction by distance
//! act only against approach, so that no overlap turns into velocity, strain or energy.

use glam::DVec3;
use tuff_problem::{CONTACT_SLOTS, MAX_DISPLACEMENT, OVERLAP_REDUCTION, SEPARATION_TOLERANCE};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::sheets;
use crate::state::State;

/// Returns the displacements of the substep besides `dt v` [m], shape [particle_count], including `spread`; counts those that
/// differ from it.
pub fn displacements<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    spread: impl Fn(usize) -> DVec3 + Sync + Send,
) -> Vec<DVec3> {
    let mut found =
        parallel::map(state.particle_count(), |p| displacement(context, step, state, p, spread(p)));
    if !state.sheet_candidates.is_empty() {
        let limits = parallel::map(state.particle_count(), |p| Limits::of(context, step, state, p, found[p]));
        sheets::displace(context, step, state, &limits, &mut found);
    }
    let counts =
        |(p, u): &(usize, &DVec3)| (*u - spread(*p)).length() > SEPARATION_TOLERANCE * context.radius();
    state.counters.overlap_displaced += found.iter().enumerate().filter(counts).count() as u64;
    found
}

/// Returns `spread` plus the displacement out of particles that are too close at the end of the substep, then corrected to leave
/// the colliders that p touches and to enter none. In a wedge the last collider has its way, but leads p through no other surface.
fn displacement<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    spread: DVec3,
) -> DVec3 {
    if state.inverse_mass[p] == 0.0 {
        return DVec3::ZERO;
    }
    let most = MAX_DISPLACEMENT * context.radius();
    let apart = if context.grains() { DVec3::ZERO } else { out_of_pairs(context, step, state, p) };
    let mut u = (apart + spread).clamp_length_max(most);
    let x = state.position[p] + step.dt * state.velocity[p];
    let contacts = &state.contacts[p];
    let mut touched = [None; CONTACT_SLOTS];
    for (touched, &face) in std::iter::zip(&mut touched, &contacts.face[..contacts.count]) {
        let collider = &context.faces[face as usize].surface;
        let surface = state.placed[face as usize].surface(collider, x);
        let depth = state.contact_radius[p] + collider.thickness - surface.distance;
        let least = if depth > 0.0 { most.min(OVERLAP_REDUCTION * depth) } else { depth };
        u += (least - u.dot(surface.normal)).max(0.0) * surface.normal;
        *touched = Some(surface);
    }
    for surface in touched.iter().flatten() {
        u += (-surface.distance.max(0.0) - u.dot(surface.normal)).max(0.0) * surface.normal;
    }
    u
}

/// What the colliders that a particle touches leave to further displacements: `u . n >= least` for each of them. Contact with sheets
/// may use up the room above a surface, but leads nothing deeper into it.
pub struct Limits([(DVec3, f64); CONTACT_SLOTS]);

impl Limits {
    /// Returns the limits of p, which is displaced by `u` [m] so far.
    fn of<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize, u: DVec3) -> Self {
        let mut limits = [(DVec3::ZERO, 0.0); CONTACT_SLOTS];
        let x = state.position[p] + step.dt * state.velocity[p];
        let contacts = &state.contacts[p];
        for (limit, &face) in std::iter::zip(&mut limits, &contacts.face[..contacts.count]) {
            let collider = &context.faces[face as usize].surface;
            let surface = state.placed[face as usize].surface(collider, x);
            let depth = state.contact_radius[p] + collider.thickness - surface.distance;
            *limit = (surface.normal, depth.min(u.dot(surface.normal)));
        }
        Self(limits)
    }

    /// Returns the part of `direction` in which a particle that is displaced by `u` [m] can still move, `slack` [m] beyond
    /// the limits at most.
    pub fn open(&self, u: DVec3, direction: DVec3, slack: f64) -> DVec3 {
        self.0.iter().fold(direction, |open, &(normal, least)| {
            let closed = u.dot(normal) <= least + slack;
            if closed { open - open.dot(normal).min(0.0) * normal } else { open }
        })
    }

    /// Returns `u` [m] led back to the limits.
    pub fn hold(&self, u: DVec3) -> DVec3 {
        self.0.iter().fold(u, |u, &(normal, least)| u + (least - u.dot(normal)).max(0.0) * normal)
    }
}

fn out_of_pairs<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> DVec3 {
    let least = context.min_distance();
    let mut u = DVec3::ZERO;
    for i in state.near_range(p) {
        let b = state.neighbor[i] as usize;
        let d = state.position[b] - state.position[p] + step.dt * (state.velocity[b] - state.velocity[p]);
        if d.length_squared() >= least * least {
            continue;
        }
        let lacking = least - d.length();
        if lacking <= SEPARATION_TOLERANCE * least {
            continue;
        }
        let normal = d.try_normalize().unwrap_or(if b < p { -DVec3::Y } else { DVec3::Y });
        let share = state.inverse_mass[p] / (state.inverse_mass[p] + state.inverse_mass[b]);
        u -= OVERLAP_REDUCTION * lacking * share * normal;
    }
    u
}
