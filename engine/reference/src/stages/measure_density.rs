//! The density of fluids, from which their pressure follows.

use glam::DMat3;
use tuff_problem::{CONTACT_SLOTS, beyond_wall, wall_slope};

use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// What a particle of a fluid finds around it.
#[derive(Clone, Copy, Default)]
struct Found {
    /// `ln J`: 1 less the density relative to that at rest [dimensionless].
    theta: f64,
    /// Gradient of the density towards the wall of each contact [1/m].
    slope: [f64; CONTACT_SLOTS],
}

/// Gives fluids the strain of their density at the start of the substep, isotropic with `ln J = 1 - rho / rho_0` (Macklin and Mueller
/// 2013, eq. 1): `rho / rho_0 = sum V W / (sum V W at rest)`, over the particle and all matter around it, and what walls take of the
/// kernel.
///
/// Walls push by the pressure as matter in their place would: the least push of a contact is the response to the pressure p along the
/// gradient G of the density, `dt G p / rho`, over `1 + K (dt G)^2 / rho`, as p falls while the particle gives way.
pub fn measure_density<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    let of_fluid = |p: usize| state.is_fluid(p).then(|| look(context, state, p));
    let found = parallel::map(state.particle_count(), of_fluid);
    parallel::each_of_two(&mut state.strain, &mut state.volume_ratio, |p, strain, ratio| {
        if let Some(Found { theta, .. }) = found[p] {
            *strain = (2.0 / 3.0 * theta).exp_m1() * DMat3::IDENTITY;
            *ratio = theta.exp();
        }
    });
    let mut contacts = std::mem::take(&mut state.contacts);
    parallel::each(&mut contacts, |p, contacts| {
        let Some(Found { theta, slope }) = found[p] else { return };
        let mobility = state.rest_volume[p] * state.inverse_mass[p];
        let bulk = state.moduli[p].bulk;
        for (pull, slope) in std::iter::zip(&mut contacts.pull, slope).take(contacts.count) {
            let kick = step.dt * slope * mobility * bulk;
            *pull = -kick * (-theta).max(0.0) / (1.0 + kick * step.dt * slope);
        }
    });
    state.contacts = contacts;
}

fn look<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> Found {
    let (kernel, radius) = (context.kernel(), context.radius());
    let own = state.volume[p].abs() * kernel.value(0.0);
    let sum = state.neighbor[state.neighbor_range(p)].iter().fold(own, |sum, &b| {
        let apart = state.position[b as usize] - state.position[p];
        sum + state.volume[b as usize].abs() * kernel.value(apart.length())
    });
    let contacts = &state.contacts[p];
    let (mut free, mut slope) = ([1.0; CONTACT_SLOTS], [0.0; CONTACT_SLOTS]);
    for slot in 0..contacts.count {
        let face = contacts.face[slot] as usize;
        let collider = &context.faces[face].surface;
        let Some(seen) = state.placed[face].at_start(collider, state.position[p]) else { continue };
        // Matter that starts within a collider leaves it by displacement, not by pressure.
        let depth = (seen.distance - collider.thickness).max(state.contact_radius[p]);
        (free[slot], slope[slot]) = (1.0 - beyond_wall(depth, radius), wall_slope(depth, radius));
    }
    let all: f64 = free.iter().product();
    // Walls that overlap are counted once.
    let [a, b, c] = free;
    for (slope, others) in std::iter::zip(&mut slope, [b * c, c * a, a * b]) {
        *slope *= others;
    }
    let rest = context.rest_sums[state.body[p] as usize];
    Found { theta: 1.0 - (sum / rest + 1.0 - all), slope }
}
