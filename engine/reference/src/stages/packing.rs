//! Volume of flowing matter. Strain and volume ratio follow the velocity gradient, which does not see how particles settle
//! between each other. Matter packed more densely than J says is compressed, at the rate at which it moves in ways that the
//! gradient does not see, until its pressure opens it again; where it carries no stress, pairs brought together by such moves are
//! separated.

use glam::{DMat3, DVec3};
use tuff_problem::{LOOSE_BELOW, PACKING_RATE, REST_MOVE, SPREAD_MAX, SPREAD_OPEN, SPREAD_RATE};

use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Returns the degree to which matter that keeps the fraction `forget` of its deviator flows without stress.
pub fn looseness(forget: f64) -> f64 {
    (1.0 - forget / LOOSE_BELOW).max(0.0)
}

/// Returns the degree to which loose matter of this volume ratio J is open, so that its pairs are separated.
pub fn openness(volume_ratio: f64) -> f64 {
    if volume_ratio > 1.0 { (volume_ratio.ln() / SPREAD_OPEN).min(1.0) } else { 0.0 }
}

/// Packing of a particle among its neighbors, and what a substep makes of it.
pub struct Packing {
    /// `rho = sum V0 W` over the particle and its neighbors at the start of the substep [dimensionless]: particles that enter the
    /// support during it would count abruptly.
    density: f64,
    /// u, `u^2 = sum V0 W |dt (v_b - v_p) - Lg d|^2 / sum V0 W |d|^2` over the neighbors: 0 where all move as the gradient says.
    non_affine: f64,
    /// Displacement out of pairs that are closer than on a lattice [m]: [`SPREAD_RATE`] times the missing distance of each pair,
    /// per non-affine displacement relative to its distance.
    pub spread: DVec3,
}

/// Computes the packing of p, which moves by the displacement gradient `displacement`.
pub fn packing<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    displacement: DMat3,
) -> Packing {
    let (kernel, volume) = (context.kernel(), state.rest_volume[p]);
    let mut packing = Packing { density: volume * kernel.value(0.0), non_affine: 0.0, spread: DVec3::ZERO };
    let (mut moved, mut reach) = (0.0, 0.0);
    for pair in state.neighbors(p) {
        let b = pair.index;
        if state.is_fluid(b) {
            continue;
        }
        let apart: DVec3 = state.position[b] - state.position[p];
        let change = step.dt * (state.velocity[b] - state.velocity[p]);
        let departure = change - displacement * apart;
        let weight = state.rest_volume[b] * kernel.value(apart.length());
        packing.density += weight;
        moved += weight * departure.length_squared();
        reach += weight * apart.length_squared();
        let apart = apart + change;
        let least = state.contact_radius[p] + state.contact_radius[b];
        let mobility = state.inverse_mass[p];
        if apart.length_squared() >= least * least || mobility == 0.0 {
            continue;
        }
        let distance = apart.length();
        let lacking = least - distance;
        if distance > 0.0 {
            let part = (SPREAD_RATE * departure.length() / distance).min(SPREAD_MAX);
            let share = mobility / (mobility + state.inverse_mass[b]);
            packing.spread -= part * lacking * share / distance * apart;
        }
    }
    if reach > 0.0 {
        packing.non_affine = (moved / reach).sqrt();
    }
    packing
}

impl Packing {
    /// Returns what to add to log J of p, whose J would be `volume_ratio`: `-(1 - exp(-30 u)) (log(rho / rho_0) + log J)` where
    /// the packing exceeds both rho_0 and the density given by J; u is the excess over rest.
    pub fn correction(&self, context: &Context, step: Step, body: u32, volume_ratio: f64) -> f64 {
        let excess = (self.density / context.packing_limits[body as usize]).ln();
        let beyond = excess + volume_ratio.ln();
        let rest = REST_MOVE * context.gravity.length() * step.dt * step.dt / context.radius();
        let moved = (self.non_affine - rest).max(0.0);
        // Folded or non-finite matter is refused anyway.
        if excess > 0.0 && beyond > 0.0 { (-PACKING_RATE * moved).exp_m1() * beyond } else { 0.0 }
    }
}
