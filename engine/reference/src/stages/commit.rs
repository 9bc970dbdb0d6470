//! Advances strain, material state, memory and position with the same velocity (eq. 22).

use glam::{DMat3, DVec3};
use tuff_plugin::TensorPoint;

use super::overlap::displacements;
use super::packing::{looseness, openness, packing};
use crate::context::{Context, Material, Step};
use crate::history::{from_rows, step_point, strain_of};
use crate::state::State;
use crate::strain::{FOLD_DETERMINANT, gather, limit_fold, trial};
use crate::tensor::{cayley, from_voigt, norm, recompose, skew_part, trace};

/// Reason why a substep cannot be committed, with the lowest id of an affected particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A neighborhood folded: det A < 0.1. Smaller steps may help.
    Folded(u32),
    /// A value is not finite.
    NotFinite(u32),
}

/// Deviatoric strain below which there counts as none.
const REST_STRAIN: f64 = 1e-7;

struct Advanced {
    strain: DMat3,
    branch: DMat3,
    deformation: DMat3,
    volume_ratio: f64,
    /// Rotation of the neighborhood.
    turn: DMat3,
    memory: DVec3,
    forget: f64,
    tension: f64,
    memory_bound: f64,
    material_state: [f64; 4],
    clamped: bool,
    limited: bool,
    corrected: bool,
    /// Displacement among the neighbors [m].
    spread: DVec3,
}

impl Advanced {
    fn is_finite(&self) -> bool {
        let words = self.material_state.iter().all(|word| word.is_finite());
        let numbers = [self.volume_ratio, self.tension].iter().all(|number| number.is_finite());
        self.strain.is_finite() && self.memory.is_finite() && numbers && words
    }
}

/// Advances the state. On a refusal it is unchanged.
pub fn commit(context: &Context, step: Step, state: &mut State) -> Result<(), Refusal> {
    let mut advanced = Vec::with_capacity(state.particle_count());
    let (mut folded, mut not_finite): (Option<u32>, Option<u32>) = (None, None);
    let lowest = |known: Option<u32>, id: u32| Some(known.map_or(id, |k| k.min(id)));
    for p in 0..state.particle_count() {
        let (new, determinant) = advance(context, step, state, p);
        if !(new.is_finite() && state.velocity[p].is_finite()) {
            not_finite = lowest(not_finite, state.id[p]);
        } else if determinant < FOLD_DETERMINANT {
            folded = lowest(folded, state.id[p]);
        }
        state.counters.stretch_clamped += u64::from(new.clamped);
        state.counters.fold_limited += u64::from(new.limited);
        state.counters.volume_corrected += u64::from(new.corrected);
        advanced.push(new);
    }
    let displaced = displacements(context, step, state, |p| advanced[p].spread);
    if let Some(id) = not_finite {
        return Err(Refusal::NotFinite(id));
    }
    if let Some(id) = folded {
        return Err(Refusal::Folded(id));
    }
    for (p, new) in advanced.into_iter().enumerate() {
        state.strain[p] = new.strain;
        state.branch[p] = new.branch;
        state.deformation[p] = new.deformation;
        state.volume_ratio[p] = new.volume_ratio;
        state.memory[p] = new.memory;
        state.tension[p] = new.tension;
        state.memory_bound[p] = new.memory_bound;
        state.material_state[p] = new.material_state;
        // Internal forces turn with the matter: if they lagged behind, those of a spinning body would push it along.
        state.internal_acceleration[p] = new.turn * state.internal_acceleration[p];
        advance_position(step, state, p, displaced[p]);
    }
    Ok(())
}

/// Moves a particle by its velocity and `displaced` [m], and adds its contact impulses to those of the faces.
pub fn advance_position(step: Step, state: &mut State, p: usize, displaced: DVec3) {
    state.position[p] += step.dt * state.velocity[p] + displaced;
    let contacts = state.contacts[p];
    for slot in 0..contacts.count {
        let face = contacts.face[slot] as usize;
        state.face_impulse[face] -= state.mass[p] * contacts.change[slot];
    }
}

/// Returns true if p carries no stress until its volume has closed again. Particles of such matter can approach at any speed.
pub fn is_separated(state: &State, p: usize) -> bool {
    state.volume_ratio[p] > 1.0 && state.strain[p] == DMat3::ZERO
}

/// Returns the new state of a particle and det A.
fn advance(context: &Context, step: Step, state: &State, p: usize) -> (Advanced, f64) {
    let gathered = gather(state, &state.velocity, p);
    let displacement = step.dt * gathered.gradient;
    let (displacement, limited) =
        if is_separated(state, p) { limit_fold(displacement) } else { (displacement, false) };
    let determinant = (DMat3::IDENTITY + displacement).determinant();
    let mut advanced = advance_material(context, step, state, p, displacement);
    advanced.limited = limited;
    advanced.volume_ratio *= determinant;
    advanced.turn = cayley(skew_part(displacement));
    advanced.memory = if context.settings.stabilization > 0.0 {
        let remembered = state.memory[p] + step.dt * gathered.non_affine;
        let kept = advanced.forget * (advanced.turn * remembered);
        kept.clamp_length_max(advanced.memory_bound)
    } else {
        DVec3::ZERO
    };
    (advanced, determinant)
}

/// Deviatoric strain that is projected to find the strength of the material, and the number of substeps for which it is held.
const PROBE: (f64, f64) = (0.5, 1e3);

/// Returns the largest non-affine displacement to which the memory may respond [m]: its strain, `sqrt(k_s / 2) |h| / r`, is at
/// most the deviator that the material carries at its present volume.
fn memory_bound(context: &Context, step: Step, material: &Material, words: &[f64; 4], hencky: DVec3) -> f64 {
    let mean = hencky.element_sum() / 3.0;
    let deviator = hencky - mean;
    let size = deviator.length();
    let half = 0.5_f64.sqrt();
    let direction = if size < REST_STRAIN { DVec3::new(half, -half, 0.0) } else { deviator / size };
    let probe = (mean + PROBE.0 * direction).to_array();
    let kept = material.law.project(&material.constants, words, PROBE.1 * step.dt, probe).forget;
    if kept >= 1.0 || context.settings.stabilization == 0.0 {
        return f64::INFINITY;
    }
    kept * PROBE.0 * (2.0 / context.settings.stabilization).sqrt() * context.radius()
}

/// Returns the material's response to the step; volume ratio and memory are those at its start, the former corrected by the
/// packing.
fn advance_material(context: &Context, step: Step, state: &State, p: usize, displacement: DMat3) -> Advanced {
    let (volume_ratio, memory) = (state.volume_ratio[p], state.memory[p]);
    let material = &context.materials[state.material[p] as usize];
    let Some(law) = material.law.tensor() else {
        let mut trial = trial(context, state, step.dt, p, displacement, true);
        let (mut volume_ratio, mut corrected, mut spread) = (volume_ratio, false, DVec3::ZERO);
        let flows = 1.0 - trial.forget;
        if flows > 0.0 {
            let now = volume_ratio * (DMat3::IDENTITY + displacement).determinant();
            let packing = packing(context, step, state, p, displacement);
            let correction = flows * packing.correction(context, step, state.body[p], now);
            spread = looseness(trial.forget) * openness(now) * packing.spread;
            corrected = correction != 0.0;
            if corrected {
                trial = trial.mapped(context, state, step.dt, p, correction);
                volume_ratio *= correction.exp();
            }
        }
        let (hencky, words) = (trial.hencky.to_array(), trial.material_state);
        let tau = DVec3::from_array(material.law.kirchhoff(&material.constants, &words, hencky));
        return Advanced {
            strain: recompose(trial.axes, DVec3::from_array(hencky.map(|eps| (2.0 * eps).exp_m1()))),
            branch: state.branch[p],
            deformation: state.deformation[p] + displacement * state.deformation[p],
            volume_ratio,
            turn: DMat3::IDENTITY,
            memory,
            forget: trial.forget,
            tension: tension(DMat3::from_diagonal(tau)),
            memory_bound: memory_bound(context, step, material, &words, trial.hencky),
            material_state: words,
            clamped: trial.clamped,
            limited: false,
            corrected,
            spread,
        };
    };
    let (point, clamped) = step_point(material, state, p, displacement);
    let point = TensorPoint { dt: step.dt, ..point };
    let update = law.advance(&point);
    Advanced {
        strain: strain_of(&update.strain),
        branch: strain_of(&update.branch),
        deformation: from_rows(point.deformation),
        volume_ratio,
        turn: DMat3::IDENTITY,
        memory,
        forget: update.forget,
        tension: tension(from_voigt(law.respond(&point).kirchhoff)),
        memory_bound: f64::INFINITY,
        material_state: update.state,
        clamped,
        limited: false,
        corrected: false,
        spread: DVec3::ZERO,
    }
}

/// Returns the upper bound of the principal tensions of a Kirchhoff stress [Pa].
fn tension(tau: DMat3) -> f64 {
    let mean = trace(tau) / 3.0;
    mean.max(0.0) + (2.0_f64 / 3.0).sqrt() * norm(tau - mean * DMat3::IDENTITY)
}
