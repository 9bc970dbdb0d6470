//! Preview pictures, drawn on the CPU: the same frame gives the same picture on every machine.
//!
//! Particles are spheres in a depth buffer ([`splat`]), lit by a sun with shadows and a sky with soft
//! occlusion ([`light`]); planes are a ground with a grid, containers are glass, other colliders solid
//! ([`surface`]). Every pixel averages 2 x 2 samples.

mod color;
mod frame_fit;
mod light;
mod picture;
mod shade;
mod splat;
mod surface;
mod view;

use glam::Vec3;
use rayon::prelude::*;
use tuff_material_sdk::descriptor::Descriptor;
use tuff_problem::Frame;
use tuff_scene::Particles;
use tuff_scene::{Collider, FrameAttribute, Preview, Scene, Up};

use crate::error::OutputError;
use crate::ply::state_words;
use color::Coloring;
use light::{Light, Sky};
use shade::Shader;
use splat::{NO_PARTICLE, Splats};
use surface::Rows;
use view::View;

pub use picture::Picture;

/// Samples per pixel along each axis.
const SAMPLES: usize = 2;
/// Radius of a drawn particle over the cube root of its rest volume: lattices show no gaps.
const DRAWN_RADIUS: f64 = 0.56;

/// Draws the frames of one run.
pub struct Renderer {
    view: View,
    up: Vec3,
    colliders: Vec<Collider>,
    resting: Rows,
    radius: Vec<f32>,
    body: Vec<u32>,
    coloring: Coloring,
    reach: f32,
}

impl Renderer {
    /// A renderer for the frames of `scene`, whose `particles` are at their initial positions;
    /// `models[m]` describes the model of material `m`.
    ///
    /// # Errors
    /// [`OutputError::UnknownState`] when pictures are coloured by a state word that no material
    /// exports.
    pub fn new(
        scene: &Scene,
        preview: &Preview,
        particles: &Particles,
        models: &[&Descriptor],
    ) -> Result<Self, OutputError> {
        let size = [preview.width as usize * SAMPLES, preview.height as usize * SAMPLES];
        let up = match scene.up {
            Up::Y => glam::DVec3::Y,
            Up::Z => glam::DVec3::Z,
        };
        let points = frame_fit::points_of_interest(scene, particles, up);
        let fitted = View::fitted(&points, up, size);
        let view = match preview.camera {
            Some(camera) => View::new(camera.eye, camera.target, camera.fov, up, fitted.origin, size),
            None => fitted,
        };
        let reach = points.iter().map(|&p| view.local(p).length()).fold(1e-6, f32::max);
        let words = match &preview.color_by {
            Some(FrameAttribute::State(name)) => state_words(name, models)?,
            _ => Vec::new(),
        };
        let coloring = Coloring::new(
            preview.color_by.as_ref(),
            words,
            (2.0 * scene.gravity.length() * f64::from(reach)).sqrt().max(1e-3) as f32,
            scene.materials.first().map_or(1.0, |m| m.density as f32),
            particles.position.len(),
        );
        let resting =
            surface::trace(&scene.colliders, |c| surface::is_traced(c) && c.motion.is_static(), &view, 0.0);
        Ok(Self {
            view,
            up: up.as_vec3(),
            colliders: scene.colliders.clone(),
            resting,
            radius: particles.rest_volume.iter().map(|v| (DRAWN_RADIUS * v.cbrt()) as f32).collect(),
            body: particles.body.clone(),
            coloring,
            reach,
        })
    }

    /// Draws a frame.
    pub fn render(&mut self, frame: &Frame) -> Picture {
        self.coloring.see(frame);
        let view = &self.view;
        let position: Vec<Vec3> = frame.position.par_iter().map(|&p| view.local(p.into())).collect();
        let splats = Splats::draw(view, &position, &self.radius);
        let sun = (0.9 * self.up - 0.55 * view.right - 0.4 * horizontal(view.forward, self.up)).normalize();
        let light = Light::new(&position, &self.radius, 3.0 * self.reach, self.up, sun);

        let mut seen = vec![false; position.len()];
        for &id in splats.particle.iter().filter(|&&id| id != NO_PARTICLE) {
            seen[id as usize] = true;
        }
        let lit: Vec<(Vec3, f32, Sky)> = (0..position.len())
            .into_par_iter()
            .map(|i| {
                if !seen[i] {
                    return (Vec3::ZERO, 0.0, Sky::default());
                }
                let albedo = self.coloring.albedo(frame, i, self.body.get(i).copied().unwrap_or(0));
                (albedo, light.sun(position[i]), light.sky(position[i]))
            })
            .collect();

        let moving = surface::trace(
            &self.colliders,
            |c| surface::is_traced(c) && !c.motion.is_static(),
            view,
            frame.time,
        );
        let planes = surface::planes(&self.colliders, view, frame.time);
        let shader = Shader::new(view, &light, self.up, self.reach, planes);
        let width = view.size[0] / SAMPLES;
        let mut rgb = vec![0; width * (view.size[1] / SAMPLES) * 3];
        rgb.par_chunks_mut(3 * width).enumerate().for_each(|(line, rgb)| {
            let mut sum = vec![Vec3::ZERO; width];
            for y in SAMPLES * line..SAMPLES * (line + 1) {
                let mut hits = [self.resting[y].as_slice(), moving[y].as_slice()];
                for x in 0..view.size[0] {
                    let here = hits.each_mut().map(|hits| take_column(hits, x as u32));
                    let pixel = y * view.size[0] + x;
                    let id = splats.particle[pixel];
                    let particle = (id != NO_PARTICLE).then(|| {
                        let (albedo, sun, sky) = lit[id as usize];
                        let normal = splats.normal(view, id, x, y);
                        (splats.depth[pixel], shader.particle(albedo, normal, sun, sky))
                    });
                    let sample = y % SAMPLES * SAMPLES + x % SAMPLES;
                    sum[x / SAMPLES] += shader.sample(view.ray(x, y), sample, particle, here);
                }
            }
            for (pixel, sum) in std::iter::zip(rgb.chunks_exact_mut(3), sum) {
                pixel.copy_from_slice(&color::encode(sum / (SAMPLES * SAMPLES) as f32));
            }
        });
        Picture { width: width as u32, height: (view.size[1] / SAMPLES) as u32, rgb }
    }
}

/// The hits of column `x`, taken off the front of a row in column order.
fn take_column<'a>(hits: &mut &'a [surface::Hit], x: u32) -> &'a [surface::Hit] {
    let count = hits.iter().take_while(|h| h.x == x).count();
    let (here, rest) = hits.split_at(count);
    *hits = rest;
    here
}

/// The part of `direction` at right angles to `up`, of unit length.
fn horizontal(direction: Vec3, up: Vec3) -> Vec3 {
    (direction - up * direction.dot(up)).normalize_or_zero()
}
