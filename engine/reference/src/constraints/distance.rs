//! Too-close pairs in the force balance of a Newton solve: springs nearly as stiff as the matter itself.

use glam::{DMat3, DVec3};
use tuff_problem::NEAR_STIFFNESS;

use crate::context::{Context, Step};
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
pub fn pushes<'a>(
    context: &'a Context,
    step: Step,
    state: &'a State,
    p: usize,
) -> impl Iterator<Item = Push> + 'a {
    state.near_range(p).filter_map(move |i| {
        let b = state.pairs[i].index as usize;
        let before = state.position[b] - state.position[p];
        let d = before + step.dt * (state.velocity[b] - state.velocity[p]);
        let distance = d.length();
        let lacking = context.min_distance().min(before.length()) - distance;
        (lacking > 0.0 && distance > 0.0).then(|| Push {
            other: b,
            normal: d / distance,
            lacking,
            stiffness: stiffness(context, state, p, b),
        })
    })
}

/// Adds the force imbalance due to too-close pairs [N s].
pub fn add_forces(context: &Context, step: Step, state: &State, force: &mut [DVec3]) {
    for (p, force) in force.iter_mut().enumerate() {
        let impulse = |push: Push| push.stiffness * push.lacking * push.normal;
        *force += step.dt * pushes(context, step, state, p).map(impulse).sum::<DVec3>();
    }
}

/// Adds their part of the matrix times a velocity change [N s].
pub fn add_product(context: &Context, step: Step, state: &State, d: &[DVec3], result: &mut [DVec3]) {
    for (p, result) in result.iter_mut().enumerate() {
        for push in pushes(context, step, state, p) {
            let approach = push.normal.dot(d[p] - d[push.other]);
            *result += step.dt * step.dt * push.stiffness * approach * push.normal;
        }
    }
}

/// Adds their part of the diagonal blocks of the matrix [kg].
pub fn add_blocks(context: &Context, step: Step, state: &State, blocks: &mut [DMat3]) {
    for (p, block) in blocks.iter_mut().enumerate() {
        for push in pushes(context, step, state, p) {
            *block += step.dt * step.dt * push.stiffness * outer(push.normal, push.normal);
        }
    }
}

/// Returns the stiffness of a pair: a fraction of the kernel radius times the harmonic mean of the moduli of uniaxial strain
/// [N/m].
fn stiffness(context: &Context, state: &State, p: usize, b: usize) -> f64 {
    let modulus = |q: usize| {
        let moduli = context.materials[state.material[q] as usize].moduli(&state.material_state[q]);
        moduli.bulk + 4.0 / 3.0 * moduli.shear
    };
    let (p, b) = (modulus(p), modulus(b));
    2.0 * NEAR_STIFFNESS * context.radius() * p * b / (p + b).max(f64::MIN_POSITIVE)
}
