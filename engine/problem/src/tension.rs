//! Surface tension of fluids: the energy of what particles lack of a full neighborhood (engine/solver/METHOD.md "Surface tension").

use std::f64::consts::PI;
use std::sync::Arc;

use tuff_plugin::Model;
use tuff_scene::{Diagnosed, Particles, Scene, Warning};

use crate::Problem;
use crate::fluid::lattice;
use crate::problem::ResolvedMaterial;

/// Parameter of fluids that gives it.
const SURFACE_TENSION: &str = "surface_tension";

/// Volume per particle [r^3] beyond which particles have too few neighbors for a surface tension.
const SPARSE: f64 = 3.0;

/// Energy of a flat surface, over stiffness and r, of a continuum: `1/2` times the integral of the square of [`lacking_beyond`], 0.0401.
const FLAT: f64 = 2_961_483.0 / 73_902_400.0;

/// Surfaces of particles, which scatter, have this part of that energy; fitted to the period of a swinging drop.
const SCATTERED: f64 = 0.55;

/// Kernel of the neighborhood, `63 / (160 pi r^3) (1 - 15 q^4 + 24 q^5 - 10 q^6)` with q = |d| / 2r. Near its center it is flat, so that
/// particles gain nothing from sticking together.
#[inline]
pub fn surround(distance: f64, radius: f64) -> f64 {
    let q = (0.5 * distance / radius).min(1.0);
    63.0 / (160.0 * PI * radius.powi(3)) * (1.0 - q.powi(4) * (15.0 - q * (24.0 - 10.0 * q)))
}

/// Returns the derivative of [`surround`] without its sign [1/m^4].
#[inline]
pub fn surround_slope(distance: f64, radius: f64) -> f64 {
    let q = (0.5 * distance / radius).min(1.0);
    189.0 / (16.0 * PI * radius.powi(4)) * q.powi(3) * (1.0 - q) * (1.0 - q)
}

/// Returns the fraction of the integral of [`surround`] beyond a plane at the signed `distance` [m] from its center.
#[inline]
pub fn lacking_beyond(distance: f64, radius: f64) -> f64 {
    let u = (1.0 - 0.5 * distance.abs() / radius).max(0.0);
    let part = u.powi(5) * (252.0 - u * (546.0 - u * (486.0 - u * (207.0 - 35.0 * u)))) / 40.0;
    if distance < 0.0 { 1.0 - part } else { part }
}

/// Returns the derivative of [`lacking_beyond`] by the way towards the plane [1/m].
#[inline]
pub fn lacking_slope(distance: f64, radius: f64) -> f64 {
    let t = (0.5 * distance.abs() / radius).min(1.0);
    4.5 / (40.0 * radius) * (1.0 - t).powi(4) * (5.0 + t * (20.0 + t * (36.0 + t * (44.0 + 35.0 * t))))
}

/// Surface tension of a material: the energy `s / 2 sum V_p D_p^2`, where D is what the neighborhood of a particle lacks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cohesion {
    /// Stiffness s [Pa]; 0 if there is none.
    pub stiffness: f64,
    /// Sum `V` times [`surround`] at the particles of a lattice, which lack nothing [dimensionless].
    pub rest_sum: f64,
    /// Longest substep in which its forces, those of the substep's start, do not swing up [s].
    pub longest_step: f64,
}

impl Cohesion {
    /// Returns that of the surface tension `sigma` [N/m] of a fluid of `density` [kg/m^3] and `volume` V per particle [m^3]; `radius` is r
    /// [m], half the support.
    fn of(sigma: f64, density: f64, volume: f64, radius: f64) -> Self {
        let stiffness = sigma / (SCATTERED * FLAT * radius);
        let rest_sum = volume * lattice(volume, radius).map(|d| surround(d, radius)).sum::<f64>();
        // A wave in which neighbors move against each other, along their distance.
        let slopes: f64 = lattice(volume, radius).map(|d| surround_slope(d, radius).powi(2)).sum();
        let rate = 4.0 * stiffness * (volume / rest_sum).powi(2) * slopes / density;
        Self { stiffness, rest_sum, longest_step: rate.sqrt().recip() }
    }
}

/// The surface tension of all materials of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tension {
    /// By material; empty if no material has any.
    all: Vec<Cohesion>,
}

impl Tension {
    /// Finds the fluids that have a surface tension.
    pub(crate) fn of(
        scene: &Scene,
        materials: &[ResolvedMaterial],
        models: &[Arc<Model>],
        particles: &Particles,
    ) -> Self {
        let of_material = |material: usize| {
            let sigma = surface_tension(scene, material, &models[materials[material].model]);
            let own = std::iter::zip(&particles.material, &particles.rest_volume);
            let volumes = own.filter(|(m, _)| **m as usize == material).map(|(_, volume)| *volume);
            let volume = volumes.fold(0.0, f64::max);
            let radius = scene.solver.kernel_radius;
            if sigma == 0.0 || volume == 0.0 || volume > SPARSE * radius.powi(3) {
                return Cohesion::default();
            }
            Cohesion::of(sigma, materials[material].density, volume, radius)
        };
        let all: Vec<Cohesion> = (0..materials.len()).map(of_material).collect();
        if all.iter().all(|cohesion| cohesion.stiffness == 0.0) { Self::default() } else { Self { all } }
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns that of all materials, shape [material_count]; empty if there is none.
    pub fn all(&self) -> &[Cohesion] {
        &self.all
    }

    /// Returns that of a material, if it has any.
    #[inline]
    pub fn get(&self, material: u32) -> Option<&Cohesion> {
        self.all.get(material as usize).filter(|cohesion| cohesion.stiffness > 0.0)
    }

    /// Returns the longest substep that all of it allows [s]; infinite if there is none.
    pub fn longest_step(&self) -> f64 {
        let steps = self.all.iter().filter(|cohesion| cohesion.stiffness > 0.0).map(|c| c.longest_step);
        steps.fold(f64::INFINITY, f64::min)
    }
}

/// Returns the surface tension of a material [N/m].
pub(crate) fn surface_tension(scene: &Scene, material: usize, model: &Model) -> f64 {
    let index = model.descriptor().parameter_index(SURFACE_TENSION).filter(|_| model.is_fluid());
    index.map_or(0.0, |index| scene.materials[material].parameters[index])
}

/// Returns warnings for bodies of too few neighbors, and for steps in which the forces swing up.
pub(crate) fn warnings(problem: &Problem) -> Vec<Warning> {
    let scene = &problem.scene;
    let radius = scene.solver.kernel_radius;
    let mut found = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let model = &problem.models[problem.materials[body.material].model];
        let sigma = surface_tension(scene, body.material, model);
        if sigma == 0.0 {
            continue;
        }
        let spacing = body.sampling.spacing();
        let (key, dt) = scene
            .time
            .substep_bounds
            .map_or(("max_substep", problem.dt()), |[least, _]| ("substep_bounds", least));
        let (message, help) = match problem.tension.get(body.material as u32) {
            None => (
                format!(
                    "body `{}`: its particles, {spacing:.3e} m apart, have too few neighbors for `surface_tension`, which is left out",
                    body.name
                ),
                format!("a spacing of about `solver.kernel_radius` = {radius:e} m"),
            ),
            Some(cohesion) if dt > cohesion.longest_step => (
                format!(
                    "body `{}`: its `surface_tension` = {sigma} N/m swings up in substeps of {dt:.3e} s",
                    body.name
                ),
                format!("`{key}` of {:.2e} or less, or none: the default follows it", cohesion.longest_step),
            ),
            Some(_) => continue,
        };
        found.push(scene.warning(Diagnosed::Body(index), message, "this body", help));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 0.3;

    /// Returns the integral of f between 0 and `end`.
    fn integral(end: f64, f: impl Fn(f64) -> f64) -> f64 {
        let count = 2000;
        let width = end / f64::from(count);
        (0..count).map(|i| f((f64::from(i) + 0.5) * width) * width).sum()
    }

    #[test]
    fn the_kernel_is_normalized_and_has_its_slope() {
        let all = integral(2.0 * RADIUS, |d| 4.0 * PI * d * d * surround(d, RADIUS));
        assert!((all - 1.0).abs() < 1e-5, "{all}");
        assert_eq!(surround(2.0 * RADIUS, RADIUS), 0.0);
        for d in [0.05, 0.3, 0.5] {
            let slope = (surround(d - 1e-6, RADIUS) - surround(d + 1e-6, RADIUS)) / 2e-6;
            assert!((slope / surround_slope(d, RADIUS) - 1.0).abs() < 1e-6, "{d}");
        }
    }

    #[test]
    fn what_lacks_beyond_a_plane_is_the_integral_of_the_kernel() {
        let plane = |z: f64| {
            let most = (4.0 * RADIUS * RADIUS - z * z).max(0.0).sqrt();
            integral(most, |ring| 2.0 * PI * ring * surround(ring.hypot(z), RADIUS))
        };
        for distance in [-0.2, 0.0, 0.15, 0.4] {
            let sum = integral(2.0 * RADIUS - distance, |z| plane(distance + z));
            assert!((sum - lacking_beyond(distance, RADIUS)).abs() < 1e-5, "{distance}: {sum}");
            assert!((plane(distance) - lacking_slope(distance, RADIUS)).abs() < 1e-4, "{distance}");
        }
    }

    #[test]
    fn the_energy_of_a_flat_surface_is_its_tension() {
        let found = Cohesion::of(0.07, 1000.0, 0.02, RADIUS);
        let energy = 0.5 * found.stiffness * integral(2.0 * RADIUS, |z| lacking_beyond(z, RADIUS).powi(2));
        assert!((energy * SCATTERED / 0.07 - 1.0).abs() < 1e-5, "{energy}");
    }
}
