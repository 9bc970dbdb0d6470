//! Records and runs batches of substeps.

use tuff_gpu::{AttributeId, GpuError, Recording, RunOptions, StageTime};
use tuff_problem::{Attempt, Face, FailureKind, FrameReport, Refusal, Step, Steps, residual_limit};

use super::GpuSolver;
use crate::attributes::{
    COLLIDER, COLOR_COUNT, EXTENTS, Extent, MEETING, MESH_KNOT, MESH_SPAN, PAIR, PAIR_FORCE, PIN, REVERSE,
    STATUS, Sizes,
};
use crate::colliders::deform::Batch;
use crate::colliders::{pack_colliders, pack_pins, word_count};
use crate::constants::{
    COLORS, FAILED_FOLD, FAILED_LIST, FAILED_MEETINGS, FAILED_NOT_FINITE, FAILED_PAIRS, FAILED_PASSES,
    FAILED_UNBALANCED, PIN_WORDS, STATUS_ITERATIONS, STATUS_WORDS, STOPPED,
};
use crate::profile::Work;
use crate::push::Push;
use crate::setup;
use crate::status::Status;
use crate::substep::Recorder;

impl GpuSolver {
    /// Runs substeps; enlarges buffers or the number of passes if they did not suffice.
    pub(super) fn attempted(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, GpuError> {
        let steps = self.with_room(steps);
        let status = self.run(steps)?;
        report.iterations += u64::from(status.iterations);
        report.neighbor_pairs = u64::from(status.pairs);
        if steps.measured {
            report.residual = status.residual();
        }
        report.counters += &status.counters;
        let particle = (status.particle != u32::MAX).then_some(status.particle);
        let failed = |bits: u32| status.failed & bits != 0;
        let broken = |kind| Some(Refusal::Broken(kind, particle));
        let refusal = if failed(FAILED_NOT_FINITE) {
            broken(FailureKind::NotFinite)
        } else if failed(FAILED_LIST) {
            broken(FailureKind::TooManyNeighbors)
        } else if failed(FAILED_PAIRS) {
            self.grow(status.records_needed.into(), report)?;
            None
        } else if failed(FAILED_MEETINGS) {
            self.grow_meetings(status.meetings.into(), report)?;
            None
        } else if failed(STOPPED) {
            self.fracture(report)?;
            None
        } else if failed(FAILED_PASSES) {
            self.passes *= 2;
            None
        } else if failed(FAILED_UNBALANCED) {
            Some(Refusal::Unbalanced)
        } else if failed(FAILED_FOLD) {
            broken(FailureKind::Folded)
        } else {
            None
        };
        Ok(Attempt { completed: status.completed, refusal })
    }

    /// Shortens a batch for which the positions of deforming meshes do not fit.
    fn with_room(&self, mut steps: Steps) -> Steps {
        let room = self.store.count(MESH_KNOT);
        while steps.count > 1 && Batch::position_count(&self.problem, steps) > room {
            steps = Steps { count: steps.count / 2, measured: false, ..steps };
        }
        steps
    }

    /// Makes room for `needed` pair records and a few more.
    fn grow(&mut self, needed: u64, report: &mut FrameReport) -> Result<(), GpuError> {
        report.counters.buffers_grown += 1;
        let count = needed + needed / 16;
        let newton: &[_] = if self.problem.scene.solver.newton() { &[REVERSE, PAIR_FORCE] } else { &[] };
        let mut arrays = [PAIR].iter().chain(newton);
        arrays.try_for_each(|&array| self.store.resize(array, count))
    }

    /// Makes room for `needed` contacts with sheets and a few more.
    fn grow_meetings(&mut self, needed: u64, report: &mut FrameReport) -> Result<(), GpuError> {
        report.counters.buffers_grown += 1;
        let count = needed + needed / 2;
        for (id, extent) in (0..).map(AttributeId).zip(EXTENTS) {
            if let Extent::Meeting(words) = extent {
                self.store.resize(id, count * words)?;
            }
        }
        Ok(())
    }

    /// Records and runs substeps; undoes a substep that folded or became non-finite.
    fn run(&mut self, steps: Steps) -> Result<Status, GpuError> {
        if !self.rigid.is_empty() {
            return self.run_coupled(steps);
        }
        let recording = self.load(steps)?;
        self.sorted = Some(self.grid);
        let timed = self.collector.is_some();
        let run = self.executor.run(&self.store, &recording, RunOptions { timestamps: timed })?;
        self.concluded(steps, &recording, &run.stages)
    }

    /// As [`run`](Self::run), for a substep with rigid bodies.
    fn run_coupled(&mut self, steps: Steps) -> Result<Status, GpuError> {
        self.sorted = Some(self.grid);
        let mut recording = Recording::new();
        let mut progress = self.run_in_turns(steps, &mut recording)?;
        self.run_part(&mut recording, &mut progress)?;
        let mut status = self.concluded(steps, &progress.done, &progress.times)?;
        if status.completed == 1 {
            self.rigid.commit();
            let speed = 0.5 * self.problem.scene.solver.kernel_radius / steps.dt;
            status.counters.fast_particles += self.rigid.count_fast(speed);
        } else {
            self.rigid.refuse();
        }
        Ok(status)
    }

    /// Reads the status after substeps, adds them to a profile, and undoes a substep that folded or became non-finite.
    fn concluded(
        &mut self,
        steps: Steps,
        recording: &Recording,
        times: &[StageTime],
    ) -> Result<Status, GpuError> {
        let words: Vec<u32> = self.store.download(STATUS, STATUS_WORDS as usize)?;
        let mut block = Status::initial();
        block.copy_from_slice(&words);
        let status = Status::read(&block);
        if let Some(collector) = &mut self.collector {
            let settings = &self.problem.scene.solver;
            let cells = u64::from(self.grid.cell_count());
            let sizes = setup::sizes(&self.problem, status.pairs.into());
            let sizes = Sizes { meetings: status.meetings.into(), ..sizes };
            let judged = settings.residual_tolerance > 0.0;
            let work = Work {
                sizes: Sizes { cells, batch: 1, ..sizes },
                color_count: &self.store.download(COLOR_COUNT, COLORS as usize + 1)?,
                lanes: self.mapping.lanes,
                sharers: self.mapping.sharers(),
                settings,
                failed: status.failed,
                iterations: block[STATUS_ITERATIONS as usize],
            };
            let residual = (steps.measured || judged).then(|| status.residual());
            let counts = [status.iterations, status.pairs];
            collector.add(counts, residual, |end| work.dispatches(recording, times, end));
        }
        if status.failed & (FAILED_FOLD | FAILED_NOT_FINITE) != 0 {
            self.return_to_start()?;
        }
        Ok(status)
    }

    /// Uploads the data that substeps need from the host, and records the substeps.
    pub(super) fn load(&mut self, steps: Steps) -> Result<Recording, GpuError> {
        let push = self.upload(steps)?;
        let scene = &self.problem.scene;
        let mut recording = Recording::new();
        let meshes = self.store.count(MESH_SPAN) as u32 / (2 * setup::MAX_BATCH as u32);
        let mut recorder = Recorder::new(&mut recording, &self.problem, push, self.passes);
        for i in 0..steps.count {
            recorder.push.first_collider = i * word_count(&self.problem.faces) as u32;
            recorder.push.first_span = i * 2 * meshes;
            recorder.push.first_pin = i * (scene.pins.len() as u32 * PIN_WORDS);
            recorder.substep(&scene.solver, steps.measured && i + 1 == steps.count);
        }
        Ok(recording)
    }

    /// Uploads the data that substeps need from the host; returns the push constants of the first.
    pub(super) fn upload(&mut self, steps: Steps) -> Result<Push, GpuError> {
        let deforming = Batch::of(&self.problem, steps);
        let mut pins = Vec::new();
        for i in 0..steps.count {
            let step = steps.step(i);
            self.place(i, step, |c| deforming.speed(c))?;
            pack_pins(&self.problem.scene.pins, step.time, step.dt, &mut pins);
        }
        for (i, word) in pins.iter().enumerate() {
            self.store.write_mapped(PIN, i, word)?;
        }
        for (i, word) in deforming.spans.iter().enumerate() {
            self.store.write_mapped(MESH_SPAN, i, word)?;
        }
        if !deforming.knots.is_empty() {
            self.store.upload(MESH_KNOT, &deforming.knots)?;
        }
        self.store.upload(STATUS, &Status::initial())?;
        let (pairs, meetings) = (self.store.count(PAIR), self.store.count(MEETING));
        let push = setup::push(&self.problem, &self.grid, steps.dt, pairs, meetings);
        let residual_limit = residual_limit(&self.problem.scene.solver, steps.halvings).unwrap_or(0.0) as f32;
        Ok(Push { residual_limit, ..push })
    }

    /// Writes the faces for `step` to a place of the batch. `speed`: largest speed of a vertex of a collider's mesh relative to its rigid
    /// motion [m/s].
    pub(super) fn place(
        &mut self,
        place: u32,
        step: Step,
        speed: impl Fn(usize) -> f64,
    ) -> Result<(), GpuError> {
        let poses = |face: &Face| match face.rigid {
            Some(body) => self.rigid.poses(body),
            None => [step.time, step.end()].map(|time| face.surface.motion.pose(time)),
        };
        let mut words = Vec::new();
        pack_colliders(&self.problem.faces, step.dt, poses, speed, &mut words)
            .map_err(|error| GpuError::Invalid(error.to_string()))?;
        let first = place as usize * words.len();
        for (i, word) in words.iter().enumerate() {
            self.store.write_mapped(COLLIDER, first + i, word)?;
        }
        Ok(())
    }
}
