//! Whole runs.

use std::time::Instant;

use glam::DVec3;
use tuff_problem::{
    Control, Counters, Energies, Failure, FailureKind, Frame, FrameReport, Point, Problem, Replacement,
    ResolvedMaterial, Simulation, SimulationError,
};
use tuff_scene::Time;

use super::grid::Grid;
use super::points::Points;
use super::step::{Obstacle, advance};
use crate::context::{Context, Step, materials};
use crate::stages::commit::Refusal;
use crate::symmetric::eigen;
use crate::tensor::voigt;

/// Node spacings that a wave on the fastest particle crosses in a step at most.
const COURANT: f64 = 0.3;

/// Most explicit steps in a substep of the scene.
const MAX_STEPS: f64 = 1e5;

/// A run of the material point method.
///
/// Of the scene it takes bodies, materials, colliders, gravity and time; `solver.*` means nothing to it. A substep of the scene is
/// divided as far as the wave speed asks.
pub struct MpmSimulation {
    context: Context,
    points: Points,
    grid: Grid,
    time: Time,
    frame: u32,
    density: Vec<f64>,
    kept: Option<Box<(Points, u32)>>,
}

impl MpmSimulation {
    /// A simulation at the first frame of its scene. Nodes are two spacings apart, where the spacing is the edge of the largest
    /// rest volume, so that a cell holds 8 particles or more.
    ///
    /// # Errors
    ///
    /// [`SimulationError::Unsupported`] for pins, grains, models of whole tensors, and substeps that are to be found.
    pub fn new(problem: &Problem) -> Result<Self, SimulationError> {
        let refuse = |what: String| Err(SimulationError::Unsupported(format!("mpm: {what}")));
        let context = Context::new(problem);
        if context.grains() {
            return refuse("`solver.matter` = \"grains\" has no stress; use \"continuum\"".to_owned());
        }
        if !context.pins.is_empty() {
            return refuse(
                "pins are not known to this baseline; hold matter with a sticky collider".to_owned(),
            );
        }
        if problem.scene.time.substep_bounds.is_some() {
            return refuse(
                "`time.max_substep` = \"auto\", the default, is not known to this baseline; give it in s, for example --set \
                 time.max_substep=1e-3"
                    .to_owned(),
            );
        }
        check_models(&context, &problem.materials)?;
        let points = Points::new(problem, &context);
        let volume = points.rest_volume.iter().copied().fold(0.0, f64::max);
        let density = problem.materials.iter().map(|m| m.density).collect();
        Ok(Self::with(context, points, 2.0 * volume.cbrt(), problem.scene.time, density))
    }

    /// A simulation of given points on nodes `dx` [m] apart; `density` holds the rest densities of the materials [kg/m^3].
    pub fn with(context: Context, points: Points, dx: f64, time: Time, density: Vec<f64>) -> Self {
        Self { context, points, grid: Grid::new(dx), time, frame: time.first_frame, density, kept: None }
    }

    /// The points, for tests.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The points, for tests.
    pub fn points_mut(&mut self) -> &mut Points {
        &mut self.points
    }

    /// Explicit steps that a substep of length `dt` [s] takes now: `ceil(dt (c + |v|) / (0.3 dx))`, for the fastest particle.
    fn steps(&self, dt: f64) -> Option<u32> {
        let points = &self.points;
        let speed = |p: usize| points.wave_speed(&self.context, p) + points.velocity[p].length();
        let fastest =
            (0..points.count()).map(speed).fold(0.0, |most, v| if v > most || v.is_nan() { v } else { most });
        let steps = (dt * fastest / (COURANT * self.grid.dx)).ceil().max(1.0);
        (steps <= MAX_STEPS).then_some(steps as u32)
    }

    fn substep(
        &mut self,
        whole: Step,
        impulse: &mut [DVec3],
        counters: &mut Counters,
    ) -> Result<u32, (FailureKind, Option<u32>)> {
        let count = self.steps(whole.dt).ok_or((FailureKind::TooManySteps, None))?;
        let dt = whole.dt / f64::from(count);
        for k in 0..count {
            let step = Step { time: whole.time + f64::from(k) * dt, dt };
            let clamped = advance(&self.context, step, &mut self.points, &mut self.grid, impulse);
            counters.stretch_clamped += clamped.map_err(describe)?;
        }
        Ok(count)
    }

    fn energies(&self) -> Energies {
        let points = &self.points;
        let mut energies = Energies::default();
        for p in 0..points.count() {
            let material = &self.context.materials[points.material[p] as usize];
            let hencky = eigen(points.strain[p]).0.to_array().map(|w| 0.5 * w.ln_1p());
            let density = material.law.energy(&material.constants, &points.material_state[p], hencky);
            energies.kinetic += 0.5 * points.mass[p] * points.velocity[p].length_squared();
            energies.elastic += points.rest_volume[p] * density;
            energies.gravity -= points.mass[p] * self.context.gravity.dot(points.position[p]);
        }
        energies
    }

    fn elapsed(&self) -> f64 {
        f64::from(self.frame - self.time.first_frame) / self.time.frame_rate
    }
}

/// Models of whole tensors need a memory that these points do not have.
fn check_models(context: &Context, materials: &[ResolvedMaterial]) -> Result<(), SimulationError> {
    match std::iter::zip(&context.materials, materials).find(|(m, _)| m.law.tensor().is_some()) {
        None => Ok(()),
        Some((_, material)) => Err(SimulationError::Unsupported(format!(
            "mpm: the model of material `{}` works on whole tensors; this baseline takes models of principal values only",
            material.name
        ))),
    }
}

fn describe(obstacle: Obstacle) -> (FailureKind, Option<u32>) {
    match obstacle {
        Obstacle::Particle(Refusal::Folded(id)) => (FailureKind::Inverted, Some(id)),
        Obstacle::Particle(Refusal::NotFinite(id)) => (FailureKind::NotFinite, Some(id)),
        Obstacle::Spread => (FailureKind::Scattered, None),
    }
}

impl Simulation for MpmSimulation {
    fn frame(&mut self) -> Result<Frame, SimulationError> {
        let points = &self.points;
        let density = |p: usize| self.density[points.material[p] as usize] / points.volume_ratio[p];
        Ok(Frame {
            index: self.frame,
            time: self.elapsed(),
            position: points.position.iter().map(|x| x.to_array()).collect(),
            velocity: points.velocity.iter().map(|v| v.as_vec3().to_array()).collect(),
            material: points.material.clone(),
            volume_ratio: points.volume_ratio.iter().map(|&j| j as f32).collect(),
            density: (0..points.count()).map(|p| density(p) as f32).collect(),
            packing: Vec::new(),
            state: points.material_state.iter().map(|s| s.map(|word| word as f32)).collect(),
            strain: points.strain.iter().map(|&e| voigt(e).map(|c| c as f32)).collect(),
        })
    }

    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError> {
        let clock = Instant::now();
        let mut report =
            FrameReport { frame: self.frame + 1, substep: self.time.dt(), ..FrameReport::default() };
        let mut impulse = vec![DVec3::ZERO; self.context.faces.len()];
        let dt = self.time.dt();
        for substep in 0..self.time.substeps_per_frame() {
            if control.is_cancelled() {
                return Err(SimulationError::Interrupted);
            }
            control.reach(f64::from(substep) * dt, report.substeps);
            let step = Step { time: self.elapsed() + f64::from(substep) * dt, dt };
            let done = self.substep(step, &mut impulse, &mut report.counters);
            report.substeps += done.map_err(|(kind, particle)| {
                let (frame, point) = (self.frame + 1, Point::of("mpm"));
                SimulationError::Failed(Box::new(Failure {
                    kind,
                    particle,
                    frame,
                    substep,
                    point,
                    evidence: None,
                }))
            })?;
        }
        self.frame += 1;
        report.energies = self.energies();
        report.collider_impulse = vec![[0.0; 3]; self.context.faces.last().map_or(0, |f| f.collider + 1)];
        for (face, impulse) in std::iter::zip(&self.context.faces, &impulse) {
            let total = &mut report.collider_impulse[face.collider];
            *total = (DVec3::from_array(*total) + *impulse).to_array();
        }
        report.max_speed = self.points.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        report.bound_speed = report.max_speed;
        report.wall_seconds = clock.elapsed().as_secs_f64();
        Ok(report)
    }

    fn keep(&mut self) -> Result<(), SimulationError> {
        self.kept = Some(Box::new((self.points.clone(), self.frame)));
        Ok(())
    }

    fn retry(&mut self) -> Result<[f64; 2], SimulationError> {
        let kept = self.kept.as_ref().ok_or(SimulationError::NothingKept)?;
        (self.points, self.frame) = (**kept).clone();
        let before = self.time.dt();
        self.time = self.time.halved();
        Ok([before, self.time.dt()])
    }

    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError> {
        let context = Context {
            materials: materials(&replacement.models, &replacement.materials),
            ..self.context.clone()
        };
        check_models(&context, &replacement.materials)?;
        self.context = context;
        Ok(())
    }

    fn device_name(&self) -> String {
        format!("mpm (explicit, f64, serial, cells of {:.3e} m)", self.grid.dx)
    }
}
