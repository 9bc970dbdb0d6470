//! Conjugate gradients on one linear step, preconditioned by the matrix's diagonal blocks and the rigid modes of stiff bodies.

use glam::DVec3;

use super::relaxation::Preconditioner;
use super::tangent::product;
use super::{Evaluation, length};
use crate::clock::{Loop, timed};
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Result of a linear solve.
pub struct Linear {
    /// Change of the velocities [m/s].
    pub change: Vec<DVec3>,
    /// Norm of the imbalance left by the linear model [N s].
    pub left: f64,
    /// Number of products with the matrix.
    pub passes: u32,
}

/// Returns the velocity change that reduces the norm of the imbalance to `tolerance` times its value, or the one after `most`
/// products; the blocks of the preconditioner are those of the matrix, or of a similar one. The recurrence of
/// Chronopoulos and Gear (1989) computes its sums once per product.
pub fn solve_linear<S: Scalar>(
    context: &Context,
    step: Step,
    state: &mut State<S>,
    at: &Evaluation,
    preconditioner: &Preconditioner,
    tolerance: f64,
    most: u32,
) -> Linear {
    let count = at.imbalance.len();
    let precondition = |state: &State<S>, r: &[DVec3]| {
        let motions = preconditioner.modes.motions(state, &at.blocked, |p| r[p]);
        let follows = |p: usize| motions.at(state.body[p], state.position[p]);
        parallel::map(count, |p| at.blocked[p].free(preconditioner.inverse[p] * r[p] + follows(p)))
    };
    let mut r: Vec<DVec3> = at.imbalance.iter().map(|f| -*f).collect();
    let (mut x, mut d, mut s) =
        (vec![DVec3::ZERO; count], vec![DVec3::ZERO; count], vec![DVec3::ZERO; count]);
    let (mut gamma, mut alpha) = (0.0, 0.0);
    let goal = tolerance * at.norm;
    let mut passes = 0;
    let mut begun = state.clock.begin();
    while passes < most && length(&r) > goal {
        let u = precondition(state, &r);
        state.clock.end(Loop::Gradients, begun);
        let product = timed!(state, Product, product(context, step, state, &at.tangents, &u));
        begun = state.clock.begin();
        passes += 1;
        let w = parallel::map(count, |p| at.blocked[p].free(product[p]));
        let [next, delta] = parallel::sums(count, |p| [r[p].dot(u[p]), w[p].dot(u[p])]);
        let beta = if passes == 1 { 0.0 } else { next / gamma };
        alpha = if passes == 1 { next / delta } else { next / (delta - beta * next / alpha) };
        gamma = next;
        parallel::each_of_two(&mut d, &mut x, |p, d, x| {
            *d = u[p] + beta * *d;
            *x += alpha * *d;
        });
        parallel::each_of_two(&mut s, &mut r, |p, s, r| {
            *s = w[p] + beta * *s;
            *r -= alpha * *s;
        });
    }
    let left = length(&r);
    state.clock.end(Loop::Gradients, begun);
    Linear { left, change: x, passes }
}
