//! Frames: as many batches of substeps as they take, and what is said of them.

mod batch;
mod failure;
mod keep;

use std::sync::Arc;
use std::time::Instant;

use tuff_gpu::{Device, Executor, ExecutorOptions, GpuError, Recording, RunOptions, Store};
use tuff_problem::{
    Control, Counters, Energies, Frame, FrameReport, Grid, Problem, Replacement, Simulation, SimulationError,
    StepControl, density_limits, packing_limits,
};

use crate::attributes::*;
use crate::blame;
use crate::colliders::{pack_colliders, profile_points};
use crate::constants::{COLORS, TILE};
use crate::mapping::Mapping;
use crate::profile::{Collector, Spread, SubstepProfile};
use crate::push::FIELDS;
use crate::setup::{self, FIRST_PAIRS_PER_PARTICLE, MAX_BATCH, MIN_SUBGROUP, Options, SolverError};
use crate::stages;
use crate::substep::Recorder;
use crate::transfer;
use batch::Span;

/// Seconds that a batch should take, so that an interrupt is seen soon.
const BATCH_SECONDS: f64 = 0.5;

/// Passes of a Newton solve that are recorded at least.
const FEWEST_PASSES: u32 = 8;

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
    /// Passes of a Newton solve that are recorded; those that it does not need are not free.
    passes: u32,
    /// The grid that the particles were last sorted into.
    sorted: Option<Grid>,
    collector: Option<Collector>,
    measured: bool,
    /// Limiters of the frame before the one under way.
    last_frame: Option<Counters>,
    kept: Option<keep::State>,
    /// Finds the number of substeps of a frame, if the scene does not give it.
    steps: Option<StepControl>,
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
        for (body, limit) in packing_limits(problem).iter().enumerate() {
            store.write_mapped(PACKING_LIMIT, body, &(*limit as f32))?;
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
            passes: FEWEST_PASSES,
            sorted: None,
            collector: None,
            measured: true,
            last_frame: None,
            kept: None,
            steps: StepControl::of(problem),
        })
    }

    /// Whether the last substep of a frame computes the force residual, which costs about two sweeps; it does
    /// unless told otherwise.
    pub fn set_measured(&mut self, measured: bool) {
        self.measured = measured;
    }

    /// Advances as [`advance_substeps_from`](Self::advance_substeps_from), each substep in a submission of its own, and says
    /// what every dispatch cost; with `residuals` the residuals at the end of every substep too, which cost about two
    /// sweeps. The state that is reached is the same, bit by bit.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn profile_substeps(
        &mut self,
        first: u32,
        count: u32,
        residuals: bool,
        control: &Control,
    ) -> Result<Vec<SubstepProfile>, SimulationError> {
        let batches = (self.batch, self.fixed_batch);
        (self.batch, self.fixed_batch) = (1, Some(1));
        self.collector = Some(Collector::new(residuals));
        let outcome = self.advance_substeps_from(first, count, control);
        (self.batch, self.fixed_batch) = batches;
        let substeps = self.collector.take().map(Collector::finish).unwrap_or_default();
        outcome.map(|_| substeps)
    }

    /// How the particles were spread at the last substep; empty before the first.
    ///
    /// # Errors
    /// [`SimulationError::Device`].
    pub fn spread(&self) -> Result<Spread, SimulationError> {
        let Some(grid) = self.sorted else { return Ok(Spread::default()) };
        let read = || -> Result<Spread, GpuError> {
            let cells = grid.cell_count() as usize;
            Ok(Spread::new(
                &self.store.download(NEIGHBOR_RANGE, self.problem.particle_count())?,
                &self.store.download(CELL_START, cells + 1)?,
                &self.store.download(COLOR_COUNT, COLORS as usize + 1)?,
                &self.store.download(COLORED_CELL, cells)?,
            ))
        };
        read().map_err(|error| SimulationError::Device(error.to_string()))
    }

    /// Invocations that share a cell in a sweep, each of which evaluates the material.
    pub fn lanes(&self) -> u32 {
        self.mapping.lanes
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
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        self.advance_substeps_from(0, count, control)
    }

    /// As [`advance_substeps`](Self::advance_substeps), with motions as they are `first` substeps after the frame's
    /// beginning: calls that go on where the last one ended follow one motion.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_substeps_from(
        &mut self,
        first: u32,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        self.substeps_from(self.frame_start(), first, count, control)
    }

    /// Advances by `seconds` [s] from `start` [s after the first frame] as by a frame of that length, which the scene does not
    /// count: measurements look at moments that are no frames. Substeps are those that such a frame takes; where the scene
    /// leaves them open they are looked for, from the beginning whenever `seconds` changes.
    ///
    /// # Errors
    /// As [`Simulation::advance`].
    pub fn advance_span(
        &mut self,
        start: f64,
        seconds: f64,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let frame_rate = 1.0 / seconds;
        if self.problem.scene.time.frame_rate != frame_rate {
            self.problem.scene.time.frame_rate = frame_rate;
            self.steps = StepControl::of(&self.problem);
        }
        self.advance_frame(start, control)
    }

    /// Time of the current frame [s after the first].
    fn frame_start(&self) -> f64 {
        let time = &self.problem.scene.time;
        f64::from(self.frame - time.first_frame) / time.frame_rate
    }

    fn substeps_from(
        &mut self,
        start: f64,
        first: u32,
        count: u32,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let clock = Instant::now();
        let dt = self.problem.dt();
        let mut report = FrameReport { frame: self.frame + 1, substep: dt, ..FrameReport::default() };
        let record = |error: GpuError| SimulationError::Device(error.to_string());
        self.clear_impulses().map_err(record)?;
        let mut done = 0;
        while done < count {
            if control.is_cancelled() {
                return Err(SimulationError::Interrupted);
            }
            let size = self.batch.min(count - done);
            let batch_clock = Instant::now();
            let measured = match &mut self.collector {
                Some(collector) => {
                    collector.begin();
                    collector.residuals
                }
                None => self.measured && done + size == count,
            };
            let span = Span {
                frame: start,
                first: first + done,
                dt,
                count: size,
                measured,
                halvings: 0,
                folded: false,
            };
            let completed = self.batch(span, &mut report, done)?;
            if let Some(collector) = self.collector.as_mut().filter(|_| completed > 0) {
                collector.end();
            }
            done += completed;
            report.substeps += completed;
            control.reach(f64::from(first + done) * dt, report.substeps);
            let seconds = batch_clock.elapsed().as_secs_f64() / f64::from(completed.max(1));
            if self.fixed_batch.is_none() {
                self.batch = ((BATCH_SECONDS / seconds.max(1e-6)) as u32).clamp(1, MAX_BATCH as u32);
            }
        }
        // Room for substeps that need half as many again.
        let mean = report.iterations as f64 / f64::from(report.substeps.max(1));
        self.passes = ((1.5 * mean) as u32).max(FEWEST_PASSES);
        self.diagnose(&mut report).map_err(record)?;
        report.wall_seconds = clock.elapsed().as_secs_f64();
        Ok(report)
    }

    /// A frame from a time [s after the first frame].
    fn advance_frame(&mut self, start: f64, control: &Control) -> Result<FrameReport, SimulationError> {
        let Some(mut steps) = self.steps.take() else {
            return self.substeps_from(start, 0, self.problem.substeps_per_frame(), control);
        };
        let report = self.advance_by(&mut steps, start, control);
        self.steps = Some(steps);
        report
    }

    /// A frame by substeps that are looked for, which goes back to its start where they turn out too long.
    fn advance_by(
        &mut self,
        steps: &mut StepControl,
        start: f64,
        control: &Control,
    ) -> Result<FrameReport, SimulationError> {
        let device = |error: GpuError| SimulationError::Device(error.to_string());
        let kept = self.kept_now().map_err(device)?;
        steps.advance(|dt, again| {
            if again {
                self.return_to(&kept).map_err(device)?;
            }
            self.problem.scene.time.max_substep = dt;
            self.substeps_from(start, 0, self.problem.substeps_per_frame(), control)
        })
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
        Recorder { recording: &mut recording, push, passes: 0 }.diagnose();
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
            report.bound_speed = report.bound_speed.max(f64::from(tile[1][3]));
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

impl Simulation for GpuSimulation {
    fn frame(&mut self) -> Result<Frame, SimulationError> {
        transfer::download(&self.problem, &self.store, self.frame, self.frame_start())
            .map_err(|error| SimulationError::Device(error.to_string()))
    }

    fn advance(&mut self, control: &Control) -> Result<FrameReport, SimulationError> {
        let report = self.advance_frame(self.frame_start(), control)?;
        self.frame += 1;
        self.last_frame = Some(report.counters);
        Ok(report)
    }

    fn keep(&mut self) -> Result<(), SimulationError> {
        self.kept = Some(self.kept_now().map_err(|error| SimulationError::Device(error.to_string()))?);
        Ok(())
    }

    fn retry(&mut self) -> Result<[f64; 2], SimulationError> {
        let kept = self.kept.take().ok_or(SimulationError::NothingKept)?;
        self.return_to(&kept).map_err(|error| SimulationError::Device(error.to_string()))?;
        self.kept = Some(kept);
        let before = self.problem.dt();
        self.problem.scene.time = self.problem.scene.time.halved();
        if let Some(steps) = &mut self.steps {
            steps.limit(self.problem.substeps_per_frame());
            self.problem.scene.time.max_substep = steps.dt();
        }
        Ok([before, self.problem.dt()])
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
