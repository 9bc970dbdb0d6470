//! Linearized stress of a step.
//!
//! The tangent of a particle is isotropic, `d tau = 2 mu dev(d) + 3 kappa sph(d)` with d the symmetric part of `dt grad(dv)
//! A^-1`. Its moduli are the secants of the step's stress, which bound the response of a plastic step: the matrix stays symmetric
//! and positive, and for elastic matter at small strains it is the exact tangent. If the solve came from another stress, the
//! secant along the way is used where it is stiffer: it knows of kinks that were passed.

use glam::{DMat3, DVec3};
use tuff_scene::Plasticity;

use crate::constraints::{add_blocks, add_product};
use crate::context::{Context, Step};
use crate::state::State;
use crate::strain::{gather, limit_fold, memory_stiffness, respond, trial_hencky};
use crate::tensor::{norm, outer, symmetric_part, trace};

/// Lower bound of the secant moduli, as a fraction of the elastic moduli.
const SOFTEST: f64 = 0.1;

/// Principal strain below which there is no secant.
const STRAINLESS: f64 = 1e-7;

/// Change of strain below which there is none; `FADE`: smallest ratio of a modulus to its value in the previous evaluation.
const UNCHANGED: f64 = 1e-6;
const FADE: f64 = 0.5;

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

/// Computes the tangents at the velocities that the state holds; `last` are those of the previous evaluation in the same solve.
pub fn linearize(context: &Context, step: Step, state: &State, last: Option<&[Tangent]>) -> Vec<Tangent> {
    let plastic = context.settings.plasticity == Plasticity::Implicit;
    (0..state.particle_count())
        .map(|p| tangent(context, step, state, p, plastic, last.map(|l| &l[p])))
        .collect()
}

fn tangent(
    context: &Context,
    step: Step,
    state: &State,
    p: usize,
    plastic: bool,
    last: Option<&Tangent>,
) -> Tangent {
    let gathered = gather(state, &state.velocity, p);
    let (displacement, _) = limit_fold(step.dt * gathered.gradient);
    let (stress, _) = respond(context, state, step.dt, p, displacement, plastic);
    let deformation = DMat3::IDENTITY + displacement;
    let tau = stress.gradient * deformation.transpose();
    let hencky = trial_hencky(state, p, displacement);
    let (deviator, mean_tau) = parts(tau);
    let mean = hencky.element_sum() / 3.0;
    let size = (hencky - mean).length();
    let volume = state.rest_volume[p] * step.dt * step.dt;
    let memory = if context.settings.stabilization > 0.0 {
        let size = (state.memory[p] + step.dt * gathered.non_affine).length();
        let share = (state.memory_bound[p] / size.max(f64::MIN_POSITIVE)).clamp(SOFTEST, 1.0);
        step.dt * step.dt * share * memory_stiffness(context, state, p)
    } else {
        0.0
    };
    let mut shear = volume * secant(deviator, 2.0 * size, stress.moduli.shear);
    let mut bulk = volume * secant(mean_tau, 3.0 * mean, stress.moduli.bulk);
    if let Some(last) = last {
        let (size, mean) = parts(symmetric_part(deformation * last.inverse - DMat3::IDENTITY));
        let (deviator, mean_tau) = parts(tau - last.stress);
        let along = |change: f64, stress, strain, elastic: f64| {
            if change < UNCHANGED { 0.0 } else { volume * secant(stress, strain, elastic) }
        };
        shear = shear.max(FADE * last.shear).max(along(size, deviator, 2.0 * size, stress.moduli.shear));
        bulk = bulk.max(FADE * last.bulk).max(along(mean.abs(), mean_tau, 3.0 * mean, stress.moduli.bulk));
    }
    Tangent { inverse: deformation.inverse(), shear, bulk, memory, stress: tau }
}

/// Returns the norm of the deviator, and the mean.
fn parts(t: DMat3) -> (f64, f64) {
    let mean = trace(t) / 3.0;
    (norm(t - mean * DMat3::IDENTITY), mean)
}

/// Returns `stress / strain`, clamped between a small fraction of the elastic modulus and the elastic modulus [Pa].
fn secant(stress: f64, strain: f64, elastic: f64) -> f64 {
    if strain.abs() < STRAINLESS { elastic } else { (stress / strain).clamp(SOFTEST * elastic, elastic) }
}

/// Returns the matrix times a velocity change [N s].
pub fn product(
    context: &Context,
    step: Step,
    state: &State,
    tangents: &[Tangent],
    d: &[DVec3],
) -> Vec<DVec3> {
    let mut result: Vec<DVec3> = (0..d.len()).map(|p| state.mass[p] * d[p]).collect();
    for (p, tangent) in tangents.iter().enumerate() {
        let gathered = gather(state, d, p);
        let rate = gathered.gradient * tangent.inverse;
        let spherical = trace(rate) / 3.0 * DMat3::IDENTITY;
        let deviator = 0.5 * (rate + rate.transpose()) - spherical;
        let tau = 2.0 * tangent.shear * deviator + 3.0 * tangent.bulk * spherical;
        let response = tau * tangent.inverse.transpose();
        let memory = tangent.memory * gathered.non_affine;
        for pair in state.neighbors(p) {
            let change = response * pair.gradient + pair.weight * memory;
            result[pair.index as usize] += change;
            result[p] -= change;
        }
    }
    add_product(context, step, state, d, &mut result);
    result
}

/// Returns the diagonal blocks of the matrix [kg].
pub fn blocks(context: &Context, step: Step, state: &State, tangents: &[Tangent]) -> Vec<DMat3> {
    let mut blocks: Vec<DMat3> = state.mass.iter().map(|m| DMat3::from_diagonal(DVec3::splat(*m))).collect();
    for (p, tangent) in tangents.iter().enumerate() {
        for pair in state.neighbors(p) {
            blocks[pair.index as usize] += tangent.block(pair.gradient, pair.weight);
        }
        let moments = &state.moments[p];
        blocks[p] += tangent.block(moments.first, moments.weight);
    }
    add_blocks(context, step, state, &mut blocks);
    blocks
}

impl Tangent {
    /// Returns the contribution to the diagonal block of a particle whose velocity enters grad v by g [1/m] and n by `weight`.
    fn block(&self, g: DVec3, weight: f64) -> DMat3 {
        let g = self.inverse.transpose() * g;
        let diagonal = self.shear * g.length_squared() + self.memory * weight * weight;
        diagonal * DMat3::IDENTITY + (self.shear / 3.0 + self.bulk) * outer(g, g)
    }
}
