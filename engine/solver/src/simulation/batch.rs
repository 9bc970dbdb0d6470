//! Batches of substeps: recorded, run, and repaired where they did not complete.

use tuff_gpu::{GpuError, Recording, RunOptions};
use tuff_problem::{FailureKind, FrameReport, SimulationError, most_residual};

use super::GpuSimulation;
use crate::attributes::{COLLIDER, COLOR_COUNT, PAIR, PAIR_FORCE, PIN, REVERSE, STATUS, Sizes};
use crate::colliders::{pack_colliders, pack_pins};
use crate::constants::{
    COLLIDER_WORDS, COLORS, FAILED_FOLD, FAILED_LIST, FAILED_NOT_FINITE, FAILED_PAIRS, FAILED_PASSES,
    FAILED_UNBALANCED, PIN_WORDS, STATUS_ITERATIONS, STATUS_WORDS,
};
use crate::profile::Work;
use crate::push::Push;
use crate::setup;
use crate::status::Status;
use crate::substep::Recorder;

/// A batch that did not complete.
enum Setback {
    /// More pair records are needed.
    Pairs(u64),
    /// More passes of the Newton solve are needed.
    Passes,
    /// The Newton solve of the substep after the completed ones ended far from balance.
    Unbalanced,
    /// The substep after the completed ones folded the neighborhood of a particle.
    Fold(Option<u32>),
}

/// Where in a frame a batch is.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// Start of the frame [s].
    pub(super) frame: f64,
    /// First substep, counted in steps of `dt` from the start of the frame.
    pub(super) first: u32,
    pub(super) dt: f64,
    pub(super) count: u32,
    pub(super) measured: bool,
    /// How often the substeps were halved already, and whether for a fold.
    pub(super) halvings: u32,
    pub(super) folded: bool,
}

impl Span {
    /// Start of substep `i` of the span [s].
    pub(super) fn start(&self, i: u32) -> f64 {
        self.frame + f64::from(self.first + i) * self.dt
    }
}

impl GpuSimulation {
    /// Runs a batch and repairs what can be repaired. Returns how many substeps of the scene's length are done.
    pub(super) fn batch(
        &mut self,
        span: Span,
        report: &mut FrameReport,
        done: u32,
    ) -> Result<u32, SimulationError> {
        let (completed, setback) = self.attempt(span, report, done)?;
        match setback {
            None => Ok(completed),
            Some(Setback::Pairs(needed)) => {
                self.grow(needed, report)?;
                Ok(completed)
            }
            Some(Setback::Passes) => {
                self.passes *= 2;
                Ok(completed)
            }
            Some(setback @ (Setback::Unbalanced | Setback::Fold(_))) => {
                let measured = span.measured && completed + 1 == span.count;
                let failed = Span { first: span.first + completed, count: 1, measured, ..span };
                self.halves(failed, matches!(setback, Setback::Fold(_)), report, done + completed)?;
                Ok(completed + 1)
            }
        }
    }

    /// A substep or a part of one in two halves.
    fn halves(
        &mut self,
        whole: Span,
        folded: bool,
        report: &mut FrameReport,
        done: u32,
    ) -> Result<(), SimulationError> {
        report.substeps += 1;
        report.counters.substeps_halved += 1;
        for half in 0..2 {
            let first = 2 * whole.first + half;
            let measured = whole.measured && half == 1;
            let halvings = whole.halvings + 1;
            self.part(Span { first, dt: 0.5 * whole.dt, measured, halvings, folded, ..whole }, report, done)?;
        }
        Ok(())
    }

    /// A part of a substep. One that folds, like the whole it is half of, ends the run.
    fn part(&mut self, span: Span, report: &mut FrameReport, done: u32) -> Result<(), SimulationError> {
        loop {
            match self.attempt(span, report, done)?.1 {
                None => return Ok(()),
                Some(Setback::Pairs(needed)) => self.grow(needed, report)?,
                Some(Setback::Passes) => self.passes *= 2,
                Some(Setback::Fold(particle)) if span.folded => {
                    return Err(self.failure(FailureKind::Folded, particle, span, done, report));
                }
                Some(setback) => {
                    return self.halves(span, matches!(setback, Setback::Fold(_)), report, done);
                }
            }
        }
    }

    /// Room for `needed` pair records and a few more.
    fn grow(&mut self, needed: u64, report: &mut FrameReport) -> Result<(), SimulationError> {
        report.counters.buffers_grown += 1;
        let count = needed + needed / 16;
        let newton: &[_] = if self.problem.scene.solver.newton() { &[REVERSE, PAIR_FORCE] } else { &[] };
        let mut arrays = [PAIR].iter().chain(newton);
        let resized = arrays.try_for_each(|&array| self.store.resize(array, count));
        resized.map_err(|error| SimulationError::Device(error.to_string()))
    }

    fn attempt(
        &mut self,
        span: Span,
        report: &mut FrameReport,
        done: u32,
    ) -> Result<(u32, Option<Setback>), SimulationError> {
        let status = self.run(span).map_err(|error| SimulationError::Device(error.to_string()))?;
        report.iterations += u64::from(status.iterations);
        report.neighbor_pairs = u64::from(status.pairs_needed);
        if span.measured {
            report.residual = status.residual();
        }
        report.counters += &status.counters;
        let particle = (status.particle != u32::MAX).then_some(status.particle);
        let at = done + status.completed;
        let broken =
            [(FAILED_NOT_FINITE, FailureKind::NotFinite), (FAILED_LIST, FailureKind::TooManyNeighbors)];
        if let Some((_, kind)) = broken.into_iter().find(|(bit, _)| status.failed & bit != 0) {
            let failed = Span { first: span.first + status.completed, count: 1, ..span };
            return Err(self.failure(kind, particle, failed, at, report));
        }
        if status.failed & FAILED_PAIRS != 0 {
            return Ok((status.completed, Some(Setback::Pairs(status.pairs_needed.into()))));
        }
        if status.failed & FAILED_PASSES != 0 {
            return Ok((status.completed, Some(Setback::Passes)));
        }
        if status.failed & FAILED_UNBALANCED != 0 {
            return Ok((status.completed, Some(Setback::Unbalanced)));
        }
        if status.failed & FAILED_FOLD != 0 {
            return Ok((status.completed, Some(Setback::Fold(particle))));
        }
        Ok((status.completed, None))
    }

    /// Records and runs the substeps of a span; a folded substep is undone.
    fn run(&mut self, span: Span) -> Result<Status, GpuError> {
        let recording = self.load(span)?;
        self.sorted = Some(self.grid);
        let timed = self.collector.is_some();
        let run = self.executor.run(&self.store, &recording, RunOptions { timestamps: timed })?;
        let words: Vec<u32> = self.store.download(STATUS, STATUS_WORDS as usize)?;
        let mut block = Status::initial();
        block.copy_from_slice(&words);
        let status = Status::read(&block);
        if let Some(collector) = &mut self.collector {
            let settings = &self.problem.scene.solver;
            let cells = u64::from(self.grid.cell_count());
            let sizes = setup::sizes(&self.problem, status.pairs_needed.into());
            let judged = settings.residual_tolerance > 0.0;
            let work = Work {
                sizes: Sizes { cells, batch: 1, ..sizes },
                color_count: &self.store.download(COLOR_COUNT, COLORS as usize + 1)?,
                lanes: self.mapping.lanes,
                settings,
                failed: status.failed,
                iterations: block[STATUS_ITERATIONS as usize],
            };
            let residual = (span.measured || judged).then(|| status.residual());
            collector.add(&status, residual, |end| work.dispatches(&recording, &run.stages, end));
        }
        if status.failed & FAILED_FOLD != 0 {
            self.restore()?;
        }
        Ok(status)
    }

    /// Uploads what the substeps of a span need from the host and records them.
    pub(super) fn load(&mut self, span: Span) -> Result<Recording, GpuError> {
        let scene = &self.problem.scene;
        let (mut colliders, mut pins) = (Vec::new(), Vec::new());
        for i in 0..span.count {
            let start = span.start(i);
            pack_colliders(&self.problem.faces, start, span.dt, &mut colliders)
                .map_err(|error| GpuError::Invalid(error.to_string()))?;
            pack_pins(&scene.pins, start, span.dt, &mut pins);
        }
        for (i, word) in colliders.iter().enumerate() {
            self.store.write_mapped(COLLIDER, i, word)?;
        }
        for (i, word) in pins.iter().enumerate() {
            self.store.write_mapped(PIN, i, word)?;
        }
        self.store.upload(STATUS, &Status::initial())?;

        let mut recording = Recording::new();
        let push = setup::push(&self.problem, &self.grid, span.dt, self.store.count(PAIR));
        let most_residual = most_residual(&scene.solver, span.halvings).unwrap_or(0.0) as f32;
        let push = Push { most_residual, ..push };
        let mut recorder = Recorder { recording: &mut recording, push, passes: self.passes };
        for i in 0..span.count {
            recorder.push.first_collider = i * (self.problem.faces.len() as u32 * COLLIDER_WORDS);
            recorder.push.first_pin = i * (scene.pins.len() as u32 * PIN_WORDS);
            recorder.substep(&scene.solver, span.measured && i + 1 == span.count);
        }
        Ok(recording)
    }
}
