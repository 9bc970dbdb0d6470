//! Solver on a Vulkan device.

mod attempt;
mod coupled;
mod failure;
mod fracture;
mod state;

use std::sync::Arc;

use glam::DVec3;
use tuff_gpu::{Device, Executor, ExecutorOptions, GpuError, Recording, RunOptions, Store};
use tuff_problem::profile::{Collector, Profiled, Spread};
use tuff_problem::set_motion;
use tuff_problem::{
    Attempt, BrokenPair, Energies, Explanation, FailureKind, Frame, FrameReport, Grid, Problem, Replacement,
    SimulationError, Solver, SolverState, Steps, Total, density_limits, packing_limits, rest_sums,
};

use tuff_rigid::Bodies;
use tuff_scene::{Motion, Pose};

use crate::agreement;
use crate::attributes::*;
use crate::blame;
use crate::colliders::deform::Woven;
use crate::colliders::mesh::{node_words, triangle_words};
use crate::colliders::{pack_colliders, profile_points};
use crate::constants::{COLORS, NOTHING, TILE};
use crate::mapping::Mapping;
use crate::profile::spread;
use crate::push::FIELDS;
use crate::setup::{self, FIRST_RECORDS_PER_PARTICLE, MAX_BATCH, MIN_SUBGROUP, Options, SolverError};
use crate::stages;
use crate::substep::Recorder;
use crate::transfer;

/// Minimum number of recorded passes of a Newton solve.
const MIN_PASSES: u32 = 8;

/// Stages compiled for a problem, and the buffers that they were compiled for.
pub(crate) struct Compiled {
    mapping: Mapping,
    store: Store,
    pub(crate) executor: Executor,
}

/// Compiles the stages of a problem.
///
/// # Errors
/// If the problem exceeds a limit, memory does not suffice, or a shader (including a model's) does not compile.
pub(crate) fn compile(
    problem: &Problem,
    device: &Arc<Device>,
    options: &Options,
) -> Result<Compiled, SolverError> {
    setup::check_limits(problem)?;
    blame::check_names(problem)?;
    let subgroup = device.info().subgroup_size;
    if subgroup < MIN_SUBGROUP {
        return Err(SolverError::Subgroup { device: device.info().name.clone(), size: subgroup });
    }
    let mapping = options.mapping.unwrap_or_else(|| Mapping::choose(device.info()));
    let records = FIRST_RECORDS_PER_PARTICLE * problem.particle_count() as u64;
    let counts = setup::sizes(problem, records).counts();
    let store = match options.store {
        None => Store::new(device, TABLE, &counts)?,
        Some(store) => Store::with_options(device, TABLE, &counts, store)?,
    };
    let stages = stages::specialized(problem, mapping);
    let executor =
        Executor::new(device, &store, stages, ExecutorOptions { push: FIELDS, ..Default::default() })
            .map_err(|error| blame::blame(error, problem))?;
    Ok(Compiled { mapping, store, executor })
}

/// XPBI on a Vulkan device.
pub struct GpuSolver {
    problem: Problem,
    rigid: Bodies,
    device: Arc<Device>,
    store: Store,
    executor: Executor,
    mapping: Mapping,
    grid: Grid,
    /// Number of recorded passes of a Newton solve; passes that a solve does not need are not free.
    passes: u32,
    /// Grid into which the particles were last sorted.
    sorted: Option<Grid>,
    collector: Option<Collector>,
    /// Pairs of total bodies that have not broken.
    total: Arc<Total>,
    /// Those that have.
    broken: Vec<BrokenPair>,
    /// 1 for triangles of cloth that have torn, otherwise 0; empty if none can.
    torn: Vec<u32>,
}

impl GpuSolver {
    /// Opens a device, compiles the stages and uploads the particles.
    ///
    /// # Errors
    /// If there is no usable device, the problem exceeds a limit, memory does not suffice, or a shader (including a model's) does not
    /// compile.
    pub fn new(problem: &Problem, options: &Options) -> Result<Self, SolverError> {
        setup::check_limits(problem)?;
        blame::check_names(problem)?;
        let device = Device::open(options.device.as_deref())?;
        let Compiled { mapping, mut store, executor } = compile(problem, &device, options)?;
        transfer::upload(problem, &mut store)?;
        for (i, point) in profile_points(&problem.faces).iter().enumerate() {
            store.write_mapped(PROFILE_POINT, i, point)?;
        }
        store.upload(MESH_NODE, &node_words(&problem.faces))?;
        store.upload(MESH_TRIANGLE, &triangle_words(&problem.faces))?;
        let woven = Woven::of(problem);
        if !woven.points.is_empty() {
            store.upload(PATCH_POINT, &woven.points)?;
            store.upload(PATCH_AROUND, &woven.around)?;
            store.upload(PATCH_TRIANGLE, &woven.triangles)?;
            store.upload(REFIT_NODE, &woven.nodes)?;
            store.upload(REFIT_LEVEL, &woven.levels)?;
            store.upload(MESH_DRIFT, &vec![[0.0_f32; 4]; store.count(MESH_DRIFT) as usize])?;
        }
        for (body, limit) in density_limits(problem).iter().enumerate() {
            store.write_mapped(DENSITY_LIMIT, body, &(*limit as f32))?;
        }
        for (body, sum) in rest_sums(problem).iter().enumerate() {
            store.write_mapped(REST_SUM, body, &(*sum as f32))?;
        }
        for (body, modulus) in problem.contrast.moduli().iter().enumerate() {
            store.write_mapped(BODY_MODULUS, body, modulus)?;
        }
        for (body, mode) in problem.contrast.modes().iter().enumerate() {
            store.write_mapped(BODY_MODE, body, &mode.unwrap_or(NOTHING))?;
        }
        for (body, limit) in packing_limits(problem).iter().enumerate() {
            store.write_mapped(PACKING_LIMIT, body, &(*limit as f32))?;
        }
        let (min, max) = problem.bounds();
        let grid = problem.grid(min, max);
        pack_colliders(&problem.faces, problem.dt(), |_| [Pose::IDENTITY; 2], |_| 0.0, &mut Vec::new())?;
        Ok(Self {
            problem: problem.clone(),
            rigid: Bodies::new(Arc::clone(&problem.rigid), 1.0 / problem.scene.time.frame_rate),
            device,
            store,
            executor,
            mapping,
            grid,
            passes: MIN_PASSES,
            sorted: None,
            collector: None,
            total: Arc::clone(&problem.total),
            broken: Vec::new(),
            torn: if problem.links.may_tear() {
                vec![0; problem.links.tear_stretch.len()]
            } else {
                Vec::new()
            },
        })
    }

    /// Returns the number of invocations that share a cell in a sweep; each of them evaluates the material.
    pub fn lanes(&self) -> u32 {
        self.mapping.lanes
    }

    /// Returns the device memory in use [bytes].
    pub fn memory(&self) -> u64 {
        self.store.bytes()
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the arrays on the device, for tests and tools.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the arrays on the device, to overwrite committed state between substeps: this is how tests prescribe motions.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    fn frame_now(&self, index: u32, time: f64) -> Result<Frame, GpuError> {
        let frame = transfer::download(&self.problem, &self.store, index, time)?;
        let torn = (0..).zip(&self.torn).filter(|(_, torn)| **torn != 0).map(|(triangle, _)| triangle);
        Ok(Frame { rigid: self.rigid.shown(), torn: torn.collect(), ..frame })
    }

    fn clear_impulses(&mut self) -> Result<(), GpuError> {
        let mut recording = Recording::new();
        recording.fill(COLLIDER_IMPULSE, 0);
        self.executor.run(&self.store, &recording, RunOptions::default()).map(|_| ())
    }

    /// Computes energies, speeds, impulses and the grid of the next frame. Partial sums are added in a fixed order.
    fn diagnose(&mut self, dt: f64, report: &mut FrameReport) -> Result<(), GpuError> {
        let push = setup::push(&self.problem, &self.grid, dt, 0, 0);
        let mut recording = Recording::new();
        Recorder::new(&mut recording, &self.problem, push, 0).diagnose();
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
            report.max_interacting_speed = report.max_interacting_speed.max(f64::from(tile[1][3]));
            report.pressure_speed = report.pressure_speed.max(f64::from(tile[2][3]).sqrt());
            for axis in 0..3 {
                min[axis] = min[axis].min(f64::from(tile[1][axis]));
                max[axis] = max[axis].max(f64::from(tile[2][axis]));
            }
        }
        let gravity = self.problem.scene.gravity;
        let [kinetic, potential] = self.rigid.energies(gravity);
        energies.kinetic += kinetic;
        energies.gravity += potential;
        report.energies = energies;
        let (low, high) = (DVec3::from(min), DVec3::from(max));
        let fastest = report.max_interacting_speed;
        report.max_interacting_speed = fastest.max(self.rigid.max_speed_near(low, high, fastest));
        report.max_speed = report.max_speed.max(self.rigid.max_speed());
        if tiles > 0 {
            self.grid = self.problem.grid(min, max);
        }
        let faces = &self.problem.faces;
        report.collider_impulse = vec![[0.0; 3]; self.problem.scene.colliders.len()];
        if !faces.is_empty() {
            let received: Vec<[f32; 4]> = self.store.download(COLLIDER_IMPULSE, tiles * faces.len())?;
            for row in received.chunks_exact(faces.len()) {
                for (face, part) in faces.iter().zip(row).filter(|(face, _)| face.rigid.is_none()) {
                    for (total, part) in report.collider_impulse[face.collider].iter_mut().zip(part) {
                        *total += f64::from(*part);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Profiled for GpuSolver {
    fn collector(&mut self) -> &mut Option<Collector> {
        &mut self.collector
    }

    fn spread(&self) -> Result<Spread, SimulationError> {
        let Some(grid) = self.sorted else { return Ok(Spread::default()) };
        let read = || -> Result<Spread, GpuError> {
            let cells = grid.cell_count() as usize;
            Ok(spread(
                &self.store.download(NEIGHBOR_RANGE, self.problem.particle_count())?,
                &self.store.download(CELL_START, cells + 1)?,
                &self.store.download(COLOR_COUNT, COLORS as usize + 1)?,
                &self.store.download(COLORED_CELL, cells)?,
            ))
        };
        read().map_err(failed)
    }
}

/// Converts a device error for the run.
fn failed(error: GpuError) -> SimulationError {
    SimulationError::Device(error.to_string())
}

impl Solver for GpuSolver {
    fn max_steps(&self) -> u32 {
        if self.rigid.is_empty() { MAX_BATCH as u32 } else { 1 }
    }

    fn begin_frame(&mut self) -> Result<(), SimulationError> {
        self.rigid.begin_frame();
        self.clear_impulses().map_err(failed)
    }

    fn attempt(&mut self, steps: Steps, report: &mut FrameReport) -> Result<Attempt, SimulationError> {
        self.attempted(steps, report).map_err(failed)
    }

    fn end_frame(&mut self, dt: f64, report: &mut FrameReport) -> Result<(), SimulationError> {
        // Room for substeps that need half as many passes again.
        let mean = report.iterations as f64 / f64::from(report.substeps.max(1));
        self.passes = ((1.5 * mean) as u32).max(MIN_PASSES);
        self.diagnose(dt, report).map_err(failed)
    }

    fn explain(
        &mut self,
        step: Steps,
        kind: FailureKind,
        particle: Option<u32>,
    ) -> Result<Explanation, SimulationError> {
        self.explained(step, kind, particle).map_err(failed)
    }

    fn frame(&mut self, index: u32, time: f64) -> Result<Frame, SimulationError> {
        self.frame_now(index, time).map_err(failed)
    }

    fn save(&self) -> Result<SolverState, SimulationError> {
        self.saved().map_err(failed)
    }

    fn restore(&mut self, state: &SolverState) -> Result<(), SimulationError> {
        self.take_back(state)
    }

    fn repopulate(&mut self, problem: &Problem, kept: &[u32]) -> Result<(), SimulationError> {
        self.populated(problem, kept).map_err(failed)
    }

    fn compare_models(&self) -> Result<Vec<String>, SimulationError> {
        let found = agreement::disagreements(&self.device, &self.problem).map_err(failed)?;
        Ok(found.iter().map(ToString::to_string).collect())
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

    fn set_motion(&mut self, collider: usize, motion: &Motion) -> Result<(), SimulationError> {
        set_motion(&mut self.problem.faces, collider, motion);
        self.rigid.set_motion(collider, motion);
        Ok(())
    }

    fn device_name(&self) -> String {
        self.device.info().name.clone()
    }
}
