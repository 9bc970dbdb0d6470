//! Particles that come and go: what emitters add.

use glam::DVec3;
use tuff_scene::{Particles, Scene, layer_spacing};

use crate::Problem;

/// What an emitter adds, layer by layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// Index of the emitter's body.
    pub body: u32,
    /// Index of the material.
    pub material: u32,
    /// Positions of a layer when it leaves [m], shape [layer_count].
    pub position: Vec<DVec3>,
    /// Rest volumes [m^3], shape [layer_count].
    pub rest_volume: Vec<f64>,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Time between two layers [s].
    pub period: f64,
    /// Time of the first layer [s].
    pub start: f64,
    /// Number of layers in all; may be that of a run without end.
    pub count: u64,
    /// Smallest distance from other particles at which a particle finds room [m].
    pub room: f64,
}

/// Distance from other particles below which an emitter leaves a particle out [spacings].
const ROOM: f64 = 0.5;

impl Layers {
    /// Takes the emitters' layers from the sampled particles.
    pub(crate) fn of(scene: &Scene, particles: &Particles) -> Vec<Self> {
        let emitters = scene.emitters.iter().map(|emitter| {
            let body = &scene.bodies[emitter.body];
            let rows: Vec<usize> =
                (0..particles.len()).filter(|&p| particles.body[p] as usize == emitter.body).collect();
            let period = layer_spacing(body) / body.velocity.length();
            let in_time = ((emitter.end - emitter.start) / period - 1e-9).ceil().max(0.0);
            let in_number = (emitter.max_particles as usize / rows.len().max(1)) as f64;
            Self {
                body: emitter.body as u32,
                material: body.material as u32,
                position: rows.iter().map(|&p| particles.position[p]).collect(),
                rest_volume: rows.iter().map(|&p| particles.rest_volume[p]).collect(),
                velocity: body.velocity,
                period,
                start: emitter.start,
                count: in_time.min(in_number) as u64,
                room: ROOM * body.sampling.spacing(),
            }
        });
        emitters.collect()
    }

    /// Returns the time at which a layer leaves [s].
    pub fn time(&self, layer: u64) -> f64 {
        self.start + layer as f64 * self.period
    }
}

impl Problem {
    /// Returns true if particles come or go during a run.
    pub fn changes(&self) -> bool {
        !self.scene.emitters.is_empty() || !self.scene.sinks.is_empty()
    }

    /// Replaces the particles.
    pub fn repopulate(&mut self, particles: Particles) {
        let of = |(&material, volume): (&u32, &f64)| self.materials[material as usize].density * volume;
        self.mass = std::iter::zip(&particles.material, &particles.rest_volume).map(of).collect();
        self.particles = particles;
    }

    /// Removes the layers of emitters that begin later from the sampled particles.
    pub(crate) fn without_later_layers(&self) -> Particles {
        let later = |body: u32| self.layers.iter().any(|layers| layers.body == body && layers.start > 0.0);
        let mut left = chosen(&self.particles, |p| !later(self.particles.body[p]));
        left.id = (0..left.len() as u32).collect();
        left
    }

    /// Returns the particles of bodies, and a layer of every emitter: what matter at rest is like.
    pub(crate) fn particles_at_rest(&self) -> Particles {
        let emitted = |body: u32| self.layers.iter().any(|layers| layers.body == body);
        let mut at_rest = chosen(&self.particles, |p| !emitted(self.particles.body[p]));
        for layers in &*self.layers {
            append(&mut at_rest, layers, layers.position.clone(), layers.rest_volume.clone(), 0);
        }
        at_rest
    }
}

/// Returns the particles, by index, that `wanted` names.
pub fn chosen(particles: &Particles, wanted: impl Fn(usize) -> bool) -> Particles {
    let rows: Vec<usize> = (0..particles.len()).filter(|&p| wanted(p)).collect();
    fn pick<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter().map(|&p| values[p]).collect()
    }
    Particles {
        id: pick(&particles.id, &rows),
        position: pick(&particles.position, &rows),
        velocity: pick(&particles.velocity, &rows),
        rest_volume: pick(&particles.rest_volume, &rows),
        material: pick(&particles.material, &rows),
        body: pick(&particles.body, &rows),
        pin: pick(&particles.pin, &rows),
    }
}

/// Appends particles of an emitter at these positions [m] with these rest volumes [m^3], the first with the id `first`.
pub fn append(
    particles: &mut Particles,
    layers: &Layers,
    position: Vec<DVec3>,
    rest_volume: Vec<f64>,
    first: u32,
) {
    let len = particles.len() + position.len();
    particles.id.extend(first..first + position.len() as u32);
    particles.position.extend(position);
    particles.velocity.resize(len, layers.velocity);
    particles.rest_volume.extend(rest_volume);
    particles.material.resize(len, layers.material);
    particles.body.resize(len, layers.body);
    particles.pin.resize(len, u32::MAX);
}
