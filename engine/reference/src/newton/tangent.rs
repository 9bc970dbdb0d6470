//! Linearized stress of a step.
//!
//! The tangent of a particle is isotropic, `d tau = 2 mu dev(d) + 3 kappa sph(d)` with d the symmetric part of `dt grad(dv)
//! A^-1`. Its moduli are the secants of the step's stress, which bound the response of a plastic step: the matrix stays symmetric
//! and positive, and for elastic matter at small strains it is the exact tangent. If the solve came from another stress, the
//! secant along the way is used where it is stiffer: it knows of kinks that were passed.

use glam::{DMat3, DVec3};
use tuff_plugin::TensorPoint;
use tuff_scene::{Gradient, Plasticity};

use super::respond::{Batch, SOFTEST, get, set};
use crate::batch::LANES;
use crate::constraints::{add_blocks, add_product};
use crate::context::{Context, Step};
use crate::history::step_point;
use crate::pairs::{Action, action, collect, collect_blocks, collect_squares, field, gather_field};
use crate::parallel;
use crate::scalar::{Quad, Scalar};
use crate::state::State;
use crate::strain::{Gathered, memory_stiffness};
use crate::tensor::{from_voigt, trace, voigt};

/// The linearized response of a particle.
pub struct Tangent {
    /// A^-1.
    inverse: DMat3,
    /// V0 dt^2 times the shear modulus [N m s^2].
    shear: f64,
    /// V0 dt^2 times the bulk modulus [N m s^2].
    bulk: f64,
    /// dt^2 beta of the memory [kg].
    memory: f64,
    /// Kirchhoff stress at which it was computed [Pa].
    stress: DMat3,
}

/// Computes the actions of the stresses at the velocities that the state holds, and the tangents; `last` are those of the previous
/// evaluation in the same solve.
pub fn linearize<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    last: Option<&[Tangent]>,
) -> (Vec<Action<S>>, Vec<Tangent>) {
    let velocity = field::<S>(&state.velocity);
    parallel::map_two_by::<LANES, _, _>(state.particle_count(), |particles| {
        let mut batch = Batch::default();
        let mut non_affine = [DVec3::ZERO; LANES];
        for (lane, p) in particles.into_iter().enumerate() {
            let gathered = gather_field(state, &velocity, p);
            non_affine[lane] = gathered.non_affine;
            set(&mut batch.displacement, lane, step.dt * gathered.gradient);
            for (element, value) in std::iter::zip(&mut batch.strain, voigt(state.strain[p])) {
                element[lane] = value;
            }
            let (inverse, stress, shear, bulk) = match last {
                Some(last) => (last[p].inverse, last[p].stress, last[p].shear, last[p].bulk),
                None => (DMat3::IDENTITY, DMat3::ZERO, -1.0, -1.0),
            };
            set(&mut batch.inverse, lane, inverse);
            set(&mut batch.stress, lane, stress);
            (batch.last_shear[lane], batch.last_bulk[lane]) = (shear, bulk);
            (batch.shear[lane], batch.bulk[lane]) = (state.moduli[p].shear, state.moduli[p].bulk);
            batch.scale[lane] = state.rest_volume[p] * step.dt * step.dt;
        }
        batch.carry();
        for (lane, p) in particles.into_iter().enumerate() {
            respond(context, step, state, p, lane, &mut batch);
        }
        batch.linearize();
        let mut actions = [Action::<S>::default(); LANES];
        let tangents = std::array::from_fn(|lane| {
            let p = particles[lane];
            let (memory, memory_impulse) = remember(context, step, state, p, non_affine[lane]);
            let impulse = step.dt * state.rest_volume[p] * batch.gradient(lane);
            actions[lane] = action::<S>(impulse, memory_impulse);
            Tangent {
                inverse: get(&batch.inverse, lane),
                shear: batch.shear[lane],
                bulk: batch.bulk[lane],
                memory,
                stress: get(&batch.stress, lane),
            }
        });
        (actions, tangents)
    })
}

/// Asks the law of p for the stress of its lane.
fn respond<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    lane: usize,
    batch: &mut Batch,
) {
    let material = &context.materials[state.material[p] as usize];
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    if let Some(law) = material.law.tensor() {
        let (point, _) = step_point(material, state, p, batch.displacement(lane));
        let dt = if plastic { step.dt } else { 0.0 };
        set(&mut batch.tensor, lane, from_voigt(law.respond(&TensorPoint { dt, ..point }).kirchhoff));
        return;
    }
    let trial = batch.hencky(lane);
    let words = &state.material_state[p];
    let hencky = if plastic {
        material.law.project(&material.constants, words, step.dt, trial.to_array()).hencky
    } else {
        trial.to_array()
    };
    let mut principal = material.law.kirchhoff(&material.constants, words, hencky);
    if context.settings.gradient == Gradient::Literal {
        for (tau, (trial, hencky)) in std::iter::zip(&mut principal, std::iter::zip(trial.to_array(), hencky))
        {
            *tau *= (trial - hencky).exp();
        }
    }
    for (element, tau) in std::iter::zip(&mut batch.principal, principal) {
        element[lane] = tau;
    }
}

/// Returns the stiffness dt^2 beta of the memory of p [kg], and its impulse [N s], for the sum `n` [m/s].
fn remember<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize, n: DVec3) -> (f64, DVec3) {
    if context.settings.stabilization == 0.0 {
        return (0.0, DVec3::ZERO);
    }
    let trial = state.memory[p] + step.dt * n;
    let stiffness = memory_stiffness(context, state, p, state.moduli[p].shear);
    let share = (state.memory_bound[p] / trial.length().max(f64::MIN_POSITIVE)).clamp(SOFTEST, 1.0);
    let impulse = step.dt * stiffness * trial.clamp_length_max(state.memory_bound[p]);
    (step.dt * step.dt * share * stiffness, impulse)
}

/// Returns the matrix times a velocity change [N s].
pub fn product<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    tangents: &[Tangent],
    d: &[DVec3],
) -> Vec<DVec3> {
    let change = field::<S>(d);
    let actions: Vec<Action<S>> =
        parallel::map(d.len(), |p| tangents[p].respond::<S>(&gather_field(state, &change, p)));
    let mut result = parallel::map(d.len(), |p| state.mass[p] * d[p] + collect(state, &actions, p));
    add_product(context, step, state, d, &mut result);
    result
}

/// Returns the diagonal blocks of the matrix [kg].
pub fn blocks<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    tangents: &[Tangent],
) -> Vec<DMat3> {
    let roots: Vec<Action<S>> = parallel::map(tangents.len(), |p| tangents[p].root::<S>(1.0 / 3.0));
    let shear = parallel::map(tangents.len(), |p| tangents[p].shear_share());
    let mut blocks = parallel::map(tangents.len(), |p| {
        DMat3::from_diagonal(DVec3::splat(state.mass[p])) + collect_blocks(state, &roots, &shear, p)
    });
    add_blocks(context, step, state, &mut blocks);
    blocks
}

/// Returns the traces of the diagonal blocks of the matrix [kg].
pub fn traces<S: Scalar>(context: &Context, step: Step, state: &State<S>, tangents: &[Tangent]) -> Vec<f64> {
    let roots: Vec<Action<S>> = parallel::map(tangents.len(), |p| tangents[p].root::<S>(10.0 / 3.0));
    let mut others = vec![DMat3::ZERO; tangents.len()];
    add_blocks(context, step, state, &mut others);
    let own = |p: usize| 3.0 * state.mass[p] + trace(others[p]);
    parallel::map(tangents.len(), |p| own(p) + collect_squares(state, &roots, p))
}

impl Tangent {
    /// Returns the action of the change of stress by a change of the velocities with these sums.
    fn respond<S: Scalar>(&self, gathered: &Gathered) -> Action<S> {
        let rate = gathered.gradient * self.inverse;
        let spherical = trace(rate) / 3.0 * DMat3::IDENTITY;
        let deviator = 0.5 * (rate + rate.transpose()) - spherical;
        let tau = 2.0 * self.shear * deviator + 3.0 * self.bulk * spherical;
        action::<S>(tau * self.inverse.transpose(), self.memory * gathered.non_affine)
    }

    /// Returns the action whose first three components are `(weight mu + kappa)^1/2 A^-T g`, with the fourth `(3 beta)^1/2 w'`. A
    /// particle whose velocity enters grad v by g [1/m] and n by w' gets from it a diagonal block
    /// `(mu |A^-T g|^2 + beta w'^2) I + (mu / 3 + kappa) A^-T g g^T A^-1`, whose trace is the square of the action for the weight 10/3.
    fn root<S: Scalar>(&self, weight: f64) -> Action<S> {
        let columns = (weight * self.shear + self.bulk).sqrt() * self.inverse.transpose();
        let [x, y, z, _] = action::<S>(columns, DVec3::ZERO);
        [x, y, z, S::Quad::new(DVec3::ZERO, (3.0 * self.memory).sqrt())]
    }

    /// Returns `mu / (mu / 3 + kappa)`; 0 without stiffness.
    fn shear_share(&self) -> f64 {
        self.shear / (self.shear / 3.0 + self.bulk).max(f64::MIN_POSITIVE)
    }
}
