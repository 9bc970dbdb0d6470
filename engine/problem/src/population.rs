//! Particles that come and go: what emitters add.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use tuff_scene::{Diagnosed, Emitter, Particles, Sampling, Scene, Warning, free, layer_spacing};

use crate::problem::masses;
use crate::{Problem, Total};

/// What an emitter adds, layer by layer. Its shape, filled as a body is, is cut into layers across the velocity. The layers follow each
/// other through the foremost place, again and again: matter leaves the shape at its front.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// Index of the emitter's body.
    pub body: u32,
    /// Index of the material.
    pub material: u32,
    /// Positions of the particles when they leave [m], layer by layer.
    pub position: Vec<DVec3>,
    /// Rest volumes [m^3], in the same order.
    pub rest_volume: Vec<f64>,
    /// Particles of each layer.
    pub layers: Vec<Range<usize>>,
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

/// Distance from other particles below which an emitter leaves a particle out [spacings]: between points of two fillings that overlap
/// there would be twice the matter.
const ROOM: f64 = 0.8;

/// Largest gap that gravity may open between two layers [spacings].
const GAP: f64 = 0.25;

impl Layers {
    /// Takes the emitters' layers from the sampled particles.
    pub(crate) fn of(scene: &Scene, particles: &Particles) -> Vec<Self> {
        scene.emitters.iter().map(|emitter| Self::of_emitter(scene, emitter, particles)).collect()
    }

    fn of_emitter(scene: &Scene, emitter: &Emitter, particles: &Particles) -> Self {
        let body = &scene.bodies[emitter.body];
        let (spacing, speed) = (body.sampling.spacing(), body.velocity.length());
        let along = body.velocity / speed;
        let length = layer_spacing(body);
        // The time in which a layer falls by the largest gap; at high speeds a layer may be thick.
        let period = (2.0 * GAP * spacing / scene.gravity.length()).sqrt();
        let thinnest = (length / spacing + 1e-9).floor().clamp(1.0, MAX_LAYERS);
        let number = (length / (period * speed)).ceil().clamp(1.0, thinnest);
        let front = body.shape.support(along);
        let layer_of = |p: usize| {
            let depth = (front - along.dot(particles.position[p])).clamp(0.0, length);
            ((depth / length * number) as usize).min(number as usize - 1)
        };
        let mut rows: Vec<usize> =
            (0..particles.len()).filter(|&p| particles.body[p] as usize == emitter.body).collect();
        rows.sort_by_key(|&p| layer_of(p));
        let first = |layer: usize| rows.partition_point(|&p| layer_of(p) < layer);
        let layers: Vec<Range<usize>> = (0..number as usize).map(|i| first(i)..first(i + 1)).collect();
        let ahead = length / number * along;
        let period = length / number / speed;
        let in_time = ((emitter.end - emitter.start) / period - 1e-9).ceil().max(0.0) as u64;
        Self {
            body: emitter.body as u32,
            material: body.material as u32,
            position: rows.iter().map(|&p| particles.position[p] + layer_of(p) as f64 * ahead).collect(),
            rest_volume: rows.iter().map(|&p| particles.rest_volume[p]).collect(),
            count: in_time.min(whole_layers(&layers, emitter.max_particles)),
            layers,
            velocity: body.velocity,
            period,
            start: emitter.start,
            room: ROOM * least_distance(&body.sampling),
        }
    }

    /// Returns the time at which a layer leaves [s].
    pub fn time(&self, layer: u64) -> f64 {
        self.start + layer as f64 * self.period
    }

    /// Returns the particles of a layer: indices into positions and volumes.
    pub fn layer(&self, layer: u64) -> Range<usize> {
        self.layers[(layer % self.layers.len() as u64) as usize].clone()
    }

    /// Returns the number of layers that leave until a time [s].
    pub fn left_by(&self, time: f64) -> u64 {
        let count = ((time - self.start) / self.period + 1e-9).floor() + 1.0;
        (count.max(0.0) as u64).min(self.count)
    }

    /// Returns positions [m] and rest volumes [m^3] of those particles of a layer, displaced by `moved` [m], that find room between
    /// others at `occupied` [m] and are not `blocked`.
    pub fn placed(
        &self,
        layer: u64,
        moved: DVec3,
        blocked: impl Fn(DVec3) -> bool,
        occupied: &[DVec3],
    ) -> (Vec<DVec3>, Vec<f64>) {
        let rows = self.layer(layer);
        let position: Vec<DVec3> = self.position[rows.clone()].iter().map(|p| p + moved).collect();
        let room = free(&position, occupied, self.room);
        let all = std::iter::zip(position, self.rest_volume[rows].iter().copied());
        std::iter::zip(all, room)
            .filter_map(|(particle, room)| (room && !blocked(particle.0)).then_some(particle))
            .unzip()
    }

    /// Returns the number of particles of the first `count` layers.
    pub fn particles(&self, count: u64) -> u64 {
        let each = self.layers.len() as u64;
        let rest = (0..count % each).map(|layer| self.layer(layer).len() as u64).sum::<u64>();
        count / each * self.position.len() as u64 + rest
    }
}

/// Returns the least distance between the particles of a body as sampled [m].
fn least_distance(sampling: &Sampling) -> f64 {
    match *sampling {
        Sampling::PoissonDisk { spacing, .. } => spacing,
        Sampling::Lattice { spacing, jitter, .. } => (1.0 - 2.0 * jitter).max(0.0) * spacing,
    }
}

/// Maximum number of layers of a shape.
const MAX_LAYERS: f64 = 1e4;

/// Returns how many layers have at most this many particles in all.
fn whole_layers(layers: &[Range<usize>], most: u64) -> u64 {
    let each: u64 = layers.iter().map(|layer| layer.len() as u64).sum();
    let (rounds, mut left) = (most / each.max(1), most % each.max(1));
    let fits = |layer: &&Range<usize>| {
        let fits = layer.len() as u64 <= left;
        left = left.saturating_sub(layer.len() as u64);
        fits
    };
    rounds * layers.len() as u64 + layers.iter().take_while(fits).count() as u64
}

impl Problem {
    /// Returns true if particles come or go during a run.
    pub fn changes(&self) -> bool {
        !self.scene.emitters.is_empty() || !self.scene.sinks.is_empty()
    }

    /// Replaces the particles. Those of total bodies keep what is left of their neighbors; those of ropes and cloth must all be there.
    pub fn repopulate(&mut self, particles: Particles) {
        self.mass = masses(&self.scene, &self.materials, &particles);
        let is_linked = |body: &u32| !self.scene.bodies[*body as usize].kind.is_matter();
        if let Some(first) = particles.body.iter().position(is_linked) {
            let (first, before) = (first as u32, self.links.first_particle);
            if first != before {
                Arc::make_mut(&mut self.links).begin_at(first);
                Arc::make_mut(&mut self.sheets).move_ids(before, first);
            }
        }
        self.particles = particles;
        self.total = Arc::new(Total::of_scene(&self.scene, &self.classes, &self.particles));
    }

    /// Returns a warning for every emitter that adds nothing during the run.
    pub(crate) fn idle_emitters(&self) -> Vec<Warning> {
        let time = &self.scene.time;
        let end = f64::from(time.last_frame - time.first_frame) / time.frame_rate;
        let idle = self.layers.iter().filter(|layers| layers.particles(layers.left_by(end)) == 0);
        idle.map(|layers| {
            let body = layers.body as usize;
            let message = format!("emitter `{}` adds nothing during the run", self.scene.bodies[body].name);
            let help = format!("the run takes {end} s, and a layer needs room in `max_particles`");
            self.scene.warning(Diagnosed::Body(body), message, "this emitter", help)
        })
        .collect()
    }

    /// Returns the particles of bodies, and of the first layers of emitters that begin with the run those that find room.
    pub(crate) fn particles_at_start(&self) -> Particles {
        let rigid = |p: DVec3| self.scene.rigid.iter().any(|body| body.shape.signed_distance(p) < 0.0);
        let mut start = self.particles_of_bodies();
        for layers in self.layers.iter().filter(|layers| layers.start <= 0.0 && layers.count > 0) {
            let (position, volume) = layers.placed(0, DVec3::ZERO, rigid, &start.position);
            append(&mut start, layers, position, volume, 0);
        }
        start.id = (0..start.len() as u32).collect();
        start
    }

    /// Returns the particles of bodies, and all that the shapes of emitters hold: what matter at rest is like.
    pub fn particles_at_rest(&self) -> Particles {
        let mut at_rest = self.particles_of_bodies();
        for layers in &*self.layers {
            append(&mut at_rest, layers, layers.position.clone(), layers.rest_volume.clone(), 0);
            // Behind each other again.
            let ahead = layers.period * layers.velocity;
            let first = at_rest.len() - layers.position.len();
            for (number, layer) in layers.layers.iter().enumerate() {
                for p in layer.clone() {
                    at_rest.position[first + p] -= number as f64 * ahead;
                }
            }
        }
        at_rest
    }

    fn particles_of_bodies(&self) -> Particles {
        let emitted = |body: u32| self.layers.iter().any(|layers| layers.body == body);
        chosen(&self.particles, |p| !emitted(self.particles.body[p]))
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
