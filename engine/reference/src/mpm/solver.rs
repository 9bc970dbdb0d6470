//! The material point method as a solver.

use glam::DVec3;
use tuff_problem::set_motion;
use tuff_problem::{
    Attempt, Class, Energies, Explanation, FailureKind, Frame, FrameReport, Point, Problem,
    Refusal as Refused, Replacement, ResolvedMaterial, SimulationError, Solver, SolverState, Steps,
};

use super::grid::Grid;
use super::points::Points;
use super::step::{Obstacle, advance};
use tuff_scene::Motion;

use crate::context::{Context, Step, materials};
use crate::solver::rows;
use crate::stages::commit::Refusal;
use crate::symmetric::eigen;
use crate::tensor::voigt;

/// Maximum number of node spacings that a wave on the fastest particle crosses in a step.
const COURANT: f64 = 0.3;

/// Maximum number of explicit steps in a substep of the scene.
const MAX_STEPS: f64 = 1e5;

/// The material point method.
///
/// Uses the scene's bodies, materials, colliders, gravity and time; ignores `solver.*`. Divides each substep of the scene as the
/// wave speed requires.
pub struct MpmSolver {
    context: Context,
    points: Points,
    grid: Grid,
    density: Vec<f64>,
    /// Impulse that each face received since the frame began [N s], shape [face_count].
    impulse: Vec<DVec3>,
}

impl MpmSolver {
    /// Creates a solver for the particles of a problem at its first frame. Nodes are two spacings apart, where the spacing is the
    /// edge of the largest rest volume, so that a cell holds at least 8 particles.
    ///
    /// # Errors
    ///
    /// [`SimulationError::Unsupported`] for ropes, cloth, total bodies, mixtures, surface tension, pins, sheets, adhesion, grains, models of
    /// whole tensors, and adaptive substeps.
    pub fn new(problem: &Problem) -> Result<Self, SimulationError> {
        let refuse = |what: String| Err(SimulationError::Unsupported(format!("mpm: {what}")));
        let context = Context::new(problem);
        if context.grains() {
            return refuse("`solver.matter` = \"grains\" has no stress; use \"continuum\"".to_owned());
        }
        if context.classes.ranges().iter().any(|range| range.class == Class::Total) {
            return refuse(
                "bodies of `kinematics` = \"total\" are not known to this baseline; leave --device out, or use --device reference"
                    .to_owned(),
            );
        }
        if !context.links.is_empty() {
            return refuse(
                "ropes and cloth are not known to this baseline; leave --device out, or use --device reference"
                    .to_owned(),
            );
        }
        if !context.mixtures.is_empty() {
            return refuse(
                "mixtures are not known to this baseline; leave --device out, or use --device reference"
                    .to_owned(),
            );
        }
        if !context.tension.is_empty() {
            return refuse(
                "`surface_tension` is not known to this baseline; leave --device out, or use --device reference"
                    .to_owned(),
            );
        }
        if !context.pins.is_empty() {
            return refuse(
                "pins are not known to this baseline; hold matter with a sticky collider".to_owned(),
            );
        }
        if let Some(rigid) = problem.scene.rigid.first() {
            return refuse(format!(
                "rigid body `{}`: rigid bodies are not known to this baseline; leave --device out, or use --device reference",
                rigid.name
            ));
        }
        if let Some(sheet) = problem.faces.iter().find(|face| face.sheet.is_some()) {
            return refuse(format!(
                "collider `{}` is a sheet (`side` = \"both\", the default for open meshes), whose sides grid nodes do not know; \
                 leave --device out, or use --device reference",
                sheet.surface.name
            ));
        }
        if let Some(collider) = problem.scene.colliders.iter().find(|collider| collider.adhesion > 0.0) {
            return refuse(format!(
                "collider `{}`: `adhesion` is not known to this baseline; leave --device out, or use --device reference",
                collider.name
            ));
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
        let emitted = problem.layers.iter().flat_map(|layers| &layers.rest_volume);
        let volume = points.rest_volume.iter().chain(emitted).copied().fold(0.0, f64::max);
        let density = problem.materials.iter().map(|m| m.density).collect();
        Ok(Self::with(context, points, 2.0 * volume.cbrt(), density))
    }

    /// Creates a solver from given points and nodes `dx` [m] apart; `density` holds the rest densities of the materials [kg/m^3].
    pub fn with(context: Context, points: Points, dx: f64, density: Vec<f64>) -> Self {
        let impulse = vec![DVec3::ZERO; context.faces.len()];
        Self { context, points, grid: Grid::new(dx), density, impulse }
    }

    /// Returns the points, for tests.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Returns the points, for tests.
    pub fn points_mut(&mut self) -> &mut Points {
        &mut self.points
    }

    /// Returns the number of explicit steps that a substep of length `dt` [s] takes now: `ceil(dt (c + |v|) / (0.3 dx))`, for the
    /// fastest particle.
    fn steps(&self, dt: f64) -> Option<u32> {
        let points = &self.points;
        let speed = |p: usize| points.wave_speed(&self.context, p) + points.velocity[p].length();
        let fastest =
            (0..points.count()).map(speed).fold(0.0, |most, v| if v > most || v.is_nan() { v } else { most });
        let steps = (dt * fastest / (COURANT * self.grid.dx)).ceil().max(1.0);
        (steps <= MAX_STEPS).then_some(steps as u32)
    }

    /// Takes the explicit steps of a substep and returns their number.
    fn substep(&mut self, whole: Step, report: &mut FrameReport) -> Result<u32, (FailureKind, Option<u32>)> {
        let count = self.steps(whole.dt).ok_or((FailureKind::TooManySteps, None))?;
        let dt = whole.dt / f64::from(count);
        for k in 0..count {
            let step = Step { time: whole.time + f64::from(k) * dt, dt };
            let clamped = advance(&self.context, step, &mut self.points, &mut self.grid, &mut self.impulse);
            report.counters.stretch_clamped += clamped.map_err(describe)?;
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
}

/// Rejects models of whole tensors: they need a memory that these points do not have.
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

impl Solver for MpmSolver {
    fn max_steps(&self) -> u32 {
        1
    }

    fn begin_frame(&mut self) -> Result<(), SimulationError> {
        self.impulse.fill(DVec3::ZERO);
        Ok(())
    }

    fn attempt(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, SimulationError> {
        Ok(match self.substep(steps.step(0), report) {
            // The run itself counts one substep.
            Ok(explicit) => {
                report.substeps += explicit - 1;
                Attempt { completed: 1, refusal: None }
            }
            Err((kind, particle)) => Attempt { completed: 0, refusal: Some(Refused::Broken(kind, particle)) },
        })
    }

    fn end_frame(&mut self, _: f64, report: &mut FrameReport) -> Result<(), SimulationError> {
        report.energies = self.energies();
        report.collider_impulse = self.context.by_collider(&self.impulse);
        report.max_speed = self.points.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        report.max_interacting_speed = report.max_speed;
        Ok(())
    }

    fn explain(
        &mut self,
        _: Steps,
        _: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, SimulationError> {
        Ok(Explanation { point: Point::of("mpm"), particle, seen: None })
    }

    fn frame(&mut self, index: u32, time: f64) -> Result<Frame, SimulationError> {
        let points = &self.points;
        let density = |p: usize| self.density[points.material[p] as usize] / points.volume_ratio[p];
        Ok(Frame {
            index,
            time,
            rest_volume: points.rest_volume.iter().map(|&volume| volume as f32).collect(),
            position: points.position.iter().map(|x| x.to_array()).collect(),
            velocity: points.velocity.iter().map(|v| v.as_vec3().to_array()).collect(),
            material: points.material.clone(),
            volume_ratio: points.volume_ratio.iter().map(|&j| j as f32).collect(),
            density: (0..points.count()).map(|p| density(p) as f32).collect(),
            state: points.material_state.iter().map(|s| s.map(|word| word as f32)).collect(),
            strain: points.strain.iter().map(|&e| voigt(e).map(|c| c as f32)).collect(),
            body: points.body.clone(),
            deformation: points.deformation.iter().map(|&f| rows(f)).collect(),
            ..Frame::default()
        })
    }

    fn save(&self) -> Result<SolverState, SimulationError> {
        Ok(self.points.save())
    }

    fn restore(&mut self, saved: &SolverState) -> Result<(), SimulationError> {
        self.points.restore(saved)
    }

    fn repopulate(&mut self, problem: &Problem, kept: &[u32]) -> Result<(), SimulationError> {
        self.points.repopulate(problem, &self.context, kept);
        Ok(())
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

    fn set_motion(&mut self, collider: usize, motion: &Motion) -> Result<(), SimulationError> {
        set_motion(&mut self.context.faces, collider, motion);
        Ok(())
    }

    fn device_name(&self) -> String {
        format!("mpm (explicit, f64, serial, cells of {:.3e} m)", self.grid.dx)
    }
}
