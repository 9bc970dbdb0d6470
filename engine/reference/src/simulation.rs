//! Whole runs.

use std::time::Instant;

use glam::DVec3;
use tuff_problem::{
    Control, Counters, Evidence, Frame, FrameReport, Problem, Replacement, SURROUNDINGS, Simulation,
    SimulationError, StepControl, Surroundings, most_residual,
};
use tuff_scene::Time;

use crate::context::{Context, Step, materials};
use crate::stages::commit::Refusal;
use crate::stages::diagnose::{bound_speed, energies, max_speed};
use crate::state::State;
use crate::substep::{finish, solve};
use crate::tensor::voigt;
use crate::trace::{failure, trace};

/// A substep of a frame, or a part of one.
#[derive(Clone, Copy)]
struct Part {
    substep: u32,
    step: Step,
    /// How often it was halved, the last time for a fold.
    halvings: u32,
    folded: bool,
}

/// A run of the reference solver.
pub struct ReferenceSimulation {
    context: Context,
    state: State,
    time: Time,
    frame: u32,
    density: Vec<f64>,
    /// Limiters of the frame before the one under way.
    last_frame: Option<Counters>,
    /// State and frame to return to.
    kept: Option<Box<(State, u32)>>,
    /// Finds the number of substeps of a frame, if the scene does not give it.
    steps: Option<StepControl>,
}

impl ReferenceSimulation {
    /// A simulation at the first frame of its scene.
    ///
    /// # Errors
    ///
    /// None today; a solver on a device has some.
    pub fn new(problem: &Problem) -> Result<Self, SimulationError> {
        let context = Context::new(problem);
        let state = State::new(problem, &context);
        let density = problem.materials.iter().map(|m| m.density).collect();
        let steps = StepControl::of(problem);
        Ok(Self { steps, ..Self::with(context, state, problem.scene.time, density) })
    }

    /// A simulation of a given state; `density` holds the rest densities of the materials [kg/m^3].
    pub fn with(context: Context, state: State, time: Time, density: Vec<f64>) -> Self {
        Self {
            context,
            state,
            time,
            frame: time.first_frame,
            density,
            last_frame: None,
            kept: None,
            steps: None,
        }
    }

    /// The state, for tests.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Settings, materials and boundaries, for tests.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Substep `index` of the frame under way.
    pub fn step(&self, index: u32) -> Step {
        let dt = self.time.dt();
        let elapsed = f64::from(self.frame - self.time.first_frame) / self.time.frame_rate;
        Step { time: elapsed + f64::from(index) * dt, dt }
    }

    /// Advances by `count` substeps of the frame under way, from its beginning, without finishing it.
    ///
    /// # Errors
    ///
    /// As [`Simulation::advance`].
    pub fn advance_substeps(
        &mut self,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let start = Instant::now();
        let mut report =
            FrameReport { frame: self.frame + 1, substep: self.time.dt(), ..FrameReport::default() };
        self.state.grid = None;
        self.state.counters = Default::default();
        self.state.face_impulse.fill(DVec3::ZERO);
        for index in 0..count {
            if control.is_cancelled() {
                return Err(SimulationError::Interrupted);
            }
            self.advance_substep(index, index + 1 == count, &mut report)?;
            control.reach(f64::from(index + 1) * self.time.dt(), report.substeps);
        }
        report.neighbor_pairs = self.state.pairs.len() as u64;
        report.energies = energies(&self.context, &self.state);
        report.counters = self.state.counters;
        report.collider_impulse = vec![[0.0; 3]; self.context.faces.last().map_or(0, |f| f.collider + 1)];
        for (face, impulse) in self.context.faces.iter().zip(&self.state.face_impulse) {
            let total = &mut report.collider_impulse[face.collider];
            *total = (DVec3::from_array(*total) + *impulse).to_array();
        }
        report.max_speed = max_speed(&self.state);
        report.bound_speed = bound_speed(&self.state);
        report.wall_seconds = start.elapsed().as_secs_f64();
        Ok(report)
    }

    /// A frame by substeps that are looked for, which goes back to its start where they turn out too long.
    fn advance_by(
        &mut self,
        steps: &mut StepControl,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let start = self.state.clone();
        steps.advance(|dt, again| {
            if again {
                self.state.clone_from(&start);
            }
            self.time.max_substep = dt;
            self.advance_substeps(self.time.substeps_per_frame(), control)
        })
    }

    /// One substep, or two halves of it where a neighborhood folds or a Newton solve stays far from balance.
    pub(crate) fn advance_substep(
        &mut self,
        index: u32,
        measure: bool,
        report: &mut FrameReport,
    ) -> Result<(), SimulationError> {
        let whole = Part { substep: index, step: self.step(index), halvings: 0, folded: false };
        self.advance_part(whole, measure, report)
    }

    fn advance_part(
        &mut self,
        part: Part,
        measure: bool,
        report: &mut FrameReport,
    ) -> Result<(), SimulationError> {
        let counters = self.state.counters;
        let solved = solve(&self.context, part.step, &mut self.state, measure);
        let settings = &self.context.settings;
        let most = most_residual(settings, part.halvings);
        let left = solved.progress.residual.force;
        let balanced = most.is_none_or(|most| left <= most);
        let above = most_residual(settings, 0).is_some() && left > settings.residual_tolerance;
        let mut folded = false;
        if balanced {
            match finish(&self.context, part.step, &mut self.state, solved) {
                Ok(progress) => {
                    self.state.counters.newton_unbalanced += u64::from(above);
                    report.substeps += 1;
                    report.iterations += u64::from(progress.iterations);
                    report.residual = progress.residual;
                    return Ok(());
                }
                Err(Refusal::Folded(_)) if !part.folded => folded = true,
                Err(refusal) => return Err(self.failure(refusal, part.substep, part.step, counters)),
            }
        }
        self.state.velocity.clone_from(&self.state.start_velocity);
        self.state.counters = counters;
        self.state.counters.substeps_halved += 1;
        let Step { time, dt } = part.step;
        for start in [time, time + 0.5 * dt] {
            let step = Step { time: start, dt: 0.5 * dt };
            self.advance_part(Part { step, halvings: part.halvings + 1, folded, ..part }, measure, report)?;
        }
        Ok(())
    }

    /// The failure of a substep that was refused, with the limiters of the frame before it. The state is that at its start
    /// afterwards.
    fn failure(&mut self, refusal: Refusal, substep: u32, step: Step, in_frame: Counters) -> SimulationError {
        self.state.velocity.clone_from(&self.state.start_velocity);
        self.state.counters = in_frame;
        let traced = trace(&self.context, step, &self.state, refusal);
        let mut failure = failure(&traced, refusal, self.frame + 1, substep);
        let reach = SURROUNDINGS * self.context.radius();
        failure.evidence = Some(Box::new(Evidence {
            origin: traced.origin,
            bad: traced.bad,
            time: step.time,
            dt: step.dt,
            in_substep: traced.counters,
            in_frame,
            in_last_frame: self.last_frame,
            surroundings: Surroundings::of(&self.frame_now(), traced.origin.particle, reach),
        }));
        SimulationError::Failed(Box::new(failure))
    }

    fn frame_now(&self) -> Frame {
        let state = &self.state;
        let index = state.index_of_id();
        let ratio = |p: usize| state.volume_ratio[p];
        let density = |p: usize| self.density[state.material[p] as usize] / ratio(p);
        Frame {
            index: self.frame,
            time: self.step(0).time,
            position: index.iter().map(|&p| state.position[p].to_array()).collect(),
            velocity: index.iter().map(|&p| state.velocity[p].as_vec3().to_array()).collect(),
            material: index.iter().map(|&p| state.material[p]).collect(),
            volume_ratio: index.iter().map(|&p| ratio(p) as f32).collect(),
            density: index.iter().map(|&p| density(p) as f32).collect(),
            packing: Vec::new(),
            state: index.iter().map(|&p| state.material_state[p].map(|w| w as f32)).collect(),
            strain: index.iter().map(|&p| voigt(state.strain[p]).map(|e| e as f32)).collect(),
        }
    }
}

impl Simulation for ReferenceSimulation {
    fn frame(&mut self) -> Result<Frame, SimulationError> {
        Ok(self.frame_now())
    }

    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError> {
        let report = match self.steps.take() {
            None => self.advance_substeps(self.time.substeps_per_frame(), control)?,
            Some(mut steps) => {
                let report = self.advance_by(&mut steps, control);
                self.steps = Some(steps);
                report?
            }
        };
        self.frame += 1;
        self.last_frame = Some(report.counters);
        Ok(report)
    }

    fn keep(&mut self) -> Result<(), SimulationError> {
        self.kept = Some(Box::new((self.state.clone(), self.frame)));
        Ok(())
    }

    fn retry(&mut self) -> Result<[f64; 2], SimulationError> {
        let kept = self.kept.as_ref().ok_or(SimulationError::NothingKept)?;
        (self.state, self.frame) = (**kept).clone();
        let before = self.time.dt();
        self.time = self.time.halved();
        if let Some(steps) = &mut self.steps {
            steps.limit(self.time.substeps_per_frame());
            self.time.max_substep = steps.dt();
        }
        Ok([before, self.time.dt()])
    }

    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError> {
        self.context.materials = materials(&replacement.models, &replacement.materials);
        Ok(())
    }

    fn device_name(&self) -> String {
        "reference (f64, serial)".to_owned()
    }
}
