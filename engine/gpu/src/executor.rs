//! The executor: runs compiled stages on a store.

use crate::attributes::Attribute;
use crate::cache::Cache;
use crate::compile::{Spirv, compile};
use crate::device::Device;
use crate::error::{GpuError, Result};
use crate::layout::PushField;
use crate::pipeline::{Pipeline, PipelineCache};
use crate::plan::plan;
use crate::reach::{Reach, attributes_glsl, stage_reaches};
use crate::recording::{Command, Groups, Recording, StageId};
use crate::sources::{Sources, folder_from_env};
use crate::stage::{Specialization, StageDeclaration};
use crate::statistics::{Statistic, statistics};
use crate::store::Store;
use crate::submit::{Context, Submitter};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options shared by all stages of an executor.
#[derive(Clone, Debug, Default)]
pub struct ExecutorOptions {
    /// Members of the push constant block; at most 128 bytes.
    pub push: &'static [PushField],
    /// Folder of the SPIR-V and pipeline caches; overrides `TUFF_CACHE_DIR`, `$XDG_CACHE_HOME/tuff` and `~/.cache/tuff`.
    pub cache_dir: Option<PathBuf>,
    /// Folder of the shaders; overrides `TUFF_SHADER_DIR` and the embedded shaders.
    pub shader_dir: Option<PathBuf>,
}

/// Options for running a recording.
#[derive(Copy, Clone, Debug, Default)]
pub struct RunOptions {
    /// Measure the device time of every command.
    pub timestamps: bool,
}

/// Device time of one dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// The stage.
    pub stage: StageId,
    /// Time when everything before it had finished, since the beginning of the run, in ns.
    pub start: u64,
    /// Time from `start` to its end, barrier included, in ns.
    pub ns: u64,
}

/// Cost of a run.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// Each dispatch in order, if timestamps were requested (and the device has them).
    pub stages: Vec<StageTime>,
    /// Wall time from the call to the end of the device's work.
    pub wall: Duration,
    /// Host time for planning and recording, partly in parallel with the device's work.
    pub recording: Duration,
    /// Barriers between the commands.
    pub barriers: usize,
}

/// Cost of the last build of pipelines.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Number of builds so far: one at the start, one whenever a resized attribute is accessed in another way, and one for new
    /// specializations.
    pub rounds: usize,
    /// Stages compiled from source.
    pub compiled: usize,
    /// Stages whose SPIR-V came from the cache.
    pub cached: usize,
    /// Wall time.
    pub wall: Duration,
}

/// Compiled stages over a store.
pub struct Executor {
    device: Arc<Device>,
    table: &'static [Attribute],
    stages: Vec<StageDeclaration>,
    specializations: Vec<Specialization>,
    /// Generated header that each pipeline was compiled with.
    headers: Vec<String>,
    pipelines: Vec<Pipeline>,
    pipeline_cache: PipelineCache,
    cache: Cache,
    shader_dir: Option<PathBuf>,
    push: &'static [PushField],
    push_bytes: u32,
    /// Generation of the store to whose buffers the descriptors point.
    generation: u64,
    build: BuildReport,
    submitter: Submitter,
}

impl Executor {
    /// Compiles `stages` for the attributes of `store`. A stage's [`StageId`] is its position.
    ///
    /// # Errors
    /// [`GpuError::Compile`] and [`GpuError::MissingShader`]; [`GpuError::Invalid`] for declarations that do not fit the
    /// table.
    pub fn new(
        device: &Arc<Device>,
        store: &Store,
        stages: Vec<(StageDeclaration, Specialization)>,
        options: ExecutorOptions,
    ) -> Result<Executor> {
        let (stages, specializations): (Vec<_>, Vec<_>) = stages.into_iter().unzip();
        check_stages(store.table(), &stages)?;
        let push_bytes: u64 = options.push.iter().map(|field| field.glsl_type.bytes()).sum();
        if push_bytes > 128 {
            return Err(GpuError::Invalid(format!(
                "the push fields have {push_bytes} bytes, at most 128 are allowed"
            )));
        }
        let before = device.validation_count();
        let cache = Cache::new(options.cache_dir.as_deref());
        let mut executor = Executor {
            device: device.clone(),
            table: store.table(),
            headers: Vec::new(),
            pipelines: Vec::new(),
            pipeline_cache: PipelineCache::new(device, &cache)?,
            cache,
            shader_dir: options.shader_dir.or_else(folder_from_env),
            push: options.push,
            push_bytes: push_bytes as u32,
            generation: 0,
            build: BuildReport::default(),
            submitter: Submitter::new(device, &stages)?,
            stages,
            specializations,
        };
        executor.follow(store)?;
        device.check_validation(before)?;
        Ok(executor)
    }

    /// Returns the declarations, by [`StageId`].
    pub fn stages(&self) -> &[StageDeclaration] {
        &self.stages
    }

    /// Describes how far the device came in the last run, for messages about runs that fail. Needs
    /// [`DeviceOptions::markers`](crate::DeviceOptions::markers).
    pub fn progress(&self, recording: &Recording) -> String {
        self.submitter.progress(&self.stages, recording)
    }

    /// Returns what the driver tells about the compiled code of a stage, in the driver's order and under the driver's names.
    ///
    /// # Errors
    /// [`GpuError::Invalid`] if the device was not opened with [`DeviceOptions::compile_only`](crate::DeviceOptions::compile_only) or
    /// there is no such stage.
    pub fn statistics(&self, stage: StageId) -> Result<Vec<Statistic>> {
        let pipeline = self.pipelines.get(usize::from(stage.0));
        let pipeline = pipeline.ok_or_else(|| GpuError::Invalid(format!("there is no stage {}", stage.0)))?;
        statistics(&self.device, pipeline.raw)
    }

    /// Returns the cost of building the pipelines.
    pub fn build_report(&self) -> BuildReport {
        self.build
    }

    /// Records, submits and waits. Adapts to resized attributes of `store`, whose table must be the one passed to
    /// [`new`](Executor::new).
    ///
    /// # Errors
    /// [`GpuError::Invalid`] for a recording that does not fit the stages, and on a device that only compiles, before anything runs;
    /// [`GpuError::DeviceLost`]; and [`GpuError::Validation`] if the validation layer sends messages.
    pub fn run(&mut self, store: &Store, recording: &Recording, options: RunOptions) -> Result<RunReport> {
        let start = Instant::now();
        if self.device.options.compile_only {
            return Err(GpuError::Invalid("the device was opened to compile only".to_owned()));
        }
        let before = self.device.validation_count();
        self.check_recording(store, recording)?;
        self.follow(store)?;
        let plan = plan(&self.stages, recording);
        let planned = start.elapsed();
        let context =
            Context { store, stages: &self.stages, pipelines: &self.pipelines, recording, plan: &plan };
        let times = self.submitter.run(&context, options.timestamps)?;
        self.device.check_validation(before)?;
        Ok(RunReport {
            stages: times.stages,
            wall: start.elapsed(),
            recording: planned + times.recording,
            barriers: plan.barrier_count(),
        })
    }

    /// Compiles the pipelines that the layout of `store` requires, and points descriptors at its buffers, if any has changed.
    fn follow(&mut self, store: &Store) -> Result<()> {
        if store.generation() == self.generation {
            return Ok(());
        }
        if !std::ptr::eq(store.table(), self.table) || !Arc::ptr_eq(store.device(), &self.device) {
            return Err(GpuError::Invalid(
                "the store has another table or device than the executor".to_owned(),
            ));
        }
        let reaches = self.reaches(store);
        let headers: Vec<String> = self
            .stages
            .iter()
            .zip(&reaches)
            .map(|(stage, reaches)| {
                attributes_glsl(self.table, stage, reaches, store.address_slots(), self.push)
            })
            .collect();
        let changed: Vec<usize> =
            (0..headers.len()).filter(|index| self.headers.get(*index) != Some(&headers[*index])).collect();
        let made = self.build(&changed, &headers, &reaches, &self.specializations)?;
        self.take(&changed, made);
        self.headers = headers;
        for (stage, pipeline) in self.stages.iter().zip(&self.pipelines) {
            pipeline.bind(stage, store);
        }
        self.generation = store.generation();
        Ok(())
    }

    /// Recompiles the stages whose specialization has changed. After an error all stages are as before.
    ///
    /// # Errors
    /// Those of [`new`](Executor::new).
    pub fn respecialize(&mut self, store: &Store, specializations: Vec<Specialization>) -> Result<()> {
        if specializations.len() != self.stages.len() {
            return Err(GpuError::Invalid(format!(
                "{} specializations for {} stages",
                specializations.len(),
                self.stages.len()
            )));
        }
        let before = self.device.validation_count();
        self.follow(store)?;
        let changed: Vec<usize> = (0..specializations.len())
            .filter(|&index| self.specializations[index] != specializations[index])
            .collect();
        let made = self.build(&changed, &self.headers, &self.reaches(store), &specializations)?;
        self.take(&changed, made);
        self.specializations = specializations;
        for &index in &changed {
            self.pipelines[index].bind(&self.stages[index], store);
        }
        self.device.check_validation(before)
    }

    /// Returns how each stage reaches its attributes.
    fn reaches(&self, store: &Store) -> Vec<Vec<Reach>> {
        let limits = &self.device.limits;
        let of = |stage: &StageDeclaration| {
            stage_reaches(stage.accesses, |id| store.reach(id), |id| store.texels(id), limits)
        };
        self.stages.iter().map(of).collect()
    }

    /// Builds the pipelines of the stages `wanted`.
    fn build(
        &self,
        wanted: &[usize],
        headers: &[String],
        reaches: &[Vec<Reach>],
        specializations: &[Specialization],
    ) -> Result<(Vec<Pipeline>, BuildReport)> {
        let start = Instant::now();
        let mut report = BuildReport { rounds: self.build.rounds + 1, ..BuildReport::default() };
        let mut pipelines = Vec::with_capacity(wanted.len());
        for (&index, spirv) in wanted.iter().zip(self.compile(wanted, headers, specializations)) {
            let spirv = spirv?;
            if spirv.cached {
                report.cached += 1;
            } else {
                report.compiled += 1;
            }
            pipelines.push(Pipeline::new(
                &self.device,
                &self.stages[index],
                &specializations[index],
                &spirv.words,
                reaches[index].clone(),
                self.push_bytes,
                self.pipeline_cache.raw,
            )?);
        }
        report.wall = start.elapsed();
        Ok((pipelines, report))
    }

    /// Replaces the pipelines of the stages `changed`; the first time, those of all stages in order.
    fn take(&mut self, changed: &[usize], (pipelines, report): (Vec<Pipeline>, BuildReport)) {
        if changed.is_empty() {
            return;
        }
        for (&index, pipeline) in changed.iter().zip(pipelines) {
            if index < self.pipelines.len() {
                self.pipelines[index] = pipeline;
            } else {
                self.pipelines.push(pipeline);
            }
        }
        self.pipeline_cache.keep(&self.cache);
        tracing::debug!(build = ?report, "pipelines built");
        self.build = report;
    }

    /// Compiles the stages `wanted` to SPIR-V, on all cores.
    fn compile(
        &self,
        wanted: &[usize],
        headers: &[String],
        specializations: &[Specialization],
    ) -> Vec<Result<Spirv>> {
        let one = |&index: &usize| {
            let stage = &self.stages[index];
            let specialization = &specializations[index];
            let sources = Sources {
                attributes: &headers[index],
                virtual_files: &specialization.sources,
                folder: self.shader_dir.as_deref(),
            };
            compile(stage.name, stage.shader, &sources, &specialization.defines, &self.cache)
        };
        wanted.par_iter().map(one).collect()
    }

    fn check_recording(&self, store: &Store, recording: &Recording) -> Result<()> {
        for (index, command) in recording.commands.iter().enumerate() {
            let problem = match command {
                Command::Dispatch { stage, groups, push } => {
                    let Some(declaration) = self.stages.get(usize::from(stage.0)) else {
                        return Err(GpuError::Invalid(format!(
                            "command {index}: there is no stage {}",
                            stage.0
                        )));
                    };
                    let problem = self.groups_problem(store, declaration, groups).or_else(|| {
                        let bytes = push.words().len() as u32 * 4;
                        (bytes > self.push_bytes).then(|| {
                            format!("{bytes} bytes of push constants, declared are {}", self.push_bytes)
                        })
                    });
                    problem.map(|problem| format!("dispatch of \"{}\": {problem}", declaration.name))
                }
                Command::Fill { attribute, .. } => self
                    .table
                    .get(usize::from(attribute.0))
                    .is_none()
                    .then(|| format!("fill: there is no attribute {}", attribute.0)),
                Command::Copy { from, to, bytes } => {
                    let room = |id: &crate::AttributeId| {
                        self.table
                            .get(usize::from(id.0))
                            .map_or(0, |row| row.element.bytes() * store.count(*id))
                    };
                    let fits = *bytes <= room(from).min(room(to)) && bytes % 4 == 0 && from != to;
                    (!fits).then(|| {
                        format!(
                            "copy of {bytes} bytes from attribute {} ({} bytes) to {} ({} bytes): sizes are multiples of \
                             4 within both, of two attributes",
                            from.0,
                            room(from),
                            to.0,
                            room(to)
                        )
                    })
                }
            };
            if let Some(problem) = problem {
                return Err(GpuError::Invalid(format!("command {index}: {problem}")));
            }
        }
        Ok(())
    }

    fn groups_problem(
        &self,
        store: &Store,
        declaration: &StageDeclaration,
        groups: &Groups,
    ) -> Option<String> {
        match groups {
            Groups::Direct(counts) => {
                let limits = self.device.limits.groups;
                let fits = counts.iter().zip(limits).all(|(count, limit)| *count <= limit);
                (!fits).then(|| format!("{counts:?} workgroups, the device allows {limits:?}"))
            }
            Groups::Indirect { attribute, offset } => {
                let declared = declaration.indirect == Some(*attribute);
                let bytes = self.table.get(usize::from(attribute.0)).map_or(0, |row| row.element.bytes());
                let fits = offset % 4 == 0 && offset + 12 <= bytes * store.count(*attribute);
                if !declared {
                    Some(format!("indirect from attribute {}, which is not declared so", attribute.0))
                } else if !fits {
                    Some(format!(
                        "indirect at byte {offset}, which is beyond the attribute or no multiple of 4"
                    ))
                } else if store.locate(*attribute, *offset).0 != store.locate(*attribute, offset + 8).0 {
                    Some(format!(
                        "indirect at byte {offset}, where the counts lie in two chunks of the attribute"
                    ))
                } else {
                    None
                }
            }
        }
    }
}

fn check_stages(table: &[Attribute], stages: &[StageDeclaration]) -> Result<()> {
    for (index, stage) in stages.iter().enumerate() {
        let refuse = |problem: String| Err(GpuError::Invalid(format!("stage \"{}\": {problem}", stage.name)));
        if stage.name.is_empty() || !stage.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return refuse("names consist of letters, digits and _".to_owned());
        }
        if stages[..index].iter().any(|other| other.name == stage.name) {
            return refuse("there are two of that name".to_owned());
        }
        for (position, (id, _)) in stage.accesses.iter().enumerate() {
            if usize::from(id.0) >= table.len() {
                return refuse(format!("there is no attribute {}", id.0));
            }
            if stage.accesses[..position].iter().any(|(other, _)| other == id) {
                let name = table[usize::from(id.0)].name;
                return refuse(format!("attribute \"{name}\" is declared twice; use Access::ReadWrite"));
            }
        }
        if stage.indirect.is_some_and(|id| usize::from(id.0) >= table.len()) {
            return refuse("its indirect attribute does not exist".to_owned());
        }
    }
    Ok(())
}
