//! Fluids in the pores of grains: what a mixture means for the two materials, and how full the pores are at the start.

use std::sync::Arc;

use rayon::prelude::*;
use tuff_plugin::Model;
use tuff_scene::{Diagnosed, Mixture, Particles, Scene, SceneError, Warning, value_at};

use crate::density::Near;
use crate::fluid::lattice_sum;
use crate::problem::ResolvedMaterial;
use crate::thresholds::thresholds;

/// Parameter of fluids that sets the drag.
const VISCOSITY: &str = "viscosity";

/// State word of grains that takes the cohesion by their saturation.
const WETTING: &str = "wetting";

thresholds! {
    PORES;
    /// Sum `V W` over grains, relative to the part of a kernel that no wall takes, below which there are none.
    BED_FROM = 0.15;
    /// The sum from which on there are as many as inside of a bed.
    BED_TO = 0.75;
    /// Time over which the accelerations of fluids in pores are averaged, before grains feel them as pressure [s].
    ACCELERATION_TIME = 0.01;
}

/// Returns the presence of a bed of grains [dimensionless], 1 inside, for the sum `V W` over them where walls leave the part `free` of a
/// kernel. Inside of a bed it does not follow the scatter of that sum with the places of single grains, which a stiff fluid would feel as humps
/// of pressure: random points have sums of 0.78 with a deviation of 0.08.
pub fn presence(sum: f64, free: f64) -> f64 {
    ((sum / free.max(f64::MIN_POSITIVE) - BED_FROM) / (BED_TO - BED_FROM)).clamp(0.0, 1.0)
}

/// Returns the part of a fluid's mean acceleration that a substep of `dt` [s] replaces. Without pressure, the force of grains changes the
/// acceleration by `(1 / room - 1)` times an error of the mean: what is replaced must be less than twice the room.
pub fn acceleration_part(dt: f64, room: f64) -> f64 {
    (dt / (dt + ACCELERATION_TIME)).min(room)
}

/// Volume per particle of a fluid, with its part of the grains [r^3], beyond which a warning says that it seeps too slowly.
const SPARSE_FROM: f64 = 1.25;

/// Distance of the points between which sums over sparse particles are interpolated [r^3], and their number.
pub const SPARSE_STEP: f64 = 0.5;
const SPARSE_COUNT: u32 = 24;

/// A fluid in the pores of grains.
#[derive(Debug, Clone, PartialEq)]
pub struct Pores {
    /// Index of the fluid's material.
    pub fluid: u32,
    /// Index of the grains' material.
    pub grains: u32,
    /// Fraction of the grains' volume that a fluid cannot take: 1 - n with the porosity n.
    pub solid: f64,
    /// Drag per volume of the fluid and relative velocity [kg/(m^3 s)]: `n mu / k`, mu being the dynamic viscosity and k the permeability.
    /// The fluid then seeps with Darcy's velocity `n (v_fluid - v_grains) = -k / mu grad p`.
    pub drag: f64,
    /// Points [saturation, Pa] of the cohesion that the fluid gives to the grains; empty if there is none.
    pub cohesion: Vec<[f64; 2]>,
    /// Index of the grains' state word that takes it.
    pub word: usize,
}

impl Pores {
    /// Returns the cohesion at a saturation in [0, 1] [Pa].
    pub fn cohesion_at(&self, saturation: f64) -> f64 {
        value_at(&self.cohesion, saturation)
    }
}

/// The mixtures of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mixtures {
    all: Vec<Pores>,
    /// Values of [`Mixtures::sparse_sum`] at multiples of [`SPARSE_STEP`]; empty without mixtures.
    sparse: Vec<f64>,
}

impl Mixtures {
    /// Resolves the mixtures of a scene.
    pub(crate) fn of(
        scene: &Scene,
        materials: &[ResolvedMaterial],
        models: &[Arc<Model>],
    ) -> Result<Self, SceneError> {
        let all = scene.mixtures.iter().enumerate().map(|(index, mixture)| {
            resolve(
                scene,
                index,
                mixture,
                [mixture.fluid, mixture.grains].map(|m| &*models[materials[m].model]),
            )
        });
        Ok(Self::from(all.collect::<Result<Vec<_>, _>>()?))
    }

    fn from(all: Vec<Pores>) -> Self {
        let count = if all.is_empty() { 0 } else { SPARSE_COUNT };
        let sparse =
            (0..count).map(|i| if i == 0 { 1.0 } else { lattice_sum(SPARSE_STEP * f64::from(i), 1.0) });
        Self { all, sparse: sparse.collect() }
    }

    /// Returns the points of [`Mixtures::sparse_sum`], [`SPARSE_STEP`] apart.
    pub fn sparse_sums(&self) -> &[f64] {
        &self.sparse
    }

    /// Returns the sum `V W` at the particles of a lattice of `volume` V per particle [r^3]: about 1 where they are close, and more where
    /// they are so far apart that each is most of the sum around it, as particles of a fluid in pores are.
    pub fn sparse_sum(&self, volume: f64) -> f64 {
        let Some(last) = self.sparse.len().checked_sub(2) else { return 1.0 };
        let at = (volume / SPARSE_STEP).max(0.0);
        let i = (at as usize).min(last);
        self.sparse[i] + (at - i as f64) * (self.sparse[i + 1] - self.sparse[i])
    }

    /// Returns true if no fluid seeps into anything.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns all mixtures, in the order of the scene.
    pub fn all(&self) -> &[Pores] {
        &self.all
    }

    /// Returns the mixture of a fluid's material with that of grains.
    pub fn find(&self, fluid: u32, grains: u32) -> Option<&Pores> {
        self.all.iter().find(|pores| pores.fluid == fluid && pores.grains == grains)
    }

    /// Returns a warning for every body of a fluid whose particles are so far apart in pores that they hardly see each other.
    pub(crate) fn warnings(&self, scene: &Scene) -> Vec<Warning> {
        let radius = scene.solver.kernel_radius;
        let mut found = Vec::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            let of = self.all.iter().filter(|pores| pores.fluid as usize == body.material);
            let Some(porosity) = of.map(|pores| 1.0 - pores.solid).reduce(f64::min) else { continue };
            let spacing = body.sampling.spacing();
            let most = (SPARSE_FROM * porosity).cbrt() * radius;
            if spacing > most {
                let message = format!(
                    "body `{}`: in pores its particles are {:.2} kernel radii apart, and it seeps too slowly",
                    body.name,
                    spacing / porosity.cbrt() / radius
                );
                let help =
                    format!("a spacing of {most:.3e} m in this body, or a larger `solver.kernel_radius`");
                found.push(scene.warning(Diagnosed::Body(index), message, "this body", help));
            }
        }
        found
    }

    /// Returns true if a material is part of a mixture.
    pub(crate) fn has(&self, material: u32) -> bool {
        self.all.iter().any(|pores| pores.fluid == material || pores.grains == material)
    }

    /// Takes from fluids that start among grains the volume that these fill. `radius` is that of the kernel [m]. Returns the number of
    /// particles that start in pores, and the mean part of their volume that is left.
    pub(crate) fn fill(&self, particles: &mut Particles, radius: f64) -> Option<(usize, f64)> {
        if self.is_empty() {
            return None;
        }
        let near = Near::new(radius, &particles.position);
        let (material, volume) = (&particles.material, &particles.rest_volume);
        let taken = |p: usize| -> f64 {
            let [bed, solid] = self.all.iter().filter(|pores| pores.fluid == material[p]).fold(
                [0.0; 2],
                |[bed, solid], pores| {
                    let sum = near.sum(radius, volume, p, |b| material[b] == pores.grains);
                    [bed + sum, solid + pores.solid * sum]
                },
            );
            if bed == 0.0 {
                return 0.0;
            }
            // The fluid itself fills what walls leave of the kernel.
            let free = near.sum(radius, volume, p, |b| material[b] == material[p]).min(1.0);
            presence(bed, free) * solid / bed
        };
        let taken: Vec<f64> = (0..volume.len()).into_par_iter().map(taken).collect();
        let inside: Vec<usize> = (0..volume.len()).filter(|&p| taken[p] > 0.0).collect();
        let mut left = volume.clone();
        for &p in &inside {
            left[p] *= 1.0 - taken[p];
        }
        let part: f64 = inside.iter().map(|&p| left[p] / volume[p]).sum();
        particles.rest_volume = left;
        (!inside.is_empty()).then(|| (inside.len(), part / inside.len() as f64))
    }
}

fn resolve(
    scene: &Scene,
    index: usize,
    mixture: &Mixture,
    [fluid, grains]: [&Model; 2],
) -> Result<Pores, SceneError> {
    let name = |material: usize| &scene.materials[material].name;
    let refuse =
        |message: String, label: &str| Err(scene.refuse(Diagnosed::Mixture(index), message, label, None));
    if !fluid.is_fluid() {
        let message = format!("`mixture.fluid` = \"{}\" is no fluid", name(mixture.fluid));
        return refuse(message, "a material with `model = \"fluid\"`");
    }
    if grains.is_fluid() {
        let message =
            format!("`mixture.grains` = \"{}\" is a fluid, which has no pores", name(mixture.grains));
        return refuse(message, "a material of grains, e.g. with `model = \"drucker_prager\"`");
    }
    let word = grains.descriptor().states.iter().position(|word| word.name == WETTING);
    if word.is_none() && !mixture.cohesion.is_empty() {
        let message = format!(
            "`mixture.cohesion`: model `{}` of \"{}\" takes no cohesion from a fluid",
            grains.descriptor().id,
            name(mixture.grains)
        );
        return refuse(
            message,
            "models with a state word `wetting` do, such as drucker_prager; or leave `cohesion` out",
        );
    }
    let viscosity = fluid.descriptor().parameter_index(VISCOSITY);
    let Some(viscosity) = viscosity.map(|at| scene.materials[mixture.fluid].parameters[at]) else {
        let message = format!(
            "model `{}` of \"{}\" has no `viscosity`, which the drag needs",
            fluid.descriptor().id,
            name(mixture.fluid)
        );
        return refuse(message, "a fluid whose model has one");
    };
    let eta = viscosity * scene.materials[mixture.fluid].density;
    Ok(Pores {
        fluid: mixture.fluid as u32,
        grains: mixture.grains as u32,
        solid: 1.0 - mixture.porosity,
        drag: mixture.porosity * eta / mixture.permeability(),
        cohesion: mixture.cohesion.clone(),
        word: word.unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn pores() -> Pores {
        Pores { fluid: 0, grains: 1, solid: 0.6, drag: 1.0, cohesion: Vec::new(), word: 0 }
    }

    #[test]
    fn sums_over_sparse_particles_are_those_of_lattices() {
        let mixtures = Mixtures::from(vec![pores()]);
        for volume in [0.5, 1.2, 2.6, 4.0, 11.0, 40.0] {
            let exact = lattice_sum(volume, 1.0);
            assert!((mixtures.sparse_sum(volume) / exact - 1.0).abs() < 0.01, "{volume}");
        }
        assert_eq!(Mixtures::default().sparse_sum(3.0), 1.0);
    }

    /// Two lattices in one box; the second fills its lower half.
    #[test]
    fn a_fluid_among_grains_has_the_volume_of_their_pores() {
        let mut particles = Particles::default();
        let (spacing, count) = (0.1, 16);
        for (material, height, shift) in [(0, count, 0.0), (1, count / 2, 0.03)] {
            for i in 0..count * count * height {
                let place =
                    DVec3::new((i % count) as f64, (i / count / count) as f64, (i / count % count) as f64);
                particles.position.push(spacing * place + shift);
                particles.rest_volume.push(spacing * spacing * spacing);
                particles.material.push(material);
            }
        }
        let mixtures = Mixtures::from(vec![pores()]);
        let (inside, part) = mixtures.fill(&mut particles, spacing).unwrap();
        assert_eq!(inside, (count * count * (count / 2 + 1)) as usize);
        assert!((0.4..0.6).contains(&part), "{part}");
        let at = |x: u32, y: u32, z: u32| {
            particles.rest_volume[(y * count * count + z * count + x) as usize] / 1e-3
        };
        assert!((at(8, 3, 8) - 0.4).abs() < 0.02, "{}", at(8, 3, 8));
        assert!((at(8, 14, 8) - 1.0).abs() < 1e-9, "{}", at(8, 14, 8));
        let grains = &particles.rest_volume[(count * count * count) as usize..];
        assert!(grains.iter().all(|volume| *volume == spacing * spacing * spacing));
    }
}
