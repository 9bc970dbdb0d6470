//! Sources and sinks of matter.

use glam::DVec3;

use crate::sample::free;
use crate::scene::{Body, Sampling, Scene};
use crate::shape::Shape;

/// A source of matter: its body's shape is filled again and again, and what fills it leaves at its front.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitter {
    /// Index into [`crate::Scene::bodies`] of what it emits: shape, sampling, material and velocity.
    pub body: usize,
    /// Time of the first layer [s].
    pub start: f64,
    /// Time before which the last layer leaves [s]; may be infinite.
    pub end: f64,
    /// Largest number of particles that it emits; only whole layers are.
    pub max_particles: u64,
}

/// A region whose particles leave the run at the end of a frame.
#[derive(Debug, Clone)]
pub struct Sink {
    /// Name, unique among sinks.
    pub name: String,
    /// The region.
    pub shape: Shape,
}

/// Cosine from which a velocity counts as parallel to an axis of a lattice.
const PARALLEL: f64 = 1.0 - 1e-9;

/// Returns the distance between the layers of an emitter's body [m]: its extent along its velocity, on a lattice along an axis in whole
/// cells.
pub fn layer_spacing(body: &Body) -> f64 {
    let along = body.velocity.normalize_or_zero();
    let extent = body.shape.extent(along);
    let local = body.shape.rotation.conjugate() * along;
    match body.sampling {
        Sampling::Lattice { spacing, .. } if local.abs().max_element() > PARALLEL => {
            (extent / spacing).round().max(1.0) * spacing
        }
        _ => extent,
    }
}

impl Scene {
    /// Returns how often a body's shape is filled during a run: once, or as often as its emitter's time and the run allow.
    pub(crate) fn fillings(&self, body: usize) -> f64 {
        let Some(emitter) = self.emitters.iter().find(|emitter| emitter.body == body) else { return 1.0 };
        let frames = f64::from(self.time.last_frame - self.time.first_frame);
        let end = emitter.end.min(frames / self.time.frame_rate);
        let body = &self.bodies[body];
        ((end - emitter.start) * body.velocity.length() / layer_spacing(body)).ceil().max(1.0)
    }
}

/// Removes the points of a body that would be closer than a spacing to the layer behind: random points are spread over a layer without
/// regard to it.
pub(crate) fn thinned(body: &Body, points: Vec<DVec3>) -> Vec<DVec3> {
    let Sampling::PoissonDisk { spacing, .. } = body.sampling else { return points };
    let ahead = layer_spacing(body) * body.velocity.normalize_or_zero();
    let behind: Vec<DVec3> = points.iter().map(|p| p - ahead).collect();
    let kept = free(&points, &behind, spacing);
    std::iter::zip(points, kept).filter_map(|(p, kept)| kept.then_some(p)).collect()
}
