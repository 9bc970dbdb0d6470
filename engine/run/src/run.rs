//! Advances frames with fixed or adaptive substeps.

use std::time::Instant;

use glam::DVec3;
use tuff_problem::{
    Control, Counters, Frame, FrameReport, Problem, Replacement, SimulationError, Solver, SolverState, Step,
    StepControl, set_motion,
};
use tuff_scene::{Motion, Pose, Time};

use crate::population::Population;
use crate::simulation::{RunState, Simulation};

/// Target wall time of an attempt [s]: short enough to notice an interrupt soon.
const ATTEMPT_SECONDS: f64 = 0.5;

/// Drives a solver through the frames of a scene.
pub struct Run<S> {
    pub(crate) solver: S,
    /// The scene's frames, with the current substep.
    pub(crate) time: Time,
    pub(crate) frame: u32,
    /// Adaptive step control; `None` for fixed substeps.
    steps: Option<StepControl>,
    /// Limiter counts of the last completed frame.
    pub(crate) last_frame: Option<Counters>,
    kept: Option<RunState>,
    /// Number of substeps per attempt, and whether that number is fixed.
    pub(crate) together: u32,
    pub(crate) fixed: bool,
    pub(crate) measure: Measure,
    /// Particles that come and go; `None` if none do.
    population: Option<Population>,
    /// Names and motions of the colliders; motions that were set while running are among them.
    motions: Vec<(String, Motion)>,
    /// True if a motion was set while running.
    driven: bool,
    /// Impulses that rigid bodies have received in all parts of the last frame [N s], shape [rigid_count]; empty if it had but one.
    received: Vec<DVec3>,
}

/// Which substeps compute residuals at their end; that costs about two sweeps each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Never,
    Last,
    Every,
}

/// Callback before each attempt (`false`) and after each one that completed substeps (`true`).
pub(crate) type Each<'a, S> = &'a mut dyn FnMut(&mut S, bool);

impl<S: Solver> Run<S> {
    /// Creates a run at the first frame of `time`, with adaptive substeps if `steps` is given, otherwise with the longest allowed
    /// ones.
    pub fn with(solver: S, time: Time, steps: Option<StepControl>) -> Self {
        Self {
            solver,
            time,
            frame: time.first_frame,
            steps,
            last_frame: None,
            kept: None,
            together: 1,
            fixed: false,
            measure: Measure::Last,
            population: None,
            motions: Vec::new(),
            driven: false,
            received: Vec::new(),
        }
    }

    /// Creates a run at the first frame of a problem.
    pub(crate) fn of(solver: S, problem: &Problem) -> Self {
        let time = problem.scene.time;
        Self {
            population: Population::of(problem),
            motions: problem.scene.colliders.iter().map(|c| (c.name.clone(), c.motion.clone())).collect(),
            ..Self::with(solver, time, StepControl::of(problem, &time))
        }
    }

    /// Fixes the number of substeps per attempt, which otherwise adapts to half a second. Results do not depend on it.
    pub fn set_substeps_per_attempt(&mut self, count: u32) {
        (self.together, self.fixed) = (count.clamp(1, self.solver.max_steps()), true);
    }

    /// Returns the solver.
    pub fn solver(&self) -> &S {
        &self.solver
    }

    /// Returns the solver, for tests that prescribe motions by overwriting its state between substeps.
    pub fn solver_mut(&mut self) -> &mut S {
        &mut self.solver
    }

    /// Sets whether the last substep of a frame computes the residuals (default: yes).
    pub fn set_measured(&mut self, measured: bool) {
        self.measure = if measured { Measure::Last } else { Measure::Never };
    }

    /// Advances by `count` substeps of the scene's length without finishing a frame. Motions of colliders and pins restart at the
    /// beginning of the frame with every call.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_substeps(
        &mut self,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        self.advance_substeps_from(0, count, control)
    }

    /// Like [`advance_substeps`](Self::advance_substeps), with motions starting `first` substeps after the beginning of the
    /// frame: calls that continue where the last one ended follow one motion.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_substeps_from(
        &mut self,
        first: u32,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        self.substeps(self.frame_start(), first, count, control, &mut |_, _| {})
    }

    /// Advances by `seconds` [s] from `start` [s after the first frame] as if by a frame of that length, which the scene does not
    /// count; for measurements at times between frames. Uses the substeps that such a frame would take; adaptive stepping starts
    /// afresh whenever `seconds` changes.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_span(
        &mut self,
        problem: &Problem,
        start: f64,
        seconds: f64,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let frame_rate = 1.0 / seconds;
        if self.time.frame_rate != frame_rate {
            self.time.frame_rate = frame_rate;
            self.set_steps(StepControl::of(problem, &self.time));
        }
        self.advance_frame(start, control)
    }

    fn set_steps(&mut self, steps: Option<StepControl>) {
        self.steps = steps;
        if self.driven {
            self.steps.iter_mut().for_each(StepControl::drive);
        }
    }

    /// Returns the interval of substep `index` of the current frame.
    pub fn step(&self, index: u32) -> Step {
        let dt = self.time.dt();
        Step { time: self.frame_start() + f64::from(index) * dt, dt }
    }

    /// Returns the time of the current frame [s after the first].
    pub(crate) fn frame_start(&self) -> f64 {
        f64::from(self.frame - self.time.first_frame) / self.time.frame_rate
    }

    /// Takes `count` substeps, from number `first`, of a frame that starts at `start` [s after the first frame].
    pub(crate) fn substeps(
        &mut self,
        start: f64,
        first: u32,
        count: u32,
        control: &Control,
        each: Each<'_, S>,
    ) -> Result<FrameReport, SimulationError> {
        let clock = Instant::now();
        let dt = self.time.dt();
        let mut report = FrameReport { frame: self.frame + 1, substep: dt, ..FrameReport::default() };
        self.received.clear();
        self.solver.begin_frame()?;
        let mut done = 0;
        while done < count {
            if control.is_cancelled() {
                return Err(SimulationError::Interrupted);
            }
            let clock = Instant::now();
            each(&mut self.solver, false);
            let completed = self.some_of(start, [first, done, count], &mut report)?;
            if completed > 0 {
                each(&mut self.solver, true);
            }
            done += completed;
            control.reach(f64::from(first + done) * dt, report.substeps);
            let seconds = clock.elapsed().as_secs_f64() / f64::from(completed.max(1));
            if !self.fixed {
                let fits = (ATTEMPT_SECONDS / seconds.max(1e-6)) as u32;
                self.together = fits.clamp(1, self.solver.max_steps());
            }
        }
        self.solver.end_frame(dt, &mut report)?;
        report.wall_seconds = clock.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Advances one frame that starts at `start` [s after the first frame].
    fn advance_frame(&mut self, start: f64, control: &Control) -> Result<FrameReport, SimulationError> {
        let Some(mut steps) = self.steps.take() else {
            return self.whole_frame(start, control);
        };
        let report = self.advance_by(&mut steps, start, control);
        self.steps = Some(steps);
        report
    }

    /// Advances one frame with adaptive substeps; rolls it back and repeats it with shorter ones if any was too long.
    fn advance_by(
        &mut self,
        steps: &mut StepControl,
        start: f64,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let before = self.saved()?;
        steps.advance(|dt, again| {
            if again {
                self.take_back(&before)?;
            }
            self.time.max_substep = dt;
            self.whole_frame(start, control)
        })
    }

    /// Advances by the substeps of a frame that starts at `start` [s after the first frame], in parts between which emitters add layers.
    fn whole_frame(&mut self, start: f64, control: &Control) -> Result<FrameReport, SimulationError> {
        let count = self.time.substeps_per_frame();
        let Some(mut population) = self.population.take() else {
            return self.substeps(start, 0, count, control, &mut |_, _| {});
        };
        let report = self.parts(&mut population, start, count, control);
        self.population = Some(population);
        report
    }

    fn parts(
        &mut self,
        population: &mut Population,
        start: f64,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let dt = self.time.dt();
        let (mut report, mut done) = (FrameReport::default(), 0);
        let mut counters = Counters::default();
        let mut received = vec![DVec3::ZERO; population.problem.scene.rigid.len()];
        loop {
            let next = population.next_substep(start, dt).min(f64::from(count)) as u32;
            if next > done {
                report.append(self.substeps(start, done, next - done, control, &mut |_, _| {})?);
                done = next;
                self.add_received(&mut received)?;
            }
            let time = start + f64::from(done) * dt;
            if population.next_substep(start, dt) <= f64::from(done) {
                counters += &population.emit(&mut self.solver, done, start, dt)?;
            } else if done == count {
                counters.removed += population.drain(&mut self.solver, time)?;
                report.counters += &counters;
                self.received = received;
                return Ok(report);
            }
        }
    }

    /// Adds the impulses that rigid bodies have received in a part of a frame: solvers count from the start of the part.
    fn add_received(&mut self, sums: &mut [DVec3]) -> Result<(), SimulationError> {
        if !sums.is_empty() {
            let frame = self.solver.frame(self.frame, 0.0)?;
            for (sum, body) in std::iter::zip(sums, &frame.rigid) {
                *sum += DVec3::from_array(body.impulse);
            }
        }
        Ok(())
    }

    /// Returns the state of the solver, and the particles that there are.
    fn saved(&self) -> Result<SolverState, SimulationError> {
        let mut state = self.solver.save()?;
        if let Some(population) = &self.population {
            population.save(&mut state);
        }
        Ok(state)
    }

    fn take_back(&mut self, state: &SolverState) -> Result<(), SimulationError> {
        if let Some(population) = &mut self.population {
            population.restore(&mut self.solver, state)?;
        }
        self.solver.restore(state)
    }
}

impl<S: Solver> Simulation for Run<S> {
    fn frame(&mut self) -> Result<Frame, SimulationError> {
        let mut frame = self.solver.frame(self.frame, self.frame_start())?;
        if let Some(population) = &self.population {
            frame.id.clone_from(&population.problem.particles.id);
        }
        for (body, impulse) in std::iter::zip(&mut frame.rigid, &self.received) {
            body.impulse = impulse.to_array();
        }
        Ok(frame)
    }

    fn problem(&self) -> Option<&Problem> {
        self.population.as_ref().map(|population| &population.problem)
    }

    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError> {
        let report = self.advance_frame(self.frame_start(), control)?;
        self.frame += 1;
        self.last_frame = Some(report.counters);
        Ok(report)
    }

    fn set_pose(&mut self, collider: &str, pose: Pose) -> Result<(), SimulationError> {
        let (start, end) = (self.frame_start(), self.frame_start() + 1.0 / self.time.frame_rate);
        let named = self.motions.iter().position(|(name, _)| name == collider);
        let index = named
            .ok_or_else(|| SimulationError::Unsupported(format!("there is no collider `{collider}`")))?;
        let motion = self.motions[index].1.towards(pose, start, end);
        self.solver.set_motion(index, &motion)?;
        if let Some(population) = &mut self.population {
            population.problem.scene.colliders[index].motion.clone_from(&motion);
            set_motion(&mut population.problem.faces, index, &motion);
        }
        self.motions[index].1 = motion;
        self.driven = true;
        self.set_steps(self.steps.clone());
        Ok(())
    }

    fn compare_models(&self) -> Result<Vec<String>, SimulationError> {
        self.solver.compare_models()
    }

    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError> {
        self.solver.replace_models(replacement)?;
        if let Some(population) = &mut self.population {
            population.problem.replace(replacement.clone());
        }
        Ok(())
    }

    fn keep(&mut self) -> Result<(), SimulationError> {
        self.kept = Some(self.save()?);
        Ok(())
    }

    fn retry(&mut self) -> Result<[f64; 2], SimulationError> {
        let kept = self.kept.take().ok_or(SimulationError::NoSavedState)?;
        self.take_back(&kept.solver)?;
        (self.frame, self.last_frame) = (kept.frame, kept.last_frame);
        self.kept = Some(kept);
        // The step control keeps what it has learned since the saved state.
        let before = self.time.dt();
        self.time = self.time.halved();
        if let Some(steps) = &mut self.steps {
            steps.limit(self.time.substeps_per_frame());
            self.time.max_substep = steps.dt();
        }
        Ok([before, self.time.dt()])
    }

    fn save(&self) -> Result<RunState, SimulationError> {
        Ok(RunState {
            frame: self.frame,
            max_substep: self.time.max_substep,
            steps: self.steps.clone(),
            last_frame: self.last_frame,
            solver: self.saved()?,
        })
    }

    fn restore(&mut self, state: &RunState) -> Result<(), SimulationError> {
        self.take_back(&state.solver)?;
        self.frame = state.frame;
        self.time.max_substep = state.max_substep;
        self.set_steps(state.steps.clone());
        self.last_frame = state.last_frame;
        Ok(())
    }

    fn device_name(&self) -> String {
        self.solver.device_name()
    }
}
