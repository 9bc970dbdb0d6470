//! Failed substeps: restores their start and finds where they went wrong.

use std::ops::Range;

use glam::{DMat3, DVec3};
use tuff_gpu::{AttributeId, Command, GpuError, Recording, RunOptions};
use tuff_problem::{
    Counters, Explanation, FailureKind, NEWTON_SOLVE, Origin, Point, START, SURROUNDINGS, Seen, Steps,
    Surroundings, Trace,
};
use tuff_scene::Scheme;

use super::GpuSolver;
use crate::attributes::*;
use crate::constants::STATUS_WORDS;
use crate::list::List;
use crate::setup;
use crate::stages::Stage;
use crate::status::Status;

/// Maximum number of pair records for which folds are followed through a substep: a gigabyte on the host.
const MAX_TRACED_PAIRS: usize = 1 << 26;

/// Bits of the neighbor's index in the first word of a pair record.
const INDEX_MASK: u32 = 0x00ff_ffff;

/// Result of a trace: the origin of the failure, the number of bad particles, and the limiter counts of the failed substep.
struct Traced {
    origin: Origin,
    bad: usize,
    counters: Counters,
}

/// Pair gradients of a substep, to detect folds.
struct Gradients {
    lists: Vec<List>,
    pair: Vec<[u32; 4]>,
    /// True for separated matter, which may fold.
    apart: Vec<bool>,
}

impl GpuSolver {
    /// Explains the failure of the single substep `step`, first detected at `particle`.
    pub(super) fn explained(
        &mut self,
        step: Steps,
        kind: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, GpuError> {
        let noticed = particle.unwrap_or_default();
        let traced = if kind == FailureKind::TooManyNeighbors {
            // The sorted state is incomplete.
            let origin = Origin {
                point: Point::of(Stage::FindNeighbors.declaration().name),
                quantity: "number of neighbors",
                particle: noticed,
            };
            Traced { origin, bad: 1, counters: Counters::default() }
        } else {
            let traced = self.trace(kind, noticed, step)?;
            self.return_to_start()?;
            traced
        };
        let frame = self.frame_now(0, step.step(0).time)?;
        let reach = SURROUNDINGS * self.problem.scene.solver.kernel_radius;
        let Traced { origin, bad, counters } = traced;
        let surroundings = Surroundings::of(&frame, origin.particle, reach);
        Ok(Explanation {
            point: origin.point,
            particle: Some(origin.particle),
            seen: Some(Seen { origin, bad, counters, surroundings }),
        })
    }

    /// Restores the committed state to the start of the last substep.
    pub(super) fn return_to_start(&mut self) -> Result<(), GpuError> {
        let sizes = setup::sizes(&self.problem, 0);
        let mut recording = Recording::new();
        for kept in KEPT.iter().filter(|kept| sizes.used(kept.extent) > 0) {
            let element = TABLE[usize::from(kept.start.0)].element.bytes();
            recording.copy(kept.start, kept.committed, sizes.used(kept.extent) * element);
        }
        self.executor.run(&self.store, &recording, RunOptions::default()).map(|_| ())
    }

    /// Repeats the failed substep and tells where it went wrong.
    fn trace(&mut self, kind: FailureKind, noticed: u32, step: Steps) -> Result<Traced, GpuError> {
        let step = Steps { measured: false, ..step };
        let mut trace = Trace::new(vec![0; self.problem.particle_count()]);
        let commit = Point::of(Stage::Commit.declaration().name);
        if self.rigid.is_empty() {
            self.inspect_parts(kind, step, &mut trace)?;
        } else {
            // What follows a response of the bodies is not known before it, so only the end is inspected.
            self.repeat_coupled(step)?;
            self.reorder(&mut trace)?;
            if let (FailureKind::Folded, Some(gradients)) = (kind, self.gradients()?) {
                self.look_at_folds(&mut trace, commit, step.dt, &gradients)?;
            }
        }
        let words: Vec<u32> = self.store.download(STATUS, STATUS_WORDS as usize)?;
        let found = if kind == FailureKind::Folded { trace.fold() } else { trace.not_finite() };
        let quantity = if kind == FailureKind::Folded { "velocity gradient" } else { "position" };
        let noticed = Origin { point: commit, quantity, particle: noticed };
        let bad = if kind == FailureKind::Folded { trace.folded() } else { self.count_not_finite()? };
        let counters = Status::uncommitted(&words);
        Ok(Traced { origin: found.unwrap_or(noticed), bad: bad.max(1), counters })
    }

    /// Tells a trace in which order the particles are.
    fn reorder(&self, trace: &mut Trace) -> Result<(), GpuError> {
        let identity: Vec<[u32; 4]> = self.store.download(IDENTITY, self.problem.particle_count())?;
        trace.reorder(identity.iter().map(|row| row[0]).collect());
        Ok(())
    }

    /// Runs a substep part by part and inspects the values after each part.
    fn inspect_parts(&mut self, kind: FailureKind, step: Steps, trace: &mut Trace) -> Result<(), GpuError> {
        let recording = self.load(step)?;
        let jacobi = self.problem.scene.solver.scheme == Scheme::Jacobi;
        let mut gradients = None;
        for part in parts(&recording) {
            let commands = recording.commands[part.commands].to_vec();
            if !commands.is_empty() {
                self.executor.run(&self.store, &Recording { commands }, RunOptions::default())?;
            }
            let Some(look) = part.look else { continue };
            let point = look.point();
            if look.after == After::Start {
                self.reorder(trace)?;
            }
            // As long as these are finite, the other arrays that a sweep writes are, too.
            let is = |stage: Stage| look.after == After::Stage(stage);
            let written = if jacobi { VELOCITY_CHANGE } else { VELOCITY };
            let sentinel = is(Stage::SolveInelastic).then_some(written);
            let quantities = match sentinel {
                Some(id) if self.all_finite(id)? => &[],
                _ => look.values(),
            };
            for &(id, quantity) in quantities {
                let rows = self.vectors(id)?;
                trace.values(point, quantity, |p| finite(rows[p]));
            }
            if is(Stage::CorrectKernel) && kind == FailureKind::Folded {
                gradients = self.gradients()?;
            }
            if let (Some(gradients), None) = (&gradients, point.color) {
                self.look_at_folds(trace, point, step.dt, gradients)?;
            }
        }
        Ok(())
    }

    /// Repeats a substep with rigid bodies, which return to its start.
    fn repeat_coupled(&mut self, step: Steps) -> Result<(), GpuError> {
        let mut last = Recording::new();
        let mut progress = self.run_in_turns(step, &mut last)?;
        self.run_part(&mut last, &mut progress)?;
        self.rigid.refuse();
        Ok(())
    }

    fn vectors(&self, id: AttributeId) -> Result<Vec<[f32; 4]>, GpuError> {
        self.store.download(id, self.problem.particle_count())
    }

    fn all_finite(&self, id: AttributeId) -> Result<bool, GpuError> {
        Ok(self.vectors(id)?.into_iter().all(finite))
    }

    /// Counts the particles whose velocity or strain is not finite at the end.
    fn count_not_finite(&self) -> Result<usize, GpuError> {
        let (velocity, strain) =
            (self.vectors(COMMITTED_VELOCITY)?, self.vectors(COMMITTED_STRAIN_DIAGONAL)?);
        Ok(velocity.into_iter().zip(strain).filter(|&(v, e)| !(finite(v) && finite(e))).count())
    }

    /// Downloads the pair gradients; returns `None` if they would take too much of the host's memory.
    fn gradients(&self) -> Result<Option<Gradients>, GpuError> {
        let range: Vec<[u32; 2]> = self.store.download(NEIGHBOR_RANGE, self.problem.particle_count())?;
        let lists: Vec<List> = range.into_iter().map(List::from).collect();
        let pairs = List::extent(&lists);
        if pairs > MAX_TRACED_PAIRS {
            return Ok(None);
        }
        let (diagonal, shear) = (self.vectors(STRAIN_DIAGONAL)?, self.vectors(STRAIN_SHEAR)?);
        let unstrained = |row: &[f32; 4]| row[..3].iter().all(|value| *value == 0.0);
        let apart = std::iter::zip(diagonal, shear)
            .map(|(diagonal, shear)| diagonal[3] > 1.0 && unstrained(&diagonal) && unstrained(&shear));
        Ok(Some(Gradients { lists, pair: self.store.download(PAIR, pairs)?, apart: apart.collect() }))
    }

    fn look_at_folds(
        &self,
        trace: &mut Trace,
        point: Point,
        dt: f64,
        gradients: &Gradients,
    ) -> Result<(), GpuError> {
        let velocity = self.vectors(VELOCITY)?;
        let at = |p: usize| DVec3::new(velocity[p][0].into(), velocity[p][1].into(), velocity[p][2].into());
        trace.folds(point, |p| {
            if gradients.apart[p] {
                return 1.0;
            }
            let mut gradient = DMat3::ZERO;
            for record in gradients.lists[p].records().map(|i| &gradients.pair[i]) {
                let g = [1, 2, 3].map(|i| f64::from(f32::from_bits(record[i])));
                let relative = at((record[0] & INDEX_MASK) as usize) - at(p);
                gradient += DMat3::from_cols(relative * g[0], relative * g[1], relative * g[2]);
            }
            (DMat3::IDENTITY + dt * gradient).determinant()
        });
        Ok(())
    }
}

/// Commands of a substep that are run together, and the point after them at which values are inspected.
struct Part {
    commands: Range<usize>,
    look: Option<Look>,
}

/// A point of a substep at which values are inspected.
#[derive(Clone, Copy)]
struct Look {
    after: After,
    iteration: Option<u32>,
    color: Option<u32>,
}

/// Last event before an inspection.
#[derive(Clone, Copy, PartialEq)]
enum After {
    /// The sort: values are those at the start.
    Start,
    /// A Newton solve: its result is velocities.
    NewtonSolve,
    /// A stage.
    Stage(Stage),
}

impl Look {
    fn point(self) -> Point {
        let stage = match self.after {
            After::Start => START,
            After::NewtonSolve => NEWTON_SOLVE,
            After::Stage(stage) => stage.declaration().name,
        };
        Point { stage, iteration: self.iteration, color: self.color }
    }

    /// Returns the attributes to inspect in the order of blame, with their names.
    fn values(self) -> &'static [(AttributeId, &'static str)] {
        match self.after {
            After::Start => &[
                (POSITION, "position"),
                (VELOCITY, "velocity"),
                (STRAIN_DIAGONAL, "strain"),
                (STRAIN_SHEAR, "strain"),
                (MEMORY, "memory"),
                (STATE, "state"),
            ],
            After::NewtonSolve => &[(VELOCITY, "velocity")],
            After::Stage(stage) => stage.facts().looked_at,
        }
    }
}

/// Cuts the recording of a substep at the points where values are inspected.
fn parts(recording: &Recording) -> Vec<Part> {
    let stages: Vec<Option<Stage>> = (recording.commands.iter())
        .map(|command| match command {
            Command::Dispatch { stage, .. } => Stage::of(*stage),
            Command::Fill { .. } | Command::Copy { .. } => None,
        })
        .collect();
    let (mut parts, mut begin, mut iteration, mut color) = (Vec::new(), 0, 0, 0);
    let newton = stages.iter().rposition(|stage| *stage == Some(Stage::NewtonUpdate));
    for (index, &stage) in stages.iter().enumerate() {
        let done = stages.get(index + 1) != Some(&stage);
        let mut cut = |after: After, iteration: Option<u32>, color: Option<u32>| {
            parts.push(Part { commands: begin..index + 1, look: Some(Look { after, iteration, color }) });
            begin = index + 1;
        };
        let Some(stage) = stage else { continue };
        match stage {
            Stage::CountIteration => (iteration, color) = (iteration + 1, 0),
            Stage::SolveInelastic | Stage::SolveGrains => {
                cut(After::Stage(stage), Some(iteration), Some(color));
                color += 1;
                if done {
                    cut(After::Stage(stage), Some(iteration), None);
                }
            }
            Stage::Sort => cut(After::Start, None, None),
            _ if newton == Some(index) => cut(After::NewtonSolve, None, None),
            _ if done && !stage.facts().looked_at.is_empty() => {
                // Stages from the smoothing on belong to no iteration.
                if stage == Stage::SmoothVelocity {
                    iteration = 0;
                }
                let iterated = iteration > 0 && !matches!(stage, Stage::Commit | Stage::CommitGrains);
                cut(After::Stage(stage), iterated.then_some(iteration), None);
            }
            _ => {}
        }
    }
    parts.push(Part { commands: begin..stages.len(), look: None });
    parts
}

fn finite(row: [f32; 4]) -> bool {
    row.iter().all(|c| c.is_finite())
}
