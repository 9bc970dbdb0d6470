//! The density of fluids, from which their pressure follows.

use glam::{DMat3, DVec3};
use tuff_problem::{CONTACT_SLOTS, Pores, beyond_wall, lacking_beyond, surround, wall_slope};

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
    /// What the neighborhood lacks, by which surfaces have a tension [dimensionless].
    lack: f64,
}

/// Gives fluids the strain of their density at the start of the substep, isotropic with `ln J = 1 - rho / rho_0` (Macklin and Mueller
/// 2013, eq. 1): `rho / rho_0 = sum V W / (sum V W at rest)`, over the particle and all matter around it, and what walls take of the
/// kernel.
///
/// Walls push by the pressure as matter in their place would: the least push of a contact is the response to the pressure p along the
/// gradient G of the density, `dt G p / rho`, over `1 + K (dt G)^2 / rho`, as p falls while the particle gives way.
pub fn measure_density<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    wet(context, state);
    let of_fluid = |p: usize| state.is_fluid(p).then(|| look(context, state, p));
    let found = parallel::map(state.particle_count(), of_fluid);
    parallel::each_of_two(&mut state.strain, &mut state.volume_ratio, |p, strain, ratio| {
        if let Some(Found { theta, .. }) = found[p] {
            *strain = (2.0 / 3.0 * theta).exp_m1() * DMat3::IDENTITY;
            *ratio = theta.exp();
        }
    });
    if !context.tension.is_empty() {
        state.lack = found.iter().map(|found| found.map_or(0.0, |found| found.lack)).collect();
    }
    let mut contacts = std::mem::take(&mut state.contacts);
    parallel::each(&mut contacts, |p, contacts| {
        let Some(Found { theta, slope, .. }) = found[p] else { return };
        let mobility = state.seen_volume[p].abs() * state.inverse_mass[p];
        let bulk = state.moduli[p].bulk;
        for (pull, slope) in std::iter::zip(&mut contacts.pull, slope).take(contacts.count) {
            let kick = step.dt * slope * mobility * bulk;
            *pull = -kick * (-theta).max(0.0) / (1.0 + kick * step.dt * slope);
        }
    });
    state.contacts = contacts;
}

/// Sets the cohesion of grains by their saturation, `sum V_b W / (n sum V_g W)` over the fluids b and the grains g around them, themselves
/// included.
fn wet<S: Scalar>(context: &Context, state: &mut State<S>) {
    if context.mixtures.is_empty() {
        return;
    }
    let now = &*state;
    let mut words = now.material_state.clone();
    for pores in context.mixtures.all().iter().filter(|pores| !pores.cohesion.is_empty()) {
        parallel::each(&mut words, |p, words| {
            if now.material[p] == pores.grains && now.volume[p] > 0.0 {
                words[pores.word] = wetting(context, now, p, pores);
            }
        });
    }
    state.material_state = words;
}

/// Returns the cohesion of a grain p by its saturation [Pa].
fn wetting<S: Scalar>(context: &Context, state: &State<S>, p: usize, pores: &Pores) -> f64 {
    let own = state.volume[p] * context.kernel().value(0.0);
    let [fluid, grains] = state.around(context, p).fold([0.0, own], |[fluid, grains], (b, w)| {
        let of = |material: u32| if state.material[b] == material { state.volume[b].abs() * w } else { 0.0 };
        [fluid + of(pores.fluid), grains + of(pores.grains)]
    });
    pores.cohesion_at((fluid / ((1.0 - pores.solid) * grains)).min(1.0))
}

fn look<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> Found {
    let (kernel, radius) = (context.kernel(), context.radius());
    let own = state.seen_volume[p].abs();
    let others: f64 = state.around(context, p).map(|(b, w)| context.filled(state, p, b) * w).sum();
    let (mut free, mut slope) = ([1.0; CONTACT_SLOTS], [0.0; CONTACT_SLOTS]);
    for (slot, depth, _) in walls(context, state, p) {
        (free[slot], slope[slot]) = (1.0 - beyond_wall(depth, radius), wall_slope(depth, radius));
    }
    let all: f64 = free.iter().product();
    // Walls that overlap are counted once.
    let [a, b, c] = free;
    for (slope, others) in std::iter::zip(&mut slope, [b * c, c * a, a * b]) {
        *slope *= others;
    }
    let rest = context.rest_sums[state.body[p] as usize];
    // In pores the particles of a fluid are farther apart.
    let full = rest * context.mixtures.sparse_sum(own / radius.powi(3));
    let sum = (own * kernel.value(0.0) + others) / full;
    Found { theta: 1.0 - (sum + 1.0 - all), slope, lack: lack(context, state, p) }
}

/// Returns the slots of the contacts of p with walls, with the distances [m] and normals of these at the start of the substep.
pub(super) fn walls<S: Scalar>(
    context: &Context,
    state: &State<S>,
    p: usize,
) -> impl Iterator<Item = (usize, f64, DVec3)> {
    let contacts = &state.contacts[p];
    (0..contacts.count).filter_map(move |slot| {
        let face = contacts.face[slot] as usize;
        let collider = &context.faces[face].surface;
        let seen = state.placed[face].at_start(collider, state.position[p])?;
        // Matter that starts within a collider leaves it by displacement, not by pressure.
        let depth = (seen.distance - collider.thickness).max(state.contact_radius[p]);
        Some((slot, depth, seen.normal))
    })
}

/// Returns what the neighborhood of a fluid's particle lacks: matter of any kind and walls fill it.
fn lack<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> f64 {
    let Some(cohesion) = context.tension.get(state.material[p]) else { return 0.0 };
    let radius = context.radius();
    let of = |b: usize| {
        context.filled(state, p, b) * surround(state.position[b].distance(state.position[p]), radius)
    };
    let others: f64 = state.neighbor[state.neighbor_range(p)].iter().map(|&b| of(b as usize)).sum();
    let own = state.seen_volume[p].abs() * surround(0.0, radius);
    let free: f64 =
        walls(context, state, p).map(|(_, depth, _)| 1.0 - lacking_beyond(depth, radius)).product();
    (free - (own + others) / cohesion.rest_sum).max(0.0)
}
