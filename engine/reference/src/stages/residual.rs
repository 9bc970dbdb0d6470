//! Distance of the velocities from force balance, and of the multipliers from their equation.

use glam::DVec3;
use tuff_scene::{Multiplier, Plasticity};

use super::solve_inelastic::at_rest;
use crate::constraints::add_forces;
use crate::constraints::links::respond as respond_to_links;
use crate::context::{Context, Step};
use crate::newton::tangent::linearize;
use crate::pairs::{Action, collect};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::strain::{Stress, gather, limit_fold, respond};

/// Returns the force imbalance of every particle [N s]:
///
/// `f_b = m_b (v_b - v~_b) - contact impulses + dt sum_p [V0_p B_p g_pb + beta_p w'_pb h_tr,p]`, and minus
/// the same sums on p itself. For elastic matter without contacts this is the gradient of
///
/// `Q(v) = sum m/2 |v - v~|^2 + sum V0 psi(E(v)) + sum beta/2 |h(v)|^2`.
#[inline(never)]
pub fn forces<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> Vec<DVec3> {
    let mut force = internal_forces(context, step, state);
    parallel::each(&mut force, |p, force| *force -= state.mass[p] * state.contacts[p].total());
    force
}

/// Returns the force imbalance without the impulses of colliders [N s]; in a Newton solve, too-close pairs act as springs.
pub fn internal_forces<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> Vec<DVec3> {
    balance(context, step, state, &linearize(context, step, state, None).0)
}

/// Returns the [`internal_forces`] of given actions of the stresses.
pub fn balance<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    actions: &[Action<S>],
) -> Vec<DVec3> {
    let mut force = parallel::map(state.particle_count(), |p| {
        let inertia = state.mass[p] * (state.velocity[p] - state.predicted_velocity[p]);
        inertia - state.correction_impulse[p] + collect(state, actions, p)
    });
    add_forces(context, step, state, &mut force);
    force
}

/// Returns the norm of the force imbalance over the unpinned particles [N s].
#[inline(never)]
pub fn force_norm<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> f64 {
    norm(state, forces(context, step, state))
}

/// Returns the norm of forces on the unpinned particles.
fn norm<S: Scalar>(state: &State<S>, forces: Vec<DVec3>) -> f64 {
    free_sum(state, |p| forces[p].length_squared()).sqrt()
}

/// Returns the sum of `f(p)` over the unpinned particles.
fn free_sum<S: Scalar>(state: &State<S>, f: impl Fn(usize) -> f64 + Send + Sync) -> f64 {
    parallel::sum(state.particle_count(), |p| if state.inverse_mass[p] > 0.0 { f(p) } else { 0.0 })
}

/// Returns the scale of the force norm [N s]: its value at the predicted velocities, which the state must hold (for linked
/// particles, the impulse with which they respond to it), but at least 1e-6 |sum m g dt| and 3e-5 of the norm of all m v over the
/// unpinned particles: a hundredth of anything smaller would be rounding in f32.
pub fn force_scale<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> f64 {
    let weight = free_sum(state, |p| state.mass[p]) * context.gravity.length() * step.dt;
    let square = |p: usize| (state.mass[p] * state.velocity[p]).length_squared();
    let momentum = free_sum(state, square).sqrt();
    let mut forces = forces(context, step, state);
    respond_to_links(context, step, state, &mut forces);
    norm(state, forces).max(1e-6 * weight).max(3e-5 * momentum)
}

/// Returns the norm of `C + alpha~ lambda` over the particles that are not at rest [sqrt(Pa)]; 0 for tensor multipliers, which
/// have no such equation.
#[inline(never)]
pub fn multiplier_norm<S: Scalar>(context: &Context, step: Step, state: &State<S>) -> f64 {
    if context.settings.multiplier == Multiplier::Tensor {
        return 0.0;
    }
    let square = |p| {
        let stress = stress_of(context, step, state, p);
        let constraint = stress.constraint(context, state, p);
        if at_rest(&stress, constraint) { 0.0 } else { (constraint + state.multiplier[p]).powi(2) }
    };
    (0..state.particle_count()).map(square).sum::<f64>().sqrt()
}

fn stress_of<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> Stress {
    let gathered = gather(state, &state.velocity, p);
    let (displacement, _) = limit_fold(step.dt * gathered.gradient);
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    respond(context, state, step.dt, p, displacement, plastic).0
}
