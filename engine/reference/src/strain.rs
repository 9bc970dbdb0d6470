//! From velocities to trial strain, stress and constraint of one particle; shared by every stage that evaluates a particle's
//! deformation.

use glam::{DMat3, DVec3};
use tuff_plugin::{Moduli, TensorPoint};
use tuff_problem::thresholds::{FOLD_DETERMINANT, FOLD_LIMIT, STRETCH2_MAX, STRETCH2_MIN, TENSION_STIFFNESS};
use tuff_scene::Gradient;

use crate::context::{Context, Step};
use crate::history;
use crate::scalar::Scalar;
use crate::state::State;
use crate::symmetric::eigen;
use crate::tensor::{from_voigt, norm, outer, recompose, symmetric_part};

/// Admissible squared principal stretches: s in [1e-2, 1e2].
pub const SQUARED_STRETCH: (f64, f64) = (STRETCH2_MIN, STRETCH2_MAX);

/// Velocity sums over the neighbors of a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gathered {
    /// `grad v = sum (v_b - v_p) g_b^T` [1/s].
    pub gradient: DMat3,
    /// `n = sum w'_b (v_b - v_p)` [m/s].
    pub non_affine: DVec3,
}

/// Gathers the velocity sums over the neighbors of `p`.
pub fn gather<S: Scalar>(state: &State<S>, velocity: &[DVec3], p: usize) -> Gathered {
    let mut gathered = Gathered { gradient: DMat3::ZERO, non_affine: DVec3::ZERO };
    for pair in state.neighbors(p) {
        let relative = velocity[pair.index] - velocity[p];
        gathered.gradient += outer(relative, pair.gradient);
        gathered.non_affine += pair.weight * relative;
    }
    gathered
}

/// Scales a folding displacement gradient back: where det(I + Lg) < 0.1, to `Lg min(1, 0.5 / |Lg|)`. Returns the gradient and
/// whether it was folding.
#[inline]
pub fn limit_fold(displacement: DMat3) -> (DMat3, bool) {
    if (DMat3::IDENTITY + displacement).determinant() < FOLD_DETERMINANT {
        ((FOLD_LIMIT / norm(displacement)).min(1.0) * displacement, true)
    } else {
        (displacement, false)
    }
}

/// Trial strain and the response of the material to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// `A = I + dt grad v`.
    pub deformation: DMat3,
    /// Principal axes of the trial strain, in columns.
    pub axes: DMat3,
    /// Principal trial Hencky strains.
    pub hencky_trial: DVec3,
    /// Principal Hencky strains that carry stress: after the return mapping if there is one.
    pub hencky: DVec3,
    /// State words after the return mapping.
    pub material_state: [f64; 4],
    /// Forget factor s of the memory.
    pub forget: f64,
    /// True if a stretch was clamped.
    pub clamped: bool,
}

/// Returns what the trial strain `E_tr = E + (Lg E + E Lg^T) + Lg E Lg^T + (Lg + Lg^T + Lg Lg^T)` ([`carried`]) with the given spectrum
/// leads to, for the displacement gradient `Lg = dt grad v`: if `plastic`, its return mapping from the state at the start of the substep.
#[inline]
pub fn mapped<S: Scalar>(
    context: &Context,
    state: &State<S>,
    dt: f64,
    p: usize,
    displacement: DMat3,
    plastic: bool,
    spectrum: Spectrum,
) -> Trial {
    let Spectrum { hencky: hencky_trial, axes, clamped } = spectrum;
    let trial = Trial {
        deformation: DMat3::IDENTITY + displacement,
        axes,
        hencky_trial,
        hencky: hencky_trial,
        material_state: state.material_state[p],
        forget: 1.0,
        clamped,
    };
    let mapped = trial.mapped(context, state, dt, p, 0.0);
    if plastic { mapped } else { Trial { hencky: hencky_trial, ..mapped } }
}

impl Trial {
    /// Applies the return mapping with `volume` added to the logarithm of the trial's volume ratio.
    pub fn mapped<S: Scalar>(
        self,
        context: &Context,
        state: &State<S>,
        dt: f64,
        p: usize,
        volume: f64,
    ) -> Self {
        let material = &context.materials[state.material[p] as usize];
        let hencky = (self.hencky_trial + volume / 3.0).to_array();
        let projection = material.law.project(&material.constants, &state.material_state[p], dt, hencky);
        Self {
            hencky: DVec3::from_array(projection.hencky),
            material_state: projection.state,
            forget: projection.forget,
            ..self
        }
    }
}

/// A strain E = b - I in its principal axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spectrum {
    /// Principal Hencky strains.
    pub hencky: DVec3,
    /// Principal axes, in columns.
    pub axes: DMat3,
    /// True if a stretch was clamped.
    pub clamped: bool,
}

/// `E + (Lg E + E Lg^T) + Lg E Lg^T + (Lg + Lg^T + Lg Lg^T)`: the strain E carried along with a displacement gradient.
#[inline]
pub fn carried(strain: DMat3, displacement: DMat3) -> DMat3 {
    let moved = displacement + displacement * strain;
    symmetric_part(strain + moved + moved.transpose() + moved * displacement.transpose())
}

/// Returns the principal Hencky strains, limited to the admissible stretches.
#[inline]
pub fn spectrum(strain: DMat3) -> Spectrum {
    let (w, axes) = eigen(strain);
    let admissible = w.clamp(DVec3::splat(SQUARED_STRETCH.0 - 1.0), DVec3::splat(SQUARED_STRETCH.1 - 1.0));
    let hencky = 0.5 * DVec3::new(admissible.x.ln_1p(), admissible.y.ln_1p(), admissible.z.ln_1p());
    Spectrum { hencky, axes, clamped: is_clamped(w) }
}

/// Returns true if an eigenvalue of a strain is beyond the admissible stretches.
#[inline]
pub fn is_clamped(values: DVec3) -> bool {
    let admissible = SQUARED_STRETCH.0 - 1.0..=SQUARED_STRETCH.1 - 1.0;
    !values.to_array().iter().all(|w| admissible.contains(w))
}

/// Returns stress and constraint of a step with the displacement gradient `Lg = dt grad v`, and whether a stretch was clamped.
/// Without `plastic`, nothing flows or relaxes in the step.
pub fn respond<S: Scalar>(
    context: &Context,
    state: &State<S>,
    dt: f64,
    p: usize,
    displacement: DMat3,
    plastic: bool,
) -> (Stress, bool) {
    let spectrum = || spectrum(carried(state.strain[p], displacement));
    respond_along(context, state, dt, p, displacement, plastic, spectrum)
}

/// As [`respond`], with the spectrum of the trial strain, which models of whole tensors do not ask for.
#[inline]
pub fn respond_along<S: Scalar>(
    context: &Context,
    state: &State<S>,
    dt: f64,
    p: usize,
    displacement: DMat3,
    plastic: bool,
    spectrum: impl FnOnce() -> Spectrum,
) -> (Stress, bool) {
    let material = &context.materials[state.material[p] as usize];
    let Some(law) = material.law.tensor() else {
        let trial = mapped(context, state, dt, p, displacement, plastic, spectrum());
        return (stress(context, state, p, &trial), trial.clamped);
    };
    let (point, clamped) = history::step_point(material, state, p, displacement);
    let response = law.respond(&TensorPoint { dt: if plastic { dt } else { 0.0 }, ..point });
    let stress = Stress {
        carried: Carried::Energy(response.energy),
        gradient: from_voigt(response.kirchhoff) * (DMat3::IDENTITY + displacement).inverse().transpose(),
        moduli: state.moduli[p],
    };
    (stress, clamped)
}

/// Stress and constraint of a trial; energies are evaluated in the state at the start of the substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stress {
    /// What the energy density follows from.
    pub carried: Carried,
    /// `B = tau A^-T` [Pa].
    pub gradient: DMat3,
    /// Moduli [Pa].
    pub moduli: Moduli,
}

/// What the energy density of a trial follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Carried {
    /// The energy density itself [Pa].
    Energy(f64),
    /// Principal Hencky strains.
    Hencky(DVec3),
}

impl Stress {
    /// Returns the constraint `C = sqrt(2 psi)` of p [sqrt(Pa)].
    #[inline]
    pub fn constraint<S: Scalar>(&self, context: &Context, state: &State<S>, p: usize) -> f64 {
        let energy = match self.carried {
            Carried::Energy(energy) => energy,
            Carried::Hencky(hencky) => {
                let material = &context.materials[state.material[p] as usize];
                material.law.energy(&material.constants, &state.material_state[p], hencky.to_array())
            }
        };
        (2.0 * energy).sqrt()
    }
}

/// Evaluates the stress of a trial; for the literal gradient tau_i is scaled by `exp(eps_tr - eps)`.
#[inline]
pub fn stress<S: Scalar>(context: &Context, state: &State<S>, p: usize, trial: &Trial) -> Stress {
    let material = &context.materials[state.material[p] as usize];
    let (constants, words) = (&material.constants, &state.material_state[p]);
    let hencky = trial.hencky.to_array();
    let mut principal = DVec3::from_array(material.law.kirchhoff(constants, words, hencky));
    if context.settings.gradient == Gradient::Literal {
        principal *= (trial.hencky_trial - trial.hencky).exp();
    }
    Stress {
        carried: Carried::Hencky(trial.hencky),
        gradient: recompose(trial.axes, principal) * trial.deformation.inverse().transpose(),
        moduli: state.moduli[p],
    }
}

/// Returns the stiffness of a particle's memory [N/m], `beta = (k_s mu + 16 t) V0 / r^2` with its shear modulus mu and tension t [Pa]. A
/// fluid remembers nothing: over a substep, the spring of stiffness `C / dt` is the drag C of the grains around it.
pub fn memory_stiffness<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    p: usize,
    shear: f64,
) -> f64 {
    if state.is_fluid(p) {
        return state.room.get(p).map_or(0.0, |room| room.drag / step.dt);
    }
    if context.settings.stabilization == 0.0 {
        return 0.0;
    }
    let modulus = context.settings.stabilization * shear + TENSION_STIFFNESS * state.tension[p];
    modulus * state.rest_volume[p] / context.radius().powi(2)
}
