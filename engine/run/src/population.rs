//! Particles that come and go: layers that emitters add in the course of a frame, and particles that leave through sinks at its end.
//!
//! A layer leaves at the first substep that begins when or after it is due, as far ahead as it would have come by then. What would be too
//! close to other particles is left out. Solvers number particles by index; their ids follow the order in which they came.

use std::sync::Arc;

use glam::DVec3;
use tuff_problem::{
    Column, Counters, Frame, MAX_PARTICLES, Problem, SimulationError, Solver, SolverState, append, chosen,
};
use tuff_scene::Particles;

/// Part of a substep by which a layer may be due later than the substep begins.
const ROUNDING: f64 = 1e-6;

/// Names of the columns that a saved state has in addition to the solver's.
const COLUMNS: [&str; 3] = ["population_id", "population_body", "population_count"];

/// The particles of a run.
pub(crate) struct Population {
    /// The problem with the particles that there are now; the positions and velocities of emitted ones mean nothing.
    pub problem: Problem,
    initial: Arc<Particles>,
    next_id: u32,
    /// Number of layers that have left each emitter.
    layers: Vec<u64>,
}

impl Population {
    /// Returns the particles of a problem at its first frame; `None` if they do not change.
    pub fn of(problem: &Problem) -> Option<Self> {
        let first = |start: f64| u64::from(start <= 0.0);
        problem.changes().then(|| Self {
            initial: Arc::new(problem.particles.clone()),
            next_id: problem.particle_count() as u32,
            layers: problem.layers.iter().map(|layers| first(layers.start).min(layers.count)).collect(),
            problem: problem.clone(),
        })
    }

    /// Returns the time at which the next layer is due [s]; infinite if none is.
    pub fn next(&self) -> f64 {
        let next = std::iter::zip(&*self.problem.layers, &self.layers);
        let due =
            next.filter(|(layers, left)| **left < layers.count).map(|(layers, &left)| layers.time(left));
        due.fold(f64::INFINITY, f64::min)
    }

    /// Returns the first substep, of length `dt` from `start` [s], at whose beginning a layer is due.
    pub fn next_substep(&self, start: f64, dt: f64) -> f64 {
        substep_of(self.next(), start, dt)
    }

    /// Adds the layers that are due when this substep, of length `dt` from `start` [s], begins.
    pub fn emit(
        &mut self,
        solver: &mut impl Solver,
        substep: u32,
        start: f64,
        dt: f64,
    ) -> Result<Counters, SimulationError> {
        let time = start + f64::from(substep) * dt;
        let mut counters = Counters::default();
        let kept: Vec<u32> = (0..self.problem.particle_count() as u32).collect();
        let frame = solver.frame(0, time)?;
        let mut position = positions(&frame);
        let mut particles = self.problem.particles.clone();
        let sources = Arc::clone(&self.problem.layers);
        let obstacles = frame.obstacles(&self.problem.scene, time);
        for (source, left) in std::iter::zip(&*sources, &mut self.layers) {
            while *left < source.count && substep_of(source.time(*left), start, dt) <= f64::from(substep) {
                let delay = time - source.time(*left);
                // Layers that were due before the run continued with this emitter are left out.
                if delay > (1.0 + ROUNDING) * dt {
                    *left += 1;
                    continue;
                }
                let (added, volume) = source.placed(
                    *left,
                    delay * source.velocity,
                    |p| obstacles.iter().any(|obstacle| obstacle.distance(time, p) < 0.0),
                    &position,
                );
                let count = added.len();
                counters.emitted += count as u64;
                counters.emission_withheld += (source.layer(*left).len() - count) as u64;
                position.extend(&added);
                append(&mut particles, source, added, volume, self.next_id);
                self.next_id += count as u32;
                *left += 1;
            }
        }
        if particles.len() > MAX_PARTICLES {
            return Err(SimulationError::Unsupported(format!(
                "emitters made {} particles, at most {MAX_PARTICLES} are possible; give `max_particles`, or a sink",
                particles.len()
            )));
        }
        if counters.emitted > 0 {
            self.problem.repopulate(particles);
            solver.repopulate(&self.problem, &kept)?;
        }
        Ok(counters)
    }

    /// Removes the particles that are in sinks at `time` [s]; ropes and cloth stay whole. Returns their number.
    pub fn drain(&mut self, solver: &mut impl Solver, time: f64) -> Result<u64, SimulationError> {
        let sinks = &self.problem.scene.sinks;
        if sinks.is_empty() {
            return Ok(0);
        }
        let position = positions(&solver.frame(0, time)?);
        let drains = |body: u32| self.problem.scene.bodies[body as usize].kind.is_matter();
        let stays: Vec<bool> = std::iter::zip(&position, &self.problem.particles.body)
            .map(|(p, &body)| !(drains(body) && sinks.iter().any(|sink| sink.shape.contains(*p))))
            .collect();
        let kept: Vec<u32> = (0..).zip(&stays).filter_map(|(index, stays)| stays.then_some(index)).collect();
        let removed = position.len() - kept.len();
        if removed > 0 {
            let particles = chosen(&self.problem.particles, |p| stays[p]);
            self.problem.repopulate(particles);
            solver.repopulate(&self.problem, &kept)?;
        }
        Ok(removed as u64)
    }

    /// Adds what a saved state needs beside the solver's columns.
    pub fn save(&self, state: &mut SolverState) {
        let particles = &self.problem.particles;
        let counts = std::iter::once(u64::from(self.next_id)).chain(self.layers.iter().copied());
        let counts = counts.flat_map(|count| [count as u32, (count >> 32) as u32]).collect();
        let words = [particles.id.clone(), particles.body.clone(), counts];
        state.columns.extend(std::iter::zip(COLUMNS, words).map(|(name, words)| Column::new(name, words)));
    }

    /// Gives the solver the particles of a saved state; their state is restored later.
    pub fn restore(&mut self, solver: &mut impl Solver, state: &SolverState) -> Result<(), SimulationError> {
        let column = |name: &str| {
            let column = state.columns.iter().find(|column| column.name == name);
            let missing = || SimulationError::StateMismatch(format!("`{name}` is missing"));
            column.map(|column| &column.words[..]).ok_or_else(missing)
        };
        let [ids, bodies, counts] = [column(COLUMNS[0])?, column(COLUMNS[1])?, column(COLUMNS[2])?];
        let wrong = || SimulationError::StateMismatch("its particles are not those of this scene".to_owned());
        let mut counts = counts.chunks_exact(2).map(|word| u64::from(word[0]) | u64::from(word[1]) << 32);
        let next_id = counts.next().ok_or_else(wrong)?;
        let layers: Vec<u64> = counts.collect();
        if layers.len() != self.layers.len() || ids.len() != bodies.len() {
            return Err(wrong());
        }
        let start = self.initial.len();
        let mut particles = chosen(&self.initial, |p| ids.binary_search(&(p as u32)).is_ok());
        let emitted = particles.len()..ids.len();
        for row in emitted {
            let source = self.problem.layers.iter().find(|source| source.body == bodies[row]);
            let source = source.filter(|_| ids[row] as usize >= start).ok_or_else(wrong)?;
            let first = source.position.first().zip(source.rest_volume.first());
            let (&position, &volume) = first.ok_or_else(wrong)?;
            append(&mut particles, source, vec![position], vec![volume], ids[row]);
        }
        if particles.body != bodies || particles.id != ids {
            return Err(wrong());
        }
        (self.next_id, self.layers) = (next_id as u32, layers);
        self.problem.repopulate(particles);
        solver.repopulate(&self.problem, &[])
    }
}

/// Returns the first substep, of length `dt` from `start` [s], that begins at `time` [s] or later.
fn substep_of(time: f64, start: f64, dt: f64) -> f64 {
    ((time - start) / dt - ROUNDING).ceil().max(0.0)
}

fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|x| DVec3::from_array(*x)).collect()
}
