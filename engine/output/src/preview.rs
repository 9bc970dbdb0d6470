//! Preview pictures, drawn on the CPU: the same frame gives the same picture on every machine.
//!
//! Particles are spheres in a depth buffer ([`splat`]), cloth is triangles ([`sheet`]), lit by a sun with shadows and a sky with soft
//! occlusion ([`light`]). Planes are a ground with a grid, containers are glass, and other colliders are solid, but faded where they hide
//! much of the matter ([`surface`]). Every pixel averages 2 x 2 samples.

mod canvas;
mod color;
mod frame_fit;
mod key;
mod light;
mod picture;
mod shade;
mod sheet;
mod splat;
mod surface;
mod view;

use std::borrow::Cow;
use std::ops::Range;

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use tuff_material_sdk::descriptor::Descriptor;
use tuff_problem::Frame;
use tuff_scene::Particles;
use tuff_scene::{BodyKind, Collider, FrameAttribute, Motion, Preview, Scene, Up};

use crate::columns::state_words;
use crate::error::OutputError;
use color::Coloring;
use key::Labels;
use light::{Light, Sky};
use shade::Shader;
use splat::{NO_PARTICLE, Splats};
use surface::Rows;
use view::View;

pub use picture::Picture;

/// Samples per pixel along each axis.
const SAMPLES: usize = 2;
/// Maximum number of samples drawn at once: their depths, and the colliders behind each, take up to about 100 bytes per sample.
const BAND_SAMPLES: usize = 1 << 24;
/// Maximum number of samples along an edge of the overview in which colliders that hide matter are detected, if a picture is
/// drawn in bands.
const OVERVIEW: usize = 2048;
/// Radius of a drawn particle relative to the cube root of its rest volume; lattices show no gaps.
const DRAWN_RADIUS: f64 = 0.6;

/// Returns the radius of a drawn particle of this rest volume [m^3].
fn drawn_radius(rest_volume: f64) -> f32 {
    (DRAWN_RADIUS * rest_volume.cbrt()) as f32
}

/// Returns the least radius of the particles of each body as they cast shadows [m]: those of cloth have no gaps. Shape [body_count].
fn closed_radii(scene: &Scene) -> Vec<f32> {
    let of = |body: &tuff_scene::Body| match &body.kind {
        BodyKind::Cloth(cloth) => (DRAWN_RADIUS * cloth.spacing) as f32,
        BodyKind::Matter | BodyKind::Total { .. } | BodyKind::Emitted | BodyKind::Rope(_) => 0.0,
    };
    scene.bodies.iter().map(of).collect()
}

/// Draws the frames of one run.
pub struct Renderer {
    view: View,
    up: Vec3,
    /// Colliders, then rigid bodies where they start.
    colliders: Vec<Collider>,
    /// Index of the first rigid body among them.
    first_rigid: usize,
    /// Lines of samples drawn at once.
    bands: Vec<Range<usize>>,
    /// Colliders at rest, if all lines are drawn at once.
    resting: Option<Rows>,
    casters: Vec<(usize, Vec<(DVec3, f32)>)>,
    rigid_casters: Vec<Vec<(DVec3, f32)>>,
    radius: Vec<f32>,
    /// Least radius of the particles of each body that cast a shadow [m].
    closed: Vec<f32>,
    /// Cloth, as triangles.
    sheets: Vec<sheet::Mesh>,
    body: Vec<u32>,
    coloring: Coloring,
    labels: Labels,
    reach: f32,
}

impl Renderer {
    /// Creates a renderer for the frames of `scene`, whose `particles` are at their initial positions; `models[m]` describes the
    /// model of material `m`. If `preview` names no camera, the camera shows the matter and the path that it is expected to take.
    ///
    /// # Errors
    /// [`OutputError::UnknownState`] if pictures are colored by a state word that no material exports.
    pub fn new(
        scene: &Scene,
        preview: &Preview,
        particles: &Particles,
        models: &[&Descriptor],
    ) -> Result<Self, OutputError> {
        let expected = frame_fit::expected(scene, particles, up(scene));
        Self::showing(scene, preview, particles, models, expected)
    }

    /// Like [`Renderer::new`], with a camera that shows the points `matter` [m] if `preview` names none.
    ///
    /// # Errors
    /// Those of [`Renderer::new`].
    pub fn showing(
        scene: &Scene,
        preview: &Preview,
        particles: &Particles,
        models: &[&Descriptor],
        matter: Vec<DVec3>,
    ) -> Result<Self, OutputError> {
        let size = [preview.width as usize * SAMPLES, preview.height as usize * SAMPLES];
        let up = up(scene);
        let points = frame_fit::with_colliders(scene, matter);
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
            (2.0 * scene.gravity.length() * f64::from(reach)).sqrt() as f32,
            scene.materials.first().map_or(1.0, |m| m.density as f32),
            particles.position.len(),
        );
        let bands = bands(&view);
        let first_rigid = scene.colliders.len();
        let obstacles = scene.obstacles();
        let resting = (bands.len() == 1).then(|| trace_resting(&obstacles[..first_rigid], &view));
        let closed = closed_radii(scene);
        let radius = std::iter::zip(&particles.rest_volume, &particles.body)
            .map(|(&volume, &body)| {
                drawn_radius(volume).max(closed.get(body as usize).copied().unwrap_or(0.0))
            })
            .collect();
        let stiff = obstacles[..first_rigid].iter().enumerate().filter(|(_, c)| c.deformation().is_none());
        let casters = stiff.map(|(i, c)| (i, surface::casters(c)));
        Ok(Self {
            casters: casters.collect(),
            rigid_casters: obstacles[first_rigid..].iter().map(surface::casters).collect(),
            first_rigid,
            view,
            up: up.as_vec3(),
            colliders: obstacles,
            bands,
            resting,
            radius,
            closed,
            sheets: sheet::meshes(scene),
            body: particles.body.clone(),
            coloring,
            labels: Labels {
                materials: scene.materials.iter().map(|material| material.name.clone()).collect(),
                attribute: preview.color_by.as_ref().map_or_else(String::new, |a| title(a, models)),
            },
            reach,
        })
    }

    /// Returns points [m] around the particles of a frame, except a few strays, and around its rigid bodies, for
    /// [`Renderer::showing`].
    pub fn extent(scene: &Scene, frame: &Frame) -> Vec<DVec3> {
        frame_fit::extent(scene, frame)
    }

    /// Returns the fraction of a frame's particles, or of its rigid bodies' centers if that is larger, that lie outside the picture
    /// [dimensionless].
    pub fn cropped(&self, frame: &Frame) -> f64 {
        let [width, height] = self.view.size.map(|n| n as f32);
        let inside = |p: &[f64; 3]| {
            let at = self.view.project(self.view.local((*p).into()));
            at.is_some_and(|at| (0.0..width).contains(&at.x) && (0.0..height).contains(&at.y))
        };
        let out = frame.position.par_iter().filter(|p| !inside(p)).count();
        let bodies = frame.rigid.iter().filter(|body| !inside(&body.center)).count();
        let part = |out: usize, of: usize| out as f64 / of.max(1) as f64;
        part(out, frame.position.len()).max(part(bodies, frame.rigid.len()))
    }

    /// Returns true if pictures are so large that they should be drawn one at a time.
    pub fn in_parts(&self) -> bool {
        self.bands.len() > 1
    }

    /// Draws a frame that follows the frames drawn before.
    pub fn render(&mut self, frame: &Frame) -> Picture {
        self.see(frame);
        self.draw(frame)
    }

    /// Returns true if the range of the colors follows the frames that were [seen](Self::see).
    pub fn follows(&self) -> bool {
        self.coloring.follows()
    }

    /// Widens the range of the colors to the values of a frame, unless it is fixed.
    pub fn see(&mut self, frame: &Frame) {
        self.coloring.see(frame);
    }

    /// Draws a frame with the current range of colors.
    pub fn draw(&self, frame: &Frame) -> Picture {
        let view = &self.view;
        let colliders: Vec<Cow<'_, Collider>> =
            (0..self.colliders.len()).map(|index| self.placed(index, frame)).collect();
        let position: Vec<Vec3> = frame.position.par_iter().map(|&p| view.local(p.into())).collect();
        let radius = self.radii(frame);
        let sun = (0.9 * self.up - 0.55 * view.right - 0.4 * horizontal(view.forward, self.up)).normalize();
        let mut casters: Vec<(Vec3, f32)> =
            std::iter::zip(position.iter().copied(), radius.iter().copied()).collect();
        for (collider, spheres) in &self.casters {
            let pose = self.colliders[*collider].motion.pose(frame.time);
            casters.extend(spheres.iter().map(|&(p, r)| (view.local(pose.apply(p)), r)));
        }
        for (spheres, collider) in std::iter::zip(&self.rigid_casters, &colliders[self.first_rigid..]) {
            let pose = collider.motion.pose(frame.time);
            casters.extend(spheres.iter().map(|&(p, r)| (view.local(pose.apply(p)), r)));
        }
        for collider in colliders[..self.first_rigid].iter().filter(|c| matches!(c, Cow::Owned(_))) {
            let pose = collider.motion.pose(frame.time);
            casters.extend(surface::casters(collider).iter().map(|&(p, r)| (view.local(pose.apply(p)), r)));
        }
        let grain = radius.iter().sum::<f32>() / radius.len().max(1) as f32;
        let light = Light::new(&casters, grain, 3.0 * self.reach, self.up, sun);
        let planes = surface::planes(&self.colliders, view, frame.time);
        // Vertices of cloth cast shadows, but it is the triangles that are seen.
        let whole = |index: &u32| frame.torn.binary_search(index).is_err();
        let bodies = if frame.body.is_empty() { &self.body } else { &frame.body };
        let all = sheet::triangles(&self.sheets, bodies);
        let mut radius = radius.into_owned();
        for corner in all.iter().flatten() {
            radius[*corner as usize] = 0.0;
        }
        let sheets: Vec<[u32; 3]> =
            (0..).zip(all).filter(|(index, _)| whole(index)).map(|(_, corners)| corners).collect();
        let mut shader = Shader::new(view, &light, self.up, self.reach, planes);

        let width = view.size[0] / SAMPLES;
        let mut rgb = vec![0; width * (view.size[1] / SAMPLES) * 3];
        if self.bands.len() > 1 {
            let overview = view.reduced(view.size[0].max(view.size[1]).div_ceil(OVERVIEW));
            let seen = self.see_through(&overview, &colliders, &position, &radius, &sheets, frame.time);
            shader.fade = seen.fade(self.colliders.len());
        }
        for lines in &self.bands {
            let seen = self.see_through(
                &view.band(lines.clone()),
                &colliders,
                &position,
                &radius,
                &sheets,
                frame.time,
            );
            if self.bands.len() == 1 {
                shader.fade = seen.fade(self.colliders.len());
            }
            let part = 3 * width * (lines.start / SAMPLES)..3 * width * (lines.end / SAMPLES);
            self.shade(frame, &position, &seen, &shader, &mut rgb[part]);
        }
        let mut picture = Picture { width: width as u32, height: (view.size[1] / SAMPLES) as u32, rgb };
        key::stamp(&mut picture, &self.coloring, &self.labels);
        picture
    }

    /// Returns a collider or rigid body with shape and place of a frame.
    fn placed(&self, index: usize, frame: &Frame) -> Cow<'_, Collider> {
        let body = index.checked_sub(self.first_rigid).and_then(|body| frame.rigid.get(body));
        match body {
            Some(state) => {
                let motion = Motion::resting(state.pose());
                Cow::Owned(Collider { motion, ..self.colliders[index].clone() })
            }
            None => self.colliders[index].shaped(frame.time),
        }
    }

    /// Returns the radii of a frame's particles as drawn [m].
    fn radii(&self, frame: &Frame) -> Cow<'_, [f32]> {
        if frame.rest_volume.is_empty() {
            return Cow::Borrowed(&self.radius);
        }
        let radius = |(i, &volume): (usize, &f32)| {
            let body = frame.body.get(i).or(self.body.get(i));
            let closed = body.and_then(|&body| self.closed.get(body as usize));
            drawn_radius(f64::from(volume)).max(closed.copied().unwrap_or(0.0))
        };
        Cow::Owned(frame.rest_volume.iter().enumerate().map(radius).collect())
    }

    /// Finds what the samples of a view meet in a frame with particles of these radii at local `position` [m], and `colliders` of these
    /// shapes, at `time` [s].
    fn see_through(
        &self,
        view: &View,
        colliders: &[Cow<'_, Collider>],
        position: &[Vec3],
        radius: &[f32],
        sheets: &[[u32; 3]],
        time: f64,
    ) -> Seen<'_> {
        let moves = |i: usize, c: &Collider| {
            surface::is_traced(c) && (i >= self.first_rigid || !self.colliders[i].is_static())
        };
        Seen {
            splats: Splats::draw(view, position, radius, sheets),
            resting: match &self.resting {
                Some(rows) => Cow::Borrowed(rows),
                None => Cow::Owned(trace_resting(&self.colliders[..self.first_rigid], view)),
            },
            moving: surface::trace(colliders, moves, view, time),
            view: view.clone(),
        }
    }

    /// Colors the pixels `rgb` of the lines in `seen`.
    fn shade(&self, frame: &Frame, position: &[Vec3], seen: &Seen<'_>, shader: &Shader<'_>, rgb: &mut [u8]) {
        let Seen { view, splats, resting, moving } = seen;
        let mut drawn = vec![false; position.len()];
        for &id in splats.particle.iter().filter(|&&id| id != NO_PARTICLE) {
            drawn[id as usize] = true;
        }
        let lit: Vec<(Vec3, f32, Sky)> = (0..position.len())
            .into_par_iter()
            .map(|i| {
                if !drawn[i] {
                    return (Vec3::ZERO, 0.0, Sky::default());
                }
                let albedo = self.coloring.albedo(
                    frame,
                    i,
                    frame.body.get(i).or(self.body.get(i)).copied().unwrap_or(0),
                );
                (albedo, shader.light.sun(position[i]), shader.light.sky(position[i]))
            })
            .collect();
        let width = view.size[0] / SAMPLES;
        rgb.par_chunks_mut(3 * width).enumerate().for_each(|(line, rgb)| {
            let mut sum = vec![Vec3::ZERO; width];
            for row in 0..SAMPLES {
                let y = SAMPLES * line + row;
                let mut hits = [resting[y].as_slice(), moving[y].as_slice()];
                for x in 0..view.size[0] {
                    let here = hits.each_mut().map(|hits| take_column(hits, x as u32));
                    let pixel = y * view.size[0] + x;
                    let id = splats.particle[pixel];
                    let sample = row * SAMPLES + x % SAMPLES;
                    let particle = (id != NO_PARTICLE).then(|| {
                        let (albedo, sun, sky) = lit[id as usize];
                        if let Some(cloth) = splats.cloth(pixel) {
                            let point = view.eye + view.ray(x, y) * cloth.depth;
                            let radius = self.radius.get(id as usize).copied().unwrap_or(0.0);
                            return (cloth.depth, shader.cloth(albedo, point, cloth.normal, radius, sample));
                        }
                        let normal = splats.normal(view, id, x, y);
                        (splats.depth[pixel], shader.particle(albedo, normal, sun, sky))
                    });
                    sum[x / SAMPLES] += shader.sample(view.ray(x, y), sample, particle, here);
                }
            }
            for (pixel, sum) in std::iter::zip(rgb.chunks_exact_mut(3), sum) {
                pixel.copy_from_slice(&color::encode(sum / (SAMPLES * SAMPLES) as f32));
            }
        });
    }
}

/// Surfaces that the samples of a view meet.
struct Seen<'a> {
    view: View,
    splats: Splats,
    resting: Cow<'a, Rows>,
    moving: Rows,
}

impl Seen<'_> {
    /// Returns how far each of `count` colliders is faded.
    fn fade(&self, count: usize) -> Vec<f32> {
        surface::fading(count, &self.splats.depth, self.view.size[0], [&self.resting, &self.moving])
    }
}

/// Returns the ranges of sample lines that are drawn at once, each of whole pixels.
fn bands(view: &View) -> Vec<Range<usize>> {
    let lines = (BAND_SAMPLES / view.size[0] / SAMPLES * SAMPLES).max(SAMPLES);
    (0..view.size[1]).step_by(lines).map(|first| first..(first + lines).min(view.size[1])).collect()
}

fn trace_resting(colliders: &[Collider], view: &View) -> Rows {
    surface::trace(colliders, |_, c| surface::is_traced(c) && c.is_static(), view, 0.0)
}

fn up(scene: &Scene) -> DVec3 {
    match scene.up {
        Up::Y => DVec3::Y,
        Up::Z => DVec3::Z,
    }
}

/// Returns an attribute's title with its unit.
fn title(attribute: &FrameAttribute, models: &[&Descriptor]) -> String {
    match attribute {
        FrameAttribute::Velocity => "speed [m/s]".to_owned(),
        FrameAttribute::VolumeRatio => "volume ratio J".to_owned(),
        FrameAttribute::Packing => "packing, 1 at rest".to_owned(),
        FrameAttribute::VonMises => "von Mises stress [Pa]".to_owned(),
        FrameAttribute::State(name) => {
            let word = models.iter().flat_map(|model| &model.states).find(|state| state.name == *name);
            match word.map(|word| word.unit.as_str()).filter(|unit| !["", "1", "-"].contains(unit)) {
                Some(unit) => format!("{name} [{unit}]"),
                None => name.clone(),
            }
        }
        known => match known.row().map_or("", |row| row.unit) {
            "" => known.name().to_owned(),
            unit => format!("{} [{unit}]", known.name()),
        },
    }
}

/// Takes the hits of column `x` off the front of a row in column order.
fn take_column<'a>(hits: &mut &'a [surface::Hit], x: u32) -> &'a [surface::Hit] {
    let count = hits.iter().take_while(|h| h.x == x).count();
    let (here, rest) = hits.split_at(count);
    *hits = rest;
    here
}

/// Returns the part of `direction` at right angles to `up`, of unit length.
fn horizontal(direction: Vec3, up: Vec3) -> Vec3 {
    (direction - up * direction.dot(up)).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use tuff_scene::{
        Bounds, Friction, Geometry, Given, Gradient, Matter, Motion, Multiplier, Output, Plasticity,
        PositionCorrection, Scheme, Shape, Smoothing, SolverSettings, Source, Time,
    };

    use super::*;

    /// A cube of 10 x 10 x 10 particles on a floor, with a ball beside it.
    fn scene() -> (Scene, Particles) {
        let collider = |name: &str, shape: Shape| Collider {
            name: name.to_owned(),
            shape,
            inside: false,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            friction: Friction::Coulomb(0.5),
            motion: Motion::IDENTITY,
        };
        let scene = Scene {
            name: "cube".to_owned(),
            file: "cube.toml".into(),
            up: Up::Y,
            gravity: -9.81 * DVec3::Y,
            time: Time {
                frame_rate: 24.0,
                first_frame: 1,
                last_frame: 2,
                max_substep: 1e-3,
                substep_bounds: None,
            },
            solver: SolverSettings {
                kernel_radius: 0.1,
                matter: Matter::Continuum,
                iterations: 1,
                scheme: Scheme::GaussSeidel,
                plasticity: Plasticity::Implicit,
                gradient: Gradient::Kirchhoff,
                multiplier: Multiplier::Scalar,
                kernel_correction: true,
                residual_tolerance: 0.0,
                smoothing: Smoothing::Xsph(0.0),
                stabilization: 2.0,
                position_correction: PositionCorrection::None,
                given: Given::default(),
            },
            materials: Vec::new(),
            bodies: Vec::new(),
            emitters: Vec::new(),
            sinks: Vec::new(),
            mixtures: Vec::new(),
            rigid: Vec::new(),
            colliders: vec![
                collider("floor", Shape::plane(DVec3::ZERO, DVec3::Y)),
                collider("ball", Shape::new(Geometry::Sphere { radius: 0.3 }, DVec3::new(-1.0, 0.3, 0.0))),
            ],
            pins: Vec::new(),
            output: Output {
                particles: Vec::new(),
                attributes: Vec::new(),
                preview: None,
                checkpoint: Default::default(),
            },
            source: Source::default(),
        };
        let mut particles = Particles::default();
        for i in 0..1000 {
            let cell = DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64);
            particles.position.push((cell + 0.5) * 0.1 - DVec3::new(0.5, 0.0, 0.5));
            particles.rest_volume.push(1e-3);
            particles.body.push(0);
        }
        (scene, particles)
    }

    fn frame(particles: &Particles) -> Frame {
        let count = particles.position.len();
        Frame {
            index: 1,
            time: 0.0,
            position: particles.position.iter().map(|p| p.to_array()).collect(),
            velocity: vec![[0.0; 3]; count],
            material: vec![0; count],
            volume_ratio: vec![1.0; count],
            density: vec![1.0; count],
            state: vec![[0.0; 4]; count],
            strain: vec![[0.0; 6]; count],
            ..Frame::default()
        }
    }

    fn preview() -> Preview {
        Preview { width: 192, height: 108, camera: None, color_by: None }
    }

    fn pixel(picture: &Picture, x: usize, y: usize) -> [i32; 3] {
        let first = 3 * (y * picture.width as usize + x);
        [0, 1, 2].map(|c| i32::from(picture.rgb[first + c]))
    }

    #[test]
    fn the_same_frame_gives_the_same_picture() {
        let (scene, particles) = scene();
        let draw = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut renderer = Renderer::new(&scene, &preview(), &particles, &[]).unwrap();
            pool.install(|| renderer.render(&frame(&particles)))
        };
        let first = draw(1);
        assert!(first == draw(1) && first == draw(3), "pictures depend on the run or on the threads");
    }

    #[test]
    fn a_picture_in_bands_is_the_same() {
        let (scene, particles) = scene();
        let mut renderer = Renderer::new(&scene, &preview(), &particles, &[]).unwrap();
        assert_eq!(renderer.bands.len(), 1);
        let whole = renderer.render(&frame(&particles));
        (renderer.bands, renderer.resting) = (vec![0..34, 34..100, 100..216], None);
        assert!(whole == renderer.render(&frame(&particles)), "lines are drawn otherwise in bands");
    }

    #[test]
    fn an_overview_shows_the_same_in_fewer_pixels() {
        let (scene, particles) = scene();
        let view = Renderer::new(&scene, &preview(), &particles, &[]).unwrap().view;
        let reduced = view.reduced(3);
        assert_eq!(reduced.size, [128, 72]);
        for p in [Vec3::ZERO, Vec3::new(0.3, 0.2, -0.4)] {
            let (whole, small) = (view.project(p).unwrap(), reduced.project(p).unwrap());
            assert!(
                (whole.x / 3.0 - small.x).abs() < 1e-3 && (whole.y / 3.0 - small.y).abs() < 1e-3,
                "{whole} {small}"
            );
        }
    }

    #[test]
    fn matter_the_ball_their_shadows_and_the_sky_are_where_they_should_be() {
        let (scene, particles) = scene();
        let mut renderer = Renderer::new(&scene, &preview(), &particles, &[]).unwrap();
        let picture = renderer.render(&frame(&particles));
        let view = renderer.view.clone();
        let at = |p: DVec3| {
            let seen = view.project(view.local(p)).unwrap() / SAMPLES as f32;
            pixel(&picture, seen.x as usize, seen.y as usize)
        };
        let sand = at(DVec3::new(0.0, 1.0, 0.0));
        assert!(sand[0] > sand[2] + 50, "the palette's first color is warm: {sand:?}");
        let ball = at(DVec3::new(-1.0, 0.45, 0.25));
        assert!((ball[0] - ball[2]).abs() < 30, "colliders are grey: {ball:?}");
        let sky = pixel(&picture, 3, 3);
        assert!(sky[2] > 200 && sky[2] > sky[0], "{sky:?}");
        // The sun is behind the viewer to the left: shadows fall to the back right.
        let away = 0.4 * horizontal(view.forward, Vec3::Y) + 0.55 * view.right;
        let shadow = at(away.normalize().as_dvec3());
        let ground = at(-1.1 * horizontal(view.forward, Vec3::Y).as_dvec3());
        assert!(ground[1] > shadow[1] + 30, "ground {ground:?}, shadow {shadow:?}");
        assert!((ground[0] - ground[2]).abs() < 30, "the ground is grey: {ground:?}");
    }

    /// A wall between the camera and the matter.
    #[test]
    fn a_wall_does_not_hide_the_matter() {
        let (mut scene, particles) = scene();
        let seen = |scene: &Scene| {
            let mut renderer = Renderer::new(scene, &preview(), &particles, &[]).unwrap();
            let view = renderer.view.clone();
            let at = view.project(view.local(DVec3::new(0.0, 0.5, 0.0))).unwrap() / SAMPLES as f32;
            pixel(&renderer.render(&frame(&particles)), at.x as usize, at.y as usize)
        };
        let open = seen(&scene);
        let wall = Shape::cuboid(DVec3::new(-3.0, 0.0, 0.8), DVec3::new(3.0, 2.0, 0.9));
        scene.colliders[1].shape = wall;
        let behind = seen(&scene);
        assert!(behind[0] > behind[2] + 20, "warm sand {open:?} is {behind:?} behind the wall");
        // A wall hides none, all, or one of three samples with particles.
        let depth = [1.0, 2.0, f32::INFINITY, 4.0];
        let hit = |x, depth| surface::Hit { x, depth, normal: Vec3::Z, collider: 0, glass: false, edge: 0.0 };
        let fade =
            |hits: Vec<surface::Hit>| surface::fading(1, &depth, 4, [&vec![hits], &vec![Vec::new()]])[0];
        assert_eq!(fade(vec![hit(0, 1.5), hit(1, 2.5), hit(2, 0.1)]), 0.0);
        assert_eq!(fade(vec![hit(0, 0.5), hit(1, 1.5), hit(3, 1.0)]), 1.0);
        let some = fade(vec![hit(0, 0.5)]);
        assert!(some > 0.0 && some < 1.0);
    }

    #[test]
    fn a_small_body_fills_the_picture_whatever_is_around_it() {
        let (mut scene, mut particles) = scene();
        scene.colliders.truncate(1);
        for p in &mut particles.position {
            *p = *p * 0.05 + DVec3::new(0.0, 0.05, 0.0);
        }
        // Height of the picture taken up by the body, 0.05 m wide and 0.05 m above the floor.
        let height = |scene: &Scene| {
            let view = Renderer::new(scene, &preview(), &particles, &[]).unwrap().view;
            let seen: Vec<f32> =
                particles.position.iter().map(|&p| view.project(view.local(p)).unwrap().y).collect();
            let low = seen.iter().copied().fold(f32::INFINITY, f32::min);
            let high = seen.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(low > 0.0 && high < view.size[1] as f32);
            (high - low) / view.size[1] as f32
        };
        let alone = height(&scene);
        assert!(alone > 0.3, "only {alone} of the picture's height");
        let room = Shape::cuboid(DVec3::new(-0.5, 0.0, -0.5), DVec3::new(0.5, 1.0, 0.5));
        scene.colliders.push(Collider {
            name: "room".to_owned(),
            shape: room,
            inside: true,
            sheet: false,
            thickness: 0.0,
            adhesion: 0.0,
            ..scene.colliders[0].clone()
        });
        assert_eq!(height(&scene), alone);
        // A container that is not much larger is shown as far as it is near.
        scene.colliders[1].shape = Shape::cuboid(DVec3::new(-0.2, 0.0, -0.2), DVec3::new(0.2, 0.3, 0.2));
        let inside = height(&scene);
        assert!(
            inside > 0.2 && inside <= alone,
            "{inside} of the picture's height in a box, {alone} without"
        );
    }

    #[test]
    fn a_camera_shows_where_matter_lands() {
        let (mut scene, mut particles) = scene();
        let seen = |scene: &Scene, particles: &Particles, p: DVec3| {
            let view = Renderer::new(scene, &preview(), particles, &[]).unwrap().view;
            let at = view.project(view.local(p)).unwrap();
            at.x > 0.0 && at.y > 0.0 && at.x < view.size[0] as f32 && at.y < view.size[1] as f32
        };
        for p in &mut particles.position {
            *p += 4.0 * DVec3::Y;
        }
        // It falls 4 m in 0.9 s.
        let landing = DVec3::new(9.0, 0.0, 0.0);
        assert!(!seen(&scene, &particles, landing));
        particles.velocity = vec![DVec3::new(10.0, 0.0, 0.0); particles.position.len()];
        assert!(seen(&scene, &particles, landing));
        // Without a floor, the bottom of a container or a table catches it.
        particles.velocity.clear();
        let bowl = Shape::cuboid(DVec3::new(-2.0, -1.0, -2.0), DVec3::new(2.0, 6.0, 2.0));
        scene.colliders = vec![Collider { shape: bowl, inside: true, ..scene.colliders[0].clone() }];
        assert!(seen(&scene, &particles, DVec3::NEG_Y));
        scene.colliders[0].inside = false;
        scene.colliders[0].shape = Shape::cuboid(DVec3::new(-2.0, -3.0, -2.0), DVec3::new(2.0, -1.0, 2.0));
        assert!(seen(&scene, &particles, DVec3::NEG_Y));
        scene.colliders.clear();
        assert!(!seen(&scene, &particles, DVec3::NEG_Y));
    }

    /// Matter that went where nobody expected it.
    #[test]
    fn a_camera_shows_what_is_on_disk_and_strays_are_left_out() {
        let (scene, particles) = scene();
        let mut gone = frame(&particles);
        for p in &mut gone.position {
            p[0] += 40.0;
        }
        let expecting = Renderer::new(&scene, &preview(), &particles, &[]).unwrap();
        assert_eq!((expecting.cropped(&frame(&particles)), expecting.cropped(&gone)), (0.0, 1.0));
        gone.position[7][1] = 1e6;
        let points = [Renderer::extent(&scene, &frame(&particles)), Renderer::extent(&scene, &gone)].concat();
        let showing = Renderer::showing(&scene, &preview(), &particles, &[], points).unwrap();
        assert_eq!((showing.cropped(&frame(&particles)), showing.cropped(&gone)), (0.0, 1e-3));
        let mut nowhere = frame(&particles);
        nowhere.position.fill([f64::NAN; 3]);
        assert!(Renderer::extent(&scene, &nowhere).is_empty());
    }

    /// Each face of a wall that stands alone gets the same sun and sky all over.
    #[test]
    fn a_wall_does_not_shade_itself() {
        let (scene, _) = scene();
        let half = DVec3::new(0.05, 0.4, 0.4);
        let wall = Collider { shape: Shape::cuboid(-half, half), ..scene.colliders[1].clone() };
        let casters: Vec<(Vec3, f32)> =
            surface::casters(&wall).iter().map(|&(p, r)| (p.as_vec3(), r)).collect();
        let sun = Vec3::new(0.6, 0.7, 0.4).normalize();
        let light = Light::new(&casters, 0.005, 3.0, Vec3::Y, sun);
        for axis in 0..3 {
            let normal = Vec3::AXES[axis];
            let mut sky = [f32::INFINITY, f32::NEG_INFINITY];
            for i in 0..2500 {
                let mut at = [0.0; 3];
                at[axis] = 1.0;
                at[(axis + 1) % 3] = 0.032 * (i % 50) as f32 - 0.8;
                at[(axis + 2) % 3] = 0.032 * (i / 50) as f32 - 0.8;
                let point = Vec3::from(at) * half.as_vec3();
                assert_eq!(light.sun_on_solid(point, normal, i), 1.0, "at {point}");
                let seen = light.sky_on_solid(point, normal);
                sky = [sky[0].min(seen), sky[1].max(seen)];
            }
            assert!(sky[1] - sky[0] < 1e-3, "face {axis}: {sky:?}");
        }
    }

    #[test]
    fn a_solid_is_filled_with_casters_that_stay_inside() {
        let (scene, _) = scene();
        let ball = &scene.colliders[1];
        let casters = surface::casters(ball);
        let outermost = |&(p, r): &(DVec3, f32)| ball.shape.signed_distance(p) + f64::from(r);
        assert!(casters.iter().map(outermost).fold(f64::NEG_INFINITY, f64::max) < 1e-6);
        let bounds = Bounds::of(casters.iter().map(|c| c.0));
        assert!(bounds.size().min_element() > 0.5, "{}", bounds.size());
        assert!(surface::casters(&scene.colliders[0]).is_empty());
    }

    #[test]
    fn frames_that_went_wrong_are_still_drawn() {
        let (scene, particles) = scene();
        let mut renderer = Renderer::new(&scene, &preview(), &particles, &[]).unwrap();
        let mut broken = frame(&particles);
        broken.position[3] = [f64::NAN; 3];
        broken.position[4] = [1e300, 0.0, 0.0];
        broken.position[5] = [0.0, -1e9, f64::INFINITY];
        assert_eq!(renderer.render(&broken).rgb.len(), 192 * 108 * 3);
    }
}
