//! Scene to particles.

use glam::DVec3;

use crate::error::{Diagnostic, SceneError, Warning};
use crate::scene::Scene;

/// Particles of a scene in its initial state; a particle's index is its id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Particles {
    /// Positions [m], shape [particle_count].
    pub position: Vec<DVec3>,
    /// Velocities [m/s], shape [particle_count].
    pub velocity: Vec<DVec3>,
    /// Rest volumes [m^3], shape [particle_count].
    pub rest_volume: Vec<f64>,
    /// Indices into [`Scene::materials`], shape [particle_count].
    pub material: Vec<u32>,
    /// Indices into [`Scene::bodies`], ascending, shape [particle_count].
    pub body: Vec<u32>,
    /// Indices into [`Scene::pins`] or `u32::MAX`, shape [particle_count].
    pub pin: Vec<u32>,
}

/// Particles and what is doubtful about them.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The particles.
    pub particles: Particles,
    /// Doubts, e.g. overlapping bodies.
    pub warnings: Vec<Warning>,
}

/// Fills the bodies of a scene. A function of the scene alone: same scene, same particles.
///
/// # Errors
/// A body without particles, or a pin that selects none.
pub fn sample(scene: &Scene) -> Result<Sampled, SceneError> {
    let _ = scene;
    Err(Diagnostic::new("not built").into())
}
