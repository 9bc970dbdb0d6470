//! Linearized stress of a step.
//!
//! The tangent of a particle is isotropic, `d tau = 2 mu dev(d) + 3 kappa sph(d)` with d the symmetric part of `dt grad(dv)
//! A^-1`. Its moduli are the secants of the step's stress, which bound the response of a plastic step: the matrix stays symmetric
//! and positive, and for elastic matter at small strains it is the exact tangent. If the solve came from another stress, the
//! secant along the way is used where it is stiffer: it knows of kinks that were passed.

use glam::{DMat3, DVec3};
use tuff_plugin::TensorPoint;
use tuff_scene::{Gradient, Plasticity};

pub use super::respond::Tangents;
use super::respond::{Batch, Response};
use crate::batch::LANES;
use crate::constraints::{add_blocks, add_product, add_traces};
use crate::context::{Context, Step};
use crate::history::step_point;
use crate::lanes::{Matrices, Vectors, get, get_vector, set, set_vector};
use crate::pairs::{Action, action, collect, collect_blocks, collect_squares, field, gather_field};
use crate::parallel;
use crate::scalar::{Quad, Scalar};
use crate::state::State;
use crate::strain::memory_stiffness;
use crate::tensor::from_voigt;

/// Computes the actions of the stresses at the velocities that the state holds, and the tangents, shape [batch_count]; `last` are
/// those of the previous evaluation in the same solve.
pub fn linearize<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    last: Option<&[Tangents]>,
) -> (Vec<Action<S>>, Vec<Tangents>) {
    let velocity = field::<S>(&state.velocity);
    let none = Tangents::none();
    parallel::batches::<LANES, _, _>(state.particle_count(), |number, particles| {
        let mut batch = Batch::new(step.dt);
        for (lane, &p) in particles.iter().enumerate() {
            let gathered = gather_field(state, &velocity, p);
            batch.trials.set(lane, step.dt * gathered.gradient, state.strain[p]);
            set_vector(&mut batch.non_affine, lane, step.dt * gathered.non_affine);
            set_vector(&mut batch.memory, lane, state.memory[p]);
            (batch.shear[lane], batch.bulk[lane]) = (state.moduli[p].shear, state.moduli[p].bulk);
            batch.scale[lane] = state.rest_volume[p] * step.dt * step.dt;
            batch.memory_bound[lane] = state.memory_bound[p];
            if context.remembers() {
                let stiffness = memory_stiffness(context, step, state, p, state.moduli[p].shear);
                batch.memory_stiffness[lane] = step.dt * step.dt * stiffness;
            }
        }
        batch.trials.carry();
        ask_laws(context, step, state, number * LANES, &mut batch);
        let (response, tangents) = batch.linearize(last.map_or(&none, |last| &last[number]));
        (actions::<S>(&response), tangents)
    })
}

/// Sets the stresses of a batch that begins with the particle `first`: one call for each run of one material.
fn ask_laws<S: Scalar>(context: &Context, step: Step, state: &State<S>, first: usize, batch: &mut Batch) {
    let settings = &context.settings;
    let plain = settings.plasticity == Plasticity::Implicit && settings.gradient != Gradient::Literal;
    let end = state.particle_count().min(first + LANES);
    let mut begin = first;
    while begin < end {
        let material = state.material[begin];
        let run = state.material[begin..end].iter().take_while(|&&m| m == material).count();
        let law = &context.materials[material as usize];
        if plain && law.law.tensor().is_none() {
            let states = &state.material_state[begin..begin + run];
            let (hencky, stress) = (&batch.trials.hencky, &mut batch.principal);
            law.law.stress(&law.constants, states, step.dt, begin - first, hencky, stress);
        } else {
            for p in begin..begin + run {
                ask_law(context, step, state, p, p - first, batch);
            }
        }
        begin += run;
    }
}

/// Sets the stress of p, in its lane, by the functions of single particles.
fn ask_law<S: Scalar>(
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
        let (point, _) = step_point(material, state, p, batch.trials.displacement(lane));
        let dt = if plastic { step.dt } else { 0.0 };
        set(&mut batch.tensor, lane, from_voigt(law.respond(&TensorPoint { dt, ..point }).kirchhoff));
        return;
    }
    let trial = batch.trials.hencky(lane);
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
    set_vector(&mut batch.principal, lane, DVec3::from_array(principal));
}

/// Returns the actions of the particles of a batch.
fn actions<S: Scalar>(response: &Response) -> [Action<S>; LANES] {
    std::array::from_fn(|lane| action::<S>(get(&response.gradient, lane), get_vector(&response.memory, lane)))
}

/// Returns the matrix times a velocity change [N s].
pub fn product<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    tangents: &[Tangents],
    d: &[DVec3],
) -> Vec<DVec3> {
    let change = field::<S>(d);
    let (actions, _) = parallel::batches::<LANES, Action<S>, ()>(d.len(), |number, particles| {
        let (mut gradient, mut non_affine) = (Matrices::default(), Vectors::default());
        for (lane, &p) in particles.iter().enumerate() {
            let gathered = gather_field(state, &change, p);
            set(&mut gradient, lane, gathered.gradient);
            set_vector(&mut non_affine, lane, gathered.non_affine);
        }
        (actions::<S>(&tangents[number].respond(&gradient, &non_affine)), ())
    });
    let mut result = parallel::map(d.len(), |p| state.mass[p] * d[p] + collect(state, &actions, p));
    add_product(context, step, state, d, &mut result);
    result
}

/// Returns the diagonal blocks of the matrix [kg].
pub fn blocks<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    tangents: &[Tangents],
) -> Vec<DMat3> {
    let count = state.particle_count();
    let roots = roots::<S>(count, tangents, 1.0 / 3.0);
    let shear = parallel::map(count, |p| tangents[p / LANES].shear_share(p % LANES));
    let mut blocks = parallel::map(count, |p| {
        DMat3::from_diagonal(DVec3::splat(state.mass[p])) + collect_blocks(state, &roots, &shear, p)
    });
    add_blocks(context, step, state, &mut blocks);
    blocks
}

/// Returns the traces of the diagonal blocks of the matrix [kg].
pub fn traces<S: Scalar>(context: &Context, step: Step, state: &State<S>, tangents: &[Tangents]) -> Vec<f64> {
    let count = state.particle_count();
    let roots = roots::<S>(count, tangents, 10.0 / 3.0);
    let mut traces = parallel::map(count, |p| 3.0 * state.mass[p] + collect_squares(state, &roots, p));
    add_traces(context, step, state, &mut traces);
    traces
}

/// Returns the [roots](Tangents::root) of all particles, the fourth component only in the memory.
fn roots<S: Scalar>(count: usize, tangents: &[Tangents], weight: f64) -> Vec<Action<S>> {
    let batch = |number: usize, _: &[usize; LANES]| {
        let root = tangents[number].root(weight);
        let root = std::array::from_fn(|lane| {
            let [x, y, z, _] = action::<S>(get(&root.gradient, lane), DVec3::ZERO);
            [x, y, z, S::Quad::new(DVec3::ZERO, root.memory[0][lane])]
        });
        (root, ())
    };
    parallel::batches::<LANES, Action<S>, ()>(count, batch).0
}
