//! Energies and speeds.

use glam::{DMat3, DVec3};
use tuff_problem::{Energies, TILE};

use crate::constraints::links::energy as link_energy;
use crate::context::{Context, Step};
use crate::history::stored_point;
use crate::scalar::Scalar;
use crate::state::State;
use crate::symmetric::eigen;

/// Returns the energies of the state [J].
pub fn energies<S: Scalar>(context: &Context, state: &State<S>) -> Energies {
    let mut energies = Energies::default();
    for p in 0..state.particle_count() {
        energies.kinetic += 0.5 * state.mass[p] * state.velocity[p].length_squared();
        energies.elastic += state.rest_volume[p] * energy_density(context, state, p);
        energies.gravity -= state.mass[p] * context.gravity.dot(state.position[p]);
    }
    energies.elastic += link_energy(context, state);
    let [kinetic, gravity] = state.rigid.energies(context.gravity);
    energies.kinetic += kinetic;
    energies.gravity += gravity;
    energies
}

/// Returns the stored energy per rest volume of a particle [Pa].
pub fn energy_density<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> f64 {
    let material = &context.materials[state.material[p] as usize];
    if let Some(law) = material.law.tensor() {
        return law.stored_energy(&stored_point(material, state, p));
    }
    let hencky = eigen(state.strain[p]).0.to_array().map(|w| 0.5 * w.ln_1p());
    material.law.energy(&material.constants, &state.material_state[p], hencky)
}

/// Returns the highest speed [m/s].
pub fn max_speed<S: Scalar>(state: &State<S>) -> f64 {
    state.velocity.iter().map(|v| v.length()).fold(state.rigid.max_speed(), f64::max)
}

/// Returns the highest speed of particles that had neighbors or colliders in reach in the last substep, and of rigid bodies that could
/// meet matter within a frame [m/s]; 0 before the first substep.
pub fn max_interacting_speed<S: Scalar>(context: &Context, state: &State<S>) -> f64 {
    if state.neighbor_start.is_empty() {
        return 0.0;
    }
    let bound = (0..state.particle_count()).filter(|&p| in_reach(context, state, p));
    let fastest = bound.map(|p| state.velocity[p].length()).fold(0.0, f64::max);
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (min, max) = state.position.iter().fold(none, |(min, max), x| (min.min(*x), max.max(*x)));
    fastest.max(state.rigid.max_speed_near(min, max, fastest))
}

/// Returns the highest sqrt(p / rho) of fluids, of the means over tiles [m/s], 0 before the first substep; the energy of a compression
/// grows with its square.
pub fn pressure_speed<S: Scalar>(context: &Context, state: &State<S>) -> f64 {
    if state.neighbor_start.is_empty() {
        return 0.0;
    }
    let by_density = |p: usize| -> f64 {
        let material = &context.materials[state.material[p] as usize];
        let compression = -0.5 * (DMat3::IDENTITY + state.strain[p]).determinant().ln();
        if compression <= 0.0 {
            return 0.0;
        }
        let energy =
            material.law.energy(&material.constants, &state.material_state[p], [-compression / 3.0; 3]);
        2.0 * energy * state.rest_volume[p] / (compression * state.mass[p])
    };
    let count = state.particle_count();
    let mean = |first: usize| {
        let fluid = (first..count.min(first + TILE as usize)).filter(|&p| state.is_fluid(p));
        let (sum, number) =
            fluid.fold((0.0, 0.0_f64), |(sum, number), p| (sum + by_density(p), number + 1.0));
        sum / number.max(1.0)
    };
    (0..count).step_by(TILE as usize).map(mean).fold(0.0, f64::max).sqrt()
}

/// Counts those particles, and rigid bodies in reach of matter, that travel more than half a kernel radius in the step.
pub fn count_fast<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let fast = |&p: &usize| state.velocity[p].length() * step.dt > 0.5 * context.radius();
    let count = (0..state.particle_count()).filter(|&p| in_reach(context, state, p)).filter(fast).count();
    let bodies = state.rigid.count_fast(0.5 * context.radius() / step.dt);
    state.counters.fast_particles += count as u64 + bodies;
}

/// Returns true if p is subject to the travel limit: particles that fly alone are not, except those of ropes and cloth.
fn in_reach<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> bool {
    let linked = context.classes.class(state.body[p]).is_linked();
    linked || !state.neighbor_range(p).is_empty() || state.contacts[p].count > 0
}
