//! Advances strain, material state, memory and position with the same velocity (eq. 22).

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_plugin::TensorPoint;
use tuff_problem::acceleration_part;
use tuff_problem::thresholds::{FOLD_DETERMINANT, PROBE_STRAIN, PROBE_TIME};

use super::overlap::displacements;
use super::packing::{looseness, openness, packing};
use crate::batch::{LANES, spectra};
use crate::context::{Context, Material, Step};
use crate::history::{from_rows, step_point, strain_of};
use crate::pairs::{field, gather_field};
use crate::parallel::{self, BLOCK};
use crate::scalar::Scalar;
use crate::sheets;
use crate::state::State;
use crate::strain::{Gathered, Spectrum, carried, limit_fold, mapped};
use crate::tensor::{cayley, from_voigt, norm, recompose, skew_part, symmetric_part, trace};

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
    plastic: DMat3,
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
    /// det A.
    determinant: f64,
}

impl Advanced {
    fn is_finite(&self) -> bool {
        let words = self.material_state.iter().all(|word| word.is_finite());
        let numbers = [self.volume_ratio, self.tension].iter().all(|number| number.is_finite());
        self.strain.is_finite() && self.plastic.is_finite() && self.memory.is_finite() && numbers && words
    }
}

/// Advances the state. On a refusal it is unchanged.
#[inline(never)]
pub fn commit<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) -> Result<(), Refusal> {
    let velocity = field::<S>(&state.velocity);
    let found = parallel::map_by::<LANES, _>(state.particle_count(), |particles| {
        let gathered = particles.map(|p| gather_field(state, &velocity, p));
        let displacement: [(DMat3, bool); LANES] = std::array::from_fn(|i| {
            let displacement = step.dt * gathered[i].gradient;
            if may_fold(context, state, particles[i]) {
                limit_fold(displacement)
            } else {
                (displacement, false)
            }
        });
        let trial = std::array::from_fn(|i| carried(state.strain[particles[i]], displacement[i].0));
        let spectra = spectra(&trial);
        std::array::from_fn(|i| {
            advance(context, step, state, particles[i], &gathered[i], displacement[i], spectra[i])
        })
    });
    let velocity = &state.velocity;
    let examined = parallel::blocks(found.len(), |range| {
        let mut examined = Examined::default();
        for p in range {
            examined.look(&found[p], state.id[p], velocity[p].is_finite());
        }
        examined
    });
    let mut all = Examined::default();
    for part in examined {
        all.add(&part);
    }
    state.counters.stretch_clamped += all.clamped;
    state.counters.fold_limited += all.limited;
    state.counters.volume_corrected += all.corrected;
    let displaced = displacements(context, step, state, |p| found[p].spread);
    if let Some(id) = all.not_finite {
        return Err(Refusal::NotFinite(id));
    }
    if let Some(id) = all.folded {
        return Err(Refusal::Folded(id));
    }
    macro_rules! take {
        ($($column:ident)*) => {
            let columns = ($(state.$column.par_iter_mut(),)* state.internal_acceleration.par_iter_mut(), found.par_iter());
            columns.into_par_iter().with_min_len(BLOCK).for_each(|($($column,)* acceleration, found)| {
                $(*$column = found.$column;)*
                // Internal forces turn with the matter: if they lagged behind, those of a spinning body would push it along.
                *acceleration = found.turn * *acceleration;
            });
        };
    }
    take!(strain branch deformation volume_ratio plastic memory tension memory_bound material_state);
    average_acceleration(context, step, state);
    move_particles(step, state, &displaced);
    Ok(())
}

/// Brings the mean accelerations of fluids that grains will feel as pressure up to date.
fn average_acceleration<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if context.mixtures.is_empty() {
        return;
    }
    let mut means = std::mem::take(&mut state.mean_acceleration);
    parallel::each(&mut means, |p, mean| {
        if state.is_fluid(p) {
            let now = (state.velocity[p] - state.start_velocity[p]) / step.dt;
            *mean += acceleration_part(step.dt, state.room[p].part) * (now - *mean);
        }
    });
    state.mean_acceleration = means;
}

/// What the commit of several particles would do.
#[derive(Default)]
struct Examined {
    not_finite: Option<u32>,
    folded: Option<u32>,
    clamped: u64,
    limited: u64,
    corrected: u64,
}

impl Examined {
    fn look(&mut self, new: &Advanced, id: u32, moves: bool) {
        if !(new.is_finite() && moves) {
            self.not_finite = lowest(self.not_finite, Some(id));
        } else if new.determinant < FOLD_DETERMINANT {
            self.folded = lowest(self.folded, Some(id));
        }
        self.clamped += u64::from(new.clamped);
        self.limited += u64::from(new.limited);
        self.corrected += u64::from(new.corrected);
    }

    fn add(&mut self, other: &Self) {
        self.not_finite = lowest(self.not_finite, other.not_finite);
        self.folded = lowest(self.folded, other.folded);
        self.clamped += other.clamped;
        self.limited += other.limited;
        self.corrected += other.corrected;
    }
}

/// Returns the lower of two ids, if there are any.
fn lowest(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}

/// Moves particles by their velocities and `displaced` [m], and adds their contact impulses to those of the faces.
pub fn move_particles<S: Scalar>(step: Step, state: &mut State<S>, displaced: &[DVec3]) {
    let velocity = &state.velocity;
    parallel::each(&mut state.position, |p, x| *x += step.dt * velocity[p] + displaced[p]);
    let faces = state.face_impulse.len();
    let received = parallel::blocks(state.particle_count(), |range| {
        let mut received = vec![DVec3::ZERO; faces];
        for (contacts, mass) in std::iter::zip(&state.contacts[range.clone()], &state.mass[range]) {
            for slot in 0..contacts.count {
                received[contacts.face[slot] as usize] -= *mass * contacts.change[slot];
            }
        }
        received
    });
    for block in received {
        std::iter::zip(&mut state.face_impulse, block).for_each(|(sum, part)| *sum += part);
    }
    let of_triangles: Vec<_> = sheets::on_obstacles(state).collect();
    for (face, _, impulse) in of_triangles {
        state.face_impulse[face] += impulse;
    }
}

/// Returns true if the neighborhood of p may fold: in matter that has come apart, in fluids, which keep no strain, and in total bodies,
/// which unfold again.
pub fn may_fold<S: Scalar>(context: &Context, state: &State<S>, p: usize) -> bool {
    is_separated(state, p) || state.is_fluid(p) || context.total.row(state.id[p]).is_some()
}

/// Returns true if p carries no stress until its volume has closed again. Particles of such matter can approach at any speed.
fn is_separated<S: Scalar>(state: &State<S>, p: usize) -> bool {
    state.volume_ratio[p] > 1.0 && state.strain[p] == DMat3::ZERO
}

/// Returns the new state of a particle.
fn advance<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    gathered: &Gathered,
    (displacement, limited): (DMat3, bool),
    spectrum: Spectrum,
) -> Advanced {
    let determinant = (DMat3::IDENTITY + displacement).determinant();
    let mut advanced = advance_material(context, step, state, p, displacement, spectrum);
    (advanced.limited, advanced.determinant) = (limited, determinant);
    if context.total.row(state.id[p]).is_some() {
        // Measured pairs neither tear nor forget.
        (advanced.tension, advanced.memory_bound) = (0.0, f64::INFINITY);
    }
    advanced.volume_ratio *= determinant;
    advanced.turn = cayley(skew_part(displacement));
    if state.is_fluid(p) {
        // Drag is not remembered.
        (advanced.memory, advanced.memory_bound, advanced.tension) = (DVec3::ZERO, f64::INFINITY, 0.0);
        return advanced;
    }
    advanced.memory = if context.settings.stabilization > 0.0 {
        let remembered = state.memory[p] + step.dt * gathered.non_affine;
        let kept = advanced.forget * (advanced.turn * remembered);
        kept.clamp_length_max(advanced.memory_bound)
    } else {
        DVec3::ZERO
    };
    advanced
}

/// Returns the largest non-affine displacement to which the memory may respond [m]: its strain, `sqrt(k_s / 2) |h| / r`, is at
/// most the deviator that the material carries at its present volume.
fn memory_bound(context: &Context, step: Step, material: &Material, words: &[f64; 4], hencky: DVec3) -> f64 {
    let mean = hencky.element_sum() / 3.0;
    let deviator = hencky - mean;
    let size = deviator.length();
    let half = 0.5_f64.sqrt();
    let direction = if size < REST_STRAIN { DVec3::new(half, -half, 0.0) } else { deviator / size };
    let probe = (mean + PROBE_STRAIN * direction).to_array();
    let kept = material.law.project(&material.constants, words, PROBE_TIME * step.dt, probe).forget;
    if kept >= 1.0 || context.settings.stabilization == 0.0 {
        return f64::INFINITY;
    }
    kept * PROBE_STRAIN * (2.0 / context.settings.stabilization).sqrt() * context.radius()
}

/// Returns the material's response to the step; volume ratio and memory are those at its start, the former corrected by the
/// packing.
fn advance_material<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    displacement: DMat3,
    spectrum: Spectrum,
) -> Advanced {
    let (volume_ratio, memory) = (state.volume_ratio[p], state.memory[p]);
    let is_total = context.total.row(state.id[p]).is_some();
    // The plastic metric of total bodies takes F_end^-1 (E_new - E_tr) F_end^-T, F_end = A F.
    let flowed = |new: DMat3, trial: &dyn Fn() -> DMat3| {
        let change = if is_total { new - trial() } else { DMat3::ZERO };
        if change == DMat3::ZERO {
            return state.plastic[p];
        }
        let back = (DMat3::IDENTITY + displacement).inverse().transpose() * state.unstretch[p];
        state.plastic[p] + symmetric_part(back.transpose() * change * back)
    };
    let material = &context.materials[state.material[p] as usize];
    let Some(law) = material.law.tensor() else {
        let mut trial = mapped(context, state, step.dt, p, displacement, true, spectrum);
        let (mut volume_ratio, mut corrected, mut spread) = (volume_ratio, false, DVec3::ZERO);
        let flows = 1.0 - trial.forget;
        if flows > 0.0 && !is_total && !state.is_fluid(p) {
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
        let strain_of = |hencky: DVec3| recompose(trial.axes, hencky.map(|eps| (2.0 * eps).exp_m1()));
        let strain = strain_of(trial.hencky);
        let tau = DVec3::from_array(material.law.kirchhoff(&material.constants, &words, hencky));
        return Advanced {
            strain,
            branch: state.branch[p],
            deformation: state.deformation[p] + displacement * state.deformation[p],
            volume_ratio,
            plastic: flowed(strain, &|| strain_of(trial.hencky_trial)),
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
            determinant: 1.0,
        };
    };
    let (point, clamped) = step_point(material, state, p, displacement);
    let point = TensorPoint { dt: step.dt, ..point };
    let update = law.advance(&point);
    let strain = strain_of(&update.strain);
    Advanced {
        strain,
        branch: strain_of(&update.branch),
        deformation: from_rows(point.deformation),
        volume_ratio,
        plastic: flowed(strain, &|| strain_of(&point.strain)),
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
        determinant: 1.0,
    }
}

/// Returns the upper bound of the principal tensions of a Kirchhoff stress [Pa].
fn tension(tau: DMat3) -> f64 {
    let mean = trace(tau) / 3.0;
    mean.max(0.0) + (2.0_f64 / 3.0).sqrt() * norm(tau - mean * DMat3::IDENTITY)
}
