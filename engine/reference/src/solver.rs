//! The XPBI solver on the CPU.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use tuff_problem::profile::{Collector, Profiled, Spread};
use tuff_problem::set_motion;
use tuff_problem::{
    Attempt, COLOR_COUNT, Counters, Explanation, FailureKind, Frame, FrameReport, Problem,
    Refusal as Refused, Replacement, SURROUNDINGS, Seen, SimulationError, Solver, SolverState, Steps,
    Surroundings, Total, residual_limit,
};

use tuff_scene::Motion;

use crate::context::{Context, materials};
use crate::parallel;
use crate::scalar::Scalar;
use crate::stages::commit::Refusal;
use crate::stages::diagnose::{energies, max_interacting_speed, max_speed, pressure_speed};
use crate::state::State;
use crate::substep::{Progress, finish, solve};
use crate::tensor::voigt;
use crate::trace::trace;

/// XPBI on all cores.
pub struct ReferenceSolver<S: Scalar = f64> {
    context: Context,
    state: State<S>,
    density: Vec<f64>,
    /// Pairs of total bodies as if none had broken.
    whole: Arc<Total>,
    collector: Option<Collector>,
}

impl<S: Scalar> ReferenceSolver<S> {
    /// Creates a solver for the particles of a problem at its first frame.
    #[inline(never)]
    pub fn new(problem: &Problem) -> Self {
        let context = Context::new(problem);
        let state = State::new(problem, &context);
        Self::with(context, state, problem.materials.iter().map(|m| m.density).collect())
    }

    /// Creates a solver from a given state; `density` holds the rest densities of the materials [kg/m^3].
    pub fn with(context: Context, state: State<S>, density: Vec<f64>) -> Self {
        let whole = Arc::clone(&context.total);
        Self { context, state, density, whole, collector: None }
    }

    /// Returns the state, for tests.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// Returns the state, to overwrite it between substeps: this is how tests prescribe motions.
    pub fn state_mut(&mut self) -> &mut State<S> {
        &mut self.state
    }

    /// Returns settings, materials and boundaries, for tests.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Rolls back a rejected substep.
    fn refuse(&mut self, refusal: Refused) -> Attempt {
        self.state.velocity.clone_from(&self.state.start_velocity);
        self.state.rigid.refuse();
        Attempt { completed: 0, refusal: Some(refusal) }
    }

    /// Attempts one substep; also returns its work and accuracy, whether or not it is committed.
    fn substep(&mut self, steps: Steps, report: &mut FrameReport) -> (Attempt, Progress) {
        let step = steps.step(0);
        self.state.counters = Counters::default();
        let solved = solve(&self.context, step, &mut self.state, steps.measured);
        let progress = solved.progress;
        let settings = &self.context.settings;
        let most = residual_limit(settings, steps.halvings);
        let left = solved.progress.residual.force;
        // NaN is not balanced.
        let balanced = most.is_none_or(|most| left <= most);
        if !balanced {
            return (self.refuse(Refused::Unbalanced), progress);
        }
        let above = residual_limit(settings, 0).is_some() && left > settings.residual_tolerance;
        let attempt = match finish(&self.context, step, &mut self.state, solved) {
            Ok(_) => {
                self.fracture();
                self.state.counters.newton_unbalanced += u64::from(above);
                report.counters += &self.state.counters;
                report.iterations += u64::from(progress.iterations);
                report.residual = progress.residual;
                Attempt { completed: 1, refusal: None }
            }
            Err(refusal) => self.refuse(refused(refusal)),
        };
        (attempt, progress)
    }

    /// Breaks the pairs of total bodies that are longer than they bear.
    fn fracture(&mut self) {
        let (total, state) = (&mut self.context.total, &mut self.state);
        if !total.may_break() {
            return;
        }
        let broken = total.overstretched(|id| state.position[state.place[id as usize]]);
        if !broken.is_empty() {
            Arc::make_mut(total).break_pairs(&broken);
            state.counters.fractured += broken.len() as u64;
            state.broken.extend(broken);
        }
    }

    /// Takes the pairs that have broken out of those of the whole bodies.
    fn break_anew(&mut self) {
        self.context.total = match &*self.state.broken {
            [] => Arc::clone(&self.whole),
            broken => Arc::new(self.whole.without(broken)),
        };
    }

    #[inline(never)]
    fn frame_now(&self, index: u32, time: f64) -> Frame {
        let state = &self.state;
        let order = state.index_of_id();
        let ratio = |p: usize| state.volume_ratio[p];
        let density = |p: usize| self.density[state.material[p] as usize] / ratio(p);
        Frame {
            index,
            time,
            rest_volume: order.iter().map(|&p| state.rest_volume[p] as f32).collect(),
            position: order.iter().map(|&p| state.position[p].to_array()).collect(),
            velocity: order.iter().map(|&p| state.velocity[p].as_vec3().to_array()).collect(),
            material: order.iter().map(|&p| state.material[p]).collect(),
            body: order.iter().map(|&p| state.body[p]).collect(),
            volume_ratio: order.iter().map(|&p| ratio(p) as f32).collect(),
            density: order.iter().map(|&p| density(p) as f32).collect(),
            state: order.iter().map(|&p| state.material_state[p].map(|w| w as f32)).collect(),
            strain: order.iter().map(|&p| voigt(state.strain[p]).map(|e| e as f32)).collect(),
            branch: order.iter().map(|&p| voigt(state.branch[p]).map(|e| e as f32)).collect(),
            deformation: order.iter().map(|&p| rows(state.deformation[p])).collect(),
            rigid: state.rigid.shown(),
            torn: (0..)
                .zip(&state.torn)
                .filter(|(_, torn)| **torn != 0)
                .map(|(triangle, _)| triangle)
                .collect(),
            ..Frame::default()
        }
    }
}

/// Returns the elements of a matrix row by row.
pub(crate) fn rows(m: DMat3) -> [f32; 9] {
    m.transpose().to_cols_array().map(|value| value as f32)
}

/// Translates a refusal of the commit for the run.
fn refused(refusal: Refusal) -> Refused {
    match refusal {
        Refusal::Folded(id) => Refused::Broken(FailureKind::Folded, Some(id)),
        Refusal::NotFinite(id) => Refused::Broken(FailureKind::NotFinite, Some(id)),
    }
}

impl<S: Scalar> Solver for ReferenceSolver<S> {
    fn max_steps(&self) -> u32 {
        1
    }

    fn begin_frame(&mut self) -> Result<(), SimulationError> {
        self.state.grid = None;
        self.state.face_impulse.fill(DVec3::ZERO);
        self.state.rigid.begin_frame();
        Ok(())
    }

    #[inline(never)]
    fn attempt(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, SimulationError> {
        self.state.clock.run(self.collector.is_some());
        let (attempt, progress) = parallel::within(|| self.substep(steps, report));
        if let Some(collector) = &mut self.collector {
            let state = &mut self.state;
            let (particles, pairs) = (state.particle_count(), state.neighbor.len());
            let settings = &self.context.settings;
            let judged = steps.measured || settings.newton() || settings.residual_tolerance > 0.0;
            let residual = (judged && !self.context.grains()).then_some(progress.residual);
            let counts = [progress.iterations, pairs as u32];
            collector.add(counts, residual, |end| state.clock.take::<S>(particles, pairs, end));
        }
        Ok(attempt)
    }

    #[inline(never)]
    fn end_frame(&mut self, _: f64, report: &mut FrameReport) -> Result<(), SimulationError> {
        report.neighbor_pairs = self.state.neighbor.len() as u64;
        report.energies = energies(&self.context, &self.state);
        report.collider_impulse = self.context.by_collider(&self.state.face_impulse);
        report.max_speed = max_speed(&self.state);
        report.max_interacting_speed = max_interacting_speed(&self.context, &self.state);
        report.pressure_speed = pressure_speed(&self.context, &self.state);
        Ok(())
    }

    #[inline(never)]
    fn explain(
        &mut self,
        step: Steps,
        kind: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, SimulationError> {
        let id = particle.unwrap_or_default();
        let refusal = if kind == FailureKind::Folded { Refusal::Folded(id) } else { Refusal::NotFinite(id) };
        let step = step.step(0);
        let traced = trace(&self.context, step, &self.state, refusal);
        let reach = SURROUNDINGS * self.context.radius();
        let surroundings = Surroundings::of(&self.frame_now(0, step.time), traced.origin.particle, reach);
        Ok(Explanation {
            point: traced.origin.point,
            particle: Some(traced.origin.particle),
            seen: Some(Seen {
                origin: traced.origin,
                bad: traced.bad,
                counters: traced.counters,
                surroundings,
            }),
        })
    }

    fn frame(&mut self, index: u32, time: f64) -> Result<Frame, SimulationError> {
        Ok(self.frame_now(index, time))
    }

    #[inline(never)]
    fn save(&self) -> Result<SolverState, SimulationError> {
        Ok(self.state.save())
    }

    #[inline(never)]
    fn restore(&mut self, saved: &SolverState) -> Result<(), SimulationError> {
        self.state.restore(saved)?;
        self.break_anew();
        Ok(())
    }

    #[inline(never)]
    fn repopulate(&mut self, problem: &Problem, kept: &[u32]) -> Result<(), SimulationError> {
        self.whole = Arc::clone(&problem.total);
        self.context.links = Arc::clone(&problem.links);
        self.context.sheets = Arc::clone(&problem.sheets);
        self.state.repopulate(problem, &self.context, kept);
        self.break_anew();
        Ok(())
    }

    #[inline(never)]
    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError> {
        self.context.materials = materials(&replacement.models, &replacement.materials);
        Ok(())
    }

    #[inline(never)]
    fn set_motion(&mut self, collider: usize, motion: &Motion) -> Result<(), SimulationError> {
        set_motion(&mut self.context.faces, collider, motion);
        self.state.rigid.set_motion(collider, motion);
        Ok(())
    }

    fn device_name(&self) -> String {
        S::DEVICE.to_owned()
    }
}

impl<S: Scalar> Profiled for ReferenceSolver<S> {
    fn collector(&mut self) -> &mut Option<Collector> {
        &mut self.collector
    }

    #[inline(never)]
    fn spread(&self) -> Result<Spread, SimulationError> {
        let state = &self.state;
        let Some(grid) = state.grid.filter(|_| !state.cell_start.is_empty()) else {
            return Ok(Spread::default());
        };
        let mut spread = Spread {
            neighbors: (0..state.particle_count()).map(|p| state.neighbor_range(p).len() as u32).collect(),
            cell_particles: Vec::new(),
            color_cells: vec![0; COLOR_COUNT as usize],
            color_particles: vec![0; COLOR_COUNT as usize],
        };
        for cell in 0..grid.cell_count() {
            let count = state.cell_range(cell).len();
            if count > 0 {
                let color = grid.color(cell) as usize;
                spread.cell_particles.push(count as u32);
                spread.color_cells[color] += 1;
                spread.color_particles[color] += count as u64;
            }
        }
        Ok(spread)
    }
}

/// Creates the solver of the device `cpu` and the one of `reference`.
///
/// Since this crate makes both, it compiles all of their code; other crates link what is marked `inline(never)` instead of compiling it
/// once more, which takes a minute for each program.
pub fn both(problem: &Problem) -> [Box<dyn Profiled>; 2] {
    [Box::new(ReferenceSolver::<f32>::new(problem)), Box::new(ReferenceSolver::<f64>::new(problem))]
}
