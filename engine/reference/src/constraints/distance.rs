//! Too-close pairs in the force balance of a Newton solve: springs nearly as stiff as the matter itself.

use glam::{DMat3, DVec3};
use tuff_problem::NEAR_STIFFNESS;

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::tensor::outer;

/// Action of a too-close pair on its first particle.
pub struct Push {
    /// The other particle.
    pub other: usize,
    /// Unit vector to the other particle.
    pub normal: DVec3,
    /// Distance that the pair lacks at the end of the substep [m].
    pub lacking: f64,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

/// Returns the pairs of p that, at the velocities that the state holds, end the substep closer than the least distance and than
/// at its start.
pub fn pushes<'a, S: Scalar>(
    context: &'a Context,
    step: Step,
    state: &'a State<S>,
    p: usize,
) -> impl Iterator<Item = Push> + 'a {
    let least = context.min_distance();
    state.near_range(p).filter_map(move |i| {
        let b = state.neighbor[i] as usize;
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (state.velocity[b] - state.velocity[p]);
        if d.length_squared() >= least * least {
            return None;
        }
        let distance = d.length();
        let lacking = least.min(before.length()) - distance;
        (lacking > 0.0 && distance > 0.0).then(|| Push {
            other: b,
            normal: d / distance,
            lacking,
            stiffness: stiffness(context, state, p, b),
        })
    })
}

/// Adds the force imbalance due to too-close pairs [N s].
pub fn add_forces<S: Scalar>(context: &Context, step: Step, state: &State<S>, force: &mut [DVec3]) {
    let impulse = |push: Push| push.stiffness * push.lacking * push.normal;
    parallel::each(force, |p, force| {
        *force += step.dt * pushes(context, step, state, p).map(impulse).sum::<DVec3>();
    });
}

/// Adds their part of the matrix times a velocity change [N s].
pub fn add_product<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    d: &[DVec3],
    result: &mut [DVec3],
) {
    parallel::each(result, |p, result| {
        for push in pushes(context, step, state, p) {
            let approach = push.normal.dot(d[p] - d[push.other]);
            *result += step.dt * step.dt * push.stiffness * approach * push.normal;
        }
    });
}

/// Adds their part of the diagonal blocks of the matrix [kg].
pub fn add_blocks<S: Scalar>(context: &Context, step: Step, state: &State<S>, blocks: &mut [DMat3]) {
    parallel::each(blocks, |p, sum| *sum += block(context, step, state, p));
}

/// Returns their part of the diagonal block of p [kg].
pub fn block<S: Scalar>(context: &Context, step: Step, state: &State<S>, p: usize) -> DMat3 {
    let part = |push: Push| step.dt * step.dt * push.stiffness * outer(push.normal, push.normal);
    pushes(context, step, state, p).map(part).fold(DMat3::ZERO, |sum, part| sum + part)
}

/// Adds the traces of their part of the diagonal blocks [kg].
pub fn add_traces<S: Scalar>(context: &Context, step: Step, state: &State<S>, traces: &mut [f64]) {
    parallel::each(traces, |p, trace| {
        let stiffness: f64 = pushes(context, step, state, p).map(|push| push.stiffness).sum();
        *trace += step.dt * step.dt * stiffness;
    });
}

/// Returns the stiffness of a pair: a fraction of the kernel radius times the harmonic mean of the moduli of uniaxial strain
/// [N/m].
pub(crate) fn stiffness<S: Scalar>(context: &Context, state: &State<S>, p: usize, b: usize) -> f64 {
    let modulus = |q: usize| {
        let moduli = state.moduli[q];
        moduli.bulk + 4.0 / 3.0 * moduli.shear
    };
    let (p, b) = (modulus(p), modulus(b));
    2.0 * NEAR_STIFFNESS * context.radius() * p * b / (p + b).max(f64::MIN_POSITIVE)
}
