//! The density of fluids, from which their pressure follows.

use glam::DMat3;
use tuff_problem::beyond_wall;

use crate::context::Context;
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Gives fluids the strain of their density at the start of the substep, isotropic with `ln J = 1 - rho / rho_0` (Macklin and Mueller
/// 2013, eq. 1): `rho / rho_0 = sum V W / (sum V W at rest)`, over the particle and all matter around it, and what walls take of the
/// kernel.
pub fn measure_density<S: Scalar>(context: &Context, state: &mut State<S>) {
    let of_fluid = |p: usize| state.is_fluid(p).then(|| 1.0 - density(context, state, p));
    let found = parallel::map(state.particle_count(), of_fluid);
    parallel::each_of_two(&mut state.strain, &mut state.volume_ratio, |p, strain, ratio| {
        if let Some(theta) = found[p] {
            *strain = (2.0 / 3.0 * theta).exp_m1() * DMat3::IDENTITY;
            *ratio = theta.exp();
        }
    });
}

/// Returns the density of p relative to that at rest [dimensionless].
fn density<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> f64 {
    let kernel = context.kernel();
    let own = state.volume[p].abs() * kernel.value(0.0);
    let sum = state.neighbor[state.neighbor_range(p)].iter().fold(own, |sum, &b| {
        let apart = state.position[b as usize] - state.position[p];
        sum + state.volume[b as usize].abs() * kernel.value(apart.length())
    });
    let contacts = &state.contacts[p];
    let free = contacts.face[..contacts.count].iter().fold(1.0, |free, &face| {
        let collider = &context.faces[face as usize].surface;
        let before = state.placed[face as usize].at_start(collider, state.position[p]);
        let taken =
            before.map_or(0.0, |seen| beyond_wall(seen.distance - collider.thickness, context.radius()));
        free * (1.0 - taken)
    });
    sum / context.rest_sums[state.body[p] as usize] + (1.0 - free)
}
