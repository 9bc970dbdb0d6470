//! Frames: batches of substeps, their failures and their repair.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tuff_gpu::{Device, Executor, ExecutorOptions, GpuError, Recording, RunOptions, Store};
use tuff_problem::{
    Counters, Energies, Failure, Frame, FrameReport, Grid, Problem, Replacement, Residual, Simulation,
    SimulationError, density_limits,
};

use crate::attributes::*;
use crate::blame;
use crate::colliders::{pack_colliders, pack_pins, profile_points};
use crate::constants::{
    COLLIDER_WORDS, FAILED_FOLD, FAILED_LIST, FAILED_NOT_FINITE, FAILED_PAIRS, PIN_WORDS, STATUS_WORDS, TILE,
};
use crate::mapping::Mapping;
use crate::push::FIELDS;
use crate::setup::{self, FIRST_PAIRS_PER_PARTICLE, MAX_BATCH, MIN_SUBGROUP, Options, SolverError};
use crate::stages;
use crate::status::Status;
use crate::substep::Recorder;
use crate::transfer;

/// Seconds that a batch should take, so that an interrupt is seen soon.
const BATCH_SECONDS: f64 = 0.5;

/// Device time of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct StageProfile {
    /// Name of the stage.
    pub name: &'static str,
    /// Dispatches measured.
    pub dispatches: u64,
    /// Device time of all of them [s].
    pub seconds: f64,
}

/// A simulation on a Vulkan device.
pub struct GpuSimulation {
    problem: Problem,
    device: Arc<Device>,
    store: Store,
    executor: Executor,
    mapping: Mapping,
    grid: Grid,
    frame: u32,
    batch: u32,
    fixed_batch: Option<u32>,
    profile: Option<Vec<StageProfile>>,
    measured: bool,
}

/// A batch that did not complete.
enum Setback {
    /// More pair records are needed.
    Pairs(u64),
    /// The substep after the completed ones folded the neighborhood of a particle.
    Fold(Option<u32>),
}

/// Where in a frame a batch is.
#[derive(Clone, Copy)]
struct Span {
    /// Start of the frame [s].
    frame: f64,
    /// First substep, counted in steps of `dt` from the start of the frame.
    first: u32,
    dt: f64,
    count: u32,
    measured: bool,
}

impl GpuSimulation {
    /// Opens a device, compiles the stages and uploads the particles.
    ///
    /// # Errors
    /// When there is no usable device, the problem exceeds a limit, memory does not suffice, or a shader
    /// (a model's included) does not compile.
    pub fn new(problem: &Problem, options: &Options) -> Result<Self, SolverError> {
        setup::check_limits(problem)?;
        blame::check_names(problem)?;
        let device = Device::open(options.device.as_deref())?;
        let subgroup = device.info().subgroup_size;
        if subgroup < MIN_SUBGROUP {
            return Err(SolverError::Subgroup { device: device.info().name.clone(), size: subgroup });
        }
        let mapping = options.mapping.unwrap_or_else(|| Mapping::choose(device.info()));
        let pairs = FIRST_PAIRS_PER_PARTICLE * problem.particle_count() as u64;
        let counts = setup::sizes(problem, pairs).counts();
        let mut store = match options.store {
            None => Store::new(&device, TABLE, &counts)?,
            Some(store) => Store::with_options(&device, TABLE, &counts, store)?,
        };
        let stages = stages::specialized(problem, mapping);
        let executor =
            Executor::new(&device, &store, stages, ExecutorOptions { push: FIELDS, ..Default::default() })
                .map_err(|error| blame::blame(error, problem))?;
        transfer::upload(problem, &mut store)?;
        for (i, point) in profile_points(&problem.faces).iter().enumerate() {
            store.write_mapped(PROFILE_POINT, i, point)?;
        }
        for (body, limit) in density_limits(problem).iter().enumerate() {
            store.write_mapped(DENSITY_LIMIT, body, &(*limit as f32))?;
        }
        let (min, max) = problem.bounds();
        let grid = problem.grid(min, max);
        pack_colliders(&problem.faces, 0.0, problem.dt(), &mut Vec::new())?;
        Ok(Self {
            problem: problem.clone(),
            device,
            store,
            executor,
            mapping,
            grid,
            frame: problem.scene.time.first_frame,
            batch: options.batch.map_or(1, |b| b.clamp(1, MAX_BATCH as u32)),
            fixed_batch: options.batch,
            profile: None,
            measured: true,
        })
    }

    /// Whether the last substep of a frame computes the force residual, which costs about two sweeps; it does
    /// unless told otherwise.
    pub fn set_measured(&mut self, measured: bool) {
        self.measured = measured;
    }

    /// Measures the device time of every stage from now on. Timestamps cost a little time themselves.
    pub fn enable_profile(&mut self) {
        let names = stages::DECLARATIONS.iter();
        self.profile =
            Some(names.map(|d| StageProfile { name: d.name, dispatches: 0, seconds: 0.0 }).collect());
    }

    /// Times of the stages since [`enable_profile`](Self::enable_profile), in the order of the substep; empty before it.
    pub fn profile(&self) -> &[StageProfile] {
        self.profile.as_deref().unwrap_or_default()
    }

    /// Device memory in use [bytes].
    pub fn memory(&self) -> u64 {
        self.store.bytes()
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The arrays on the device, for tests and tools.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The arrays on the device, to overwrite committed state between substeps: tests prescribe motions so.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Advances by `count` substeps of the scene's length without finishing a frame. Motions of colliders and pins
    /// start again at the frame's beginning with every call.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_substeps(
        &mut self,
        count: u32,
        cancel: &AtomicBool,
    ) -> Result<FrameReport, SimulationError> {
        let time = &self.problem.scene.time;
        let start = f64::from(self.frame - time.first_frame) / time.frame_rate;
        self.span(start, count, cancel)
    }

    fn span(&mut self, start: f64, count: u32, cancel: &AtomicBool) -> Result<FrameReport, SimulationError> {
        let clock = Instant::now();
        let dt = self.problem.dt();
        let mut report = FrameReport { frame: self.frame + 1, ..FrameReport::default() };
        let record = |error: GpuError| SimulationError::Device(error.to_string());
        self.clear_impulses().map_err(record)?;
        let mut done = 0;
        while done < count {
            if cancel.load(Ordering::Relaxed) {
                return Err(SimulationError::Interrupted);
            }
            let size = self.batch.min(count - done);
            let batch_clock = Instant::now();
            let span = Span {
                frame: start,
                first: done,
                dt,
                count: size,
                measured: self.measured && done + size == count,
            };
            let completed = self.batch(span, &mut report, done)?;
            done += completed;
            report.substeps += completed;
            let seconds = batch_clock.elapsed().as_secs_f64() / f64::from(completed.max(1));
            if self.fixed_batch.is_none() {
                self.batch = ((BATCH_SECONDS / seconds.max(1e-6)) as u32).clamp(1, MAX_BATCH as u32);
            }
        }
        self.diagnose(&mut report).map_err(record)?;
        report.wall_seconds = clock.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Runs a batch and repairs what can be repaired. Returns how many substeps of the scene's length are done.
    fn batch(&mut self, span: Span, report: &mut FrameReport, done: u32) -> Result<u32, SimulationError> {
        let (completed, setback) = self.attempt(span, report, done)?;
        match setback {
            None => Ok(completed),
            Some(Setback::Pairs(needed)) => {
                self.grow(needed, report)?;
                Ok(completed)
            }
            Some(Setback::Fold(_)) => {
                report.substeps += 1;
                report.counters.substeps_halved += 1;
                let at = span.first + completed;
                let last = completed + 1 == span.count;
                for half in 0..2 {
                    let measured = span.measured && last && half == 1;
                    let half_span =
                        Span { first: 2 * at + half, dt: 0.5 * span.dt, count: 1, measured, ..span };
                    self.half(half_span, report, done + completed)?;
                }
                Ok(completed + 1)
            }
        }
    }

    /// Half a substep, which may not fold again.
    fn half(&mut self, span: Span, report: &mut FrameReport, done: u32) -> Result<(), SimulationError> {
        loop {
            match self.attempt(span, report, done)?.1 {
                None => return Ok(()),
                Some(Setback::Pairs(needed)) => self.grow(needed, report)?,
                Some(Setback::Fold(particle)) => {
                    let what = "a neighborhood folded, in half a substep too".to_owned();
                    return Err(self.failure(what, particle, done, "commit"));
                }
            }
        }
    }

    /// Room for `needed` pair records and a few more.
    fn grow(&mut self, needed: u64, report: &mut FrameReport) -> Result<(), SimulationError> {
        report.counters.buffers_grown += 1;
        let count = needed + needed / 16;
        self.store.resize(PAIR, count).map_err(|error| SimulationError::Device(error.to_string()))
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
            report.residual =
                Residual { force: status.residual.into(), multiplier: status.multiplier.into() };
        }
        add(&mut report.counters, &status.counters);
        let particle = (status.particle != u32::MAX).then_some(status.particle);
        let at = done + status.completed;
        if status.failed & FAILED_NOT_FINITE != 0 {
            let what = "a position, velocity or strain is not finite".to_owned();
            return Err(self.failure(what, particle, at, "commit"));
        }
        if status.failed & FAILED_LIST != 0 {
            let what = "a particle has more than 65535 neighbors".to_owned();
            return Err(self.failure(what, particle, at, "find_neighbors"));
        }
        if status.failed & FAILED_PAIRS != 0 {
            return Ok((status.completed, Some(Setback::Pairs(status.pairs_needed.into()))));
        }
        if status.failed & FAILED_FOLD != 0 {
            return Ok((status.completed, Some(Setback::Fold(particle))));
        }
        Ok((status.completed, None))
    }

    fn failure(
        &self,
        what: String,
        particle: Option<u32>,
        substep: u32,
        stage: &'static str,
    ) -> SimulationError {
        SimulationError::Failed(Box::new(Failure { what, particle, frame: self.frame + 1, substep, stage }))
    }

    /// Records and runs the substeps of a span; a folded substep is undone.
    fn run(&mut self, span: Span) -> Result<Status, GpuError> {
        let scene = &self.problem.scene;
        let (mut colliders, mut pins) = (Vec::new(), Vec::new());
        for i in 0..span.count {
            let start = span.frame + f64::from(span.first + i) * span.dt;
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
        let mut recorder = Recorder { recording: &mut recording, push };
        for i in 0..span.count {
            recorder.push.first_collider = i * (self.problem.faces.len() as u32 * COLLIDER_WORDS);
            recorder.push.first_pin = i * (scene.pins.len() as u32 * PIN_WORDS);
            recorder.substep(&scene.solver, span.measured && i + 1 == span.count);
        }
        let timed = self.profile.is_some();
        let run = self.executor.run(&self.store, &recording, RunOptions { timestamps: timed })?;
        if let Some(profile) = &mut self.profile {
            for time in &run.stages {
                let entry = &mut profile[usize::from(time.stage.0)];
                entry.dispatches += 1;
                entry.seconds += time.ns as f64 * 1e-9;
            }
        }
        let words: Vec<u32> = self.store.download(STATUS, STATUS_WORDS as usize)?;
        let mut block = Status::initial();
        block.copy_from_slice(&words);
        let status = Status::read(&block);
        if status.failed & FAILED_FOLD != 0 {
            self.restore()?;
        }
        Ok(status)
    }

    /// Commits the state at the start of the last substep again.
    fn restore(&mut self) -> Result<(), GpuError> {
        let bytes = 16 * self.problem.particle_count() as u64;
        let mut recording = Recording::new();
        for (from, to) in [
            (POSITION, COMMITTED_POSITION),
            (POSITION_LOW, COMMITTED_POSITION_LOW),
            (VELOCITY_START, COMMITTED_VELOCITY),
            (STRAIN_DIAGONAL, COMMITTED_STRAIN_DIAGONAL),
            (STRAIN_SHEAR, COMMITTED_STRAIN_SHEAR),
            (MEMORY, COMMITTED_MEMORY),
            (STATE, COMMITTED_STATE),
            (IDENTITY, COMMITTED_IDENTITY),
        ] {
            recording.copy(from, to, bytes);
        }
        self.executor.run(&self.store, &recording, RunOptions::default()).map(|_| ())
    }

    fn clear_impulses(&mut self) -> Result<(), GpuError> {
        let mut recording = Recording::new();
        recording.fill(COLLIDER_IMPULSE, 0);
        self.executor.run(&self.store, &recording, RunOptions::default()).map(|_| ())
    }

    /// Energies, speed, impulses and the grid of the next frame. Partial sums are added in a fixed order.
    fn diagnose(&mut self, report: &mut FrameReport) -> Result<(), GpuError> {
        let push = setup::push(&self.problem, &self.grid, self.problem.dt(), 0);
        let mut recording = Recording::new();
        Recorder { recording: &mut recording, push }.diagnose();
        self.executor.run(&self.store, &recording, RunOptions::default())?;
        let tiles = self.problem.particle_count().div_ceil(TILE as usize);
        let partial: Vec<[f32; 4]> = self.store.download(PARTIAL, 3 * tiles)?;
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let mut energies = Energies::default();
        for tile in partial.chunks_exact(3) {
            energies.kinetic += f64::from(tile[0][0]);
            energies.elastic += f64::from(tile[0][1]);
            energies.gravity += f64::from(tile[0][2]);
            report.max_speed = report.max_speed.max(f64::from(tile[0][3]));
            for axis in 0..3 {
                min[axis] = min[axis].min(f64::from(tile[1][axis]));
                max[axis] = max[axis].max(f64::from(tile[2][axis]));
            }
        }
        report.energies = energies;
        if tiles > 0 {
            self.grid = self.problem.grid(min, max);
        }
        let faces = &self.problem.faces;
        report.collider_impulse = vec![[0.0; 3]; self.problem.scene.colliders.len()];
        if !faces.is_empty() {
            let received: Vec<[f32; 4]> = self.store.download(COLLIDER_IMPULSE, tiles * faces.len())?;
            for row in received.chunks_exact(faces.len()) {
                for (face, part) in faces.iter().zip(row) {
                    for (total, part) in report.collider_impulse[face.collider].iter_mut().zip(part) {
                        *total += f64::from(*part);
                    }
                }
            }
        }
        Ok(())
    }
}

fn add(total: &mut Counters, part: &Counters) {
    total.stretch_clamped += part.stretch_clamped;
    total.fold_limited += part.fold_limited;
    total.tip_released += part.tip_released;
    total.rank_deficient += part.rank_deficient;
    total.isolated += part.isolated;
    total.position_corrected += part.position_corrected;
    total.contact_overflow += part.contact_overflow;
    total.fast_particles += part.fast_particles;
}

impl Simulation for GpuSimulation {
    fn frame(&mut self) -> Result<Frame, SimulationError> {
        let time = &self.problem.scene.time;
        let seconds = f64::from(self.frame - time.first_frame) / time.frame_rate;
        transfer::download(&self.problem, &self.store, self.frame, seconds)
            .map_err(|error| SimulationError::Device(error.to_string()))
    }

    fn advance(&mut self, cancel: &AtomicBool) -> Result<FrameReport, SimulationError> {
        let report = self.advance_substeps(self.problem.substeps_per_frame(), cancel)?;
        self.frame += 1;
        Ok(report)
    }

    fn replace_models(&mut self, replacement: &Replacement) -> Result<(), SimulationError> {
        let old = self.problem.replace(replacement.clone());
        let stages = stages::specialized(&self.problem, self.mapping);
        let specializations = stages.into_iter().map(|(_, specialization)| specialization).collect();
        let outcome = blame::check_names(&self.problem).and_then(|()| {
            let compiled = self.executor.respecialize(&self.store, specializations);
            compiled.map_err(|error| blame::blame(error, &self.problem))
        });
        outcome.map_err(|error| {
            self.problem.replace(old);
            SimulationError::Device(error.to_string())
        })
    }

    fn device_name(&self) -> String {
        self.device.info().name.clone()
    }
}
