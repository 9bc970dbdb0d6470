//! Strain, material state, memory and position advance with the same velocity (eq. 22).

use glam::{DMat3, DVec3};

use crate::context::{Context, Step};
use crate::state::State;
use crate::strain::{FOLD_DETERMINANT, gather, trial};
use crate::tensor::{cayley, recompose, skew_part};

/// Why a substep cannot be committed; the particle is given by its id, the lowest that is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A neighborhood folded: det A < 0.1. Smaller steps may help.
    Folded(u32),
    /// A value is not finite.
    NotFinite(u32),
}

struct Advanced {
    strain: DMat3,
    volume_ratio: f64,
    memory: DVec3,
    tension: f64,
    material_state: [f64; 4],
    clamped: bool,
}

/// Advances the state. On a refusal nothing has changed.
pub fn commit(context: &Context, step: Step, state: &mut State) -> Result<(), Refusal> {
    let mut advanced = Vec::with_capacity(state.particle_count());
    let (mut folded, mut not_finite): (Option<u32>, Option<u32>) = (None, None);
    let lowest = |known: Option<u32>, id: u32| Some(known.map_or(id, |k| k.min(id)));
    for p in 0..state.particle_count() {
        let (new, determinant) = advance(context, step, state, p);
        if !(new.strain.is_finite() && new.memory.is_finite() && state.velocity[p].is_finite()) {
            not_finite = lowest(not_finite, state.id[p]);
        } else if determinant < FOLD_DETERMINANT {
            folded = lowest(folded, state.id[p]);
        }
        advanced.push(new);
    }
    if let Some(id) = not_finite {
        return Err(Refusal::NotFinite(id));
    }
    if let Some(id) = folded {
        return Err(Refusal::Folded(id));
    }
    for (p, new) in advanced.into_iter().enumerate() {
        state.strain[p] = new.strain;
        state.volume_ratio[p] = new.volume_ratio;
        state.memory[p] = new.memory;
        state.tension[p] = new.tension;
        state.material_state[p] = new.material_state;
        state.counters.stretch_clamped += u64::from(new.clamped);
        state.position[p] += step.dt * state.velocity[p];
        let contacts = state.contacts[p];
        for slot in 0..contacts.count {
            let face = contacts.face[slot] as usize;
            state.face_impulse[face] -= state.mass[p] * contacts.change[slot];
        }
    }
    Ok(())
}

/// The new state of a particle and det A.
fn advance(context: &Context, step: Step, state: &State, p: usize) -> (Advanced, f64) {
    let gathered = gather(state, &state.velocity, p);
    let displacement = step.dt * gathered.gradient;
    let trial = trial(context, state, step.dt, p, displacement, true);
    let determinant = trial.deformation.determinant();
    let expm1 = trial.hencky.to_array().map(|eps| (2.0 * eps).exp_m1());
    let remembered = state.memory[p] + step.dt * gathered.non_affine;
    let memory = if context.settings.stabilization > 0.0 {
        trial.forget * (cayley(skew_part(displacement)) * remembered)
    } else {
        DVec3::ZERO
    };
    let material = &context.materials[state.material[p] as usize];
    let hencky = trial.hencky.to_array();
    let tau = DVec3::from_array(material.law.kirchhoff(&material.constants, &trial.material_state, hencky));
    let mean = tau.element_sum() / 3.0;
    let advanced = Advanced {
        strain: recompose(trial.axes, DVec3::from_array(expm1)),
        volume_ratio: state.volume_ratio[p] * determinant,
        memory,
        tension: mean.max(0.0) + (2.0_f64 / 3.0).sqrt() * (tau - mean).length(),
        material_state: trial.material_state,
        clamped: trial.clamped,
    };
    (advanced, determinant)
}
