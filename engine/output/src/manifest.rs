//! `run.json`: what was simulated, by which engine, and how it went.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tuff_problem::{Counters, Failure, Frame, FrameReport, Problem};
use tuff_scene::{Body, BodyKind, Obstacle, Overlap, Scene};

use crate::scene_record::scene_record;

/// The manifest of a run, replaced on disk after every frame.
#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    /// Version of this file's format.
    pub format: u32,
    /// Engine that wrote it.
    pub engine: EngineRecord,
    /// Device of the simulation.
    pub device: String,
    /// Status of the run.
    pub status: Status,
    /// Number of particles at the start.
    pub particle_count: usize,
    /// Total mass at the start [kg].
    pub total_mass: f64,
    /// Materials at the start; the `material` attribute of frames is an index into this list.
    pub materials: Vec<MaterialRecord>,
    /// Materials replaced during the run; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub materials_replaced: Vec<ReplacedRecord>,
    /// Retries of a frame with half the substep; absent if there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<RetryRecord>,
    /// Checkpoints from which the run was resumed; absent if it was not interrupted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<ResumedRecord>,
    /// Names of the colliders, in the order of every frame's impulses.
    pub colliders: Vec<String>,
    /// The scene's file and the changes requested.
    pub source: SourceRecord,
    /// Bodies; those of their particles that are there at the start have consecutive ids.
    pub bodies: Vec<BodyRecord>,
    /// The scene as resolved: defaults filled in, overrides applied, the scheme chosen.
    pub scene: Value,
    /// Reason for the scheme; absent if the scene names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme_choice: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Matter that started in colliders or in other matter; absent if there was none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<OverlapRecord>,
    /// Fluids that started in the pores of grains; absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soaked: Option<SoakedRecord>,
    /// The frames on disk, in order.
    pub frames: Vec<FrameRecord>,
}

/// Source of a scene.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceRecord {
    /// Absolute path of the scene file.
    pub file: String,
    /// XXH3 of the file's content, hexadecimal; empty if it could not be read again.
    pub hash: String,
    /// Changes of keys, as given to `--set`.
    pub set: Vec<String>,
    /// Requested number of particles.
    pub particles: Option<u64>,
}

/// The particles of a body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Name of the body.
    pub name: String,
    /// Number of its particles at the start.
    pub particles: usize,
    /// Rest volume of each particle [m^3].
    pub rest_volume: f64,
}

/// Particles of fluids that started in the pores of grains.
#[derive(Debug, Clone, Serialize)]
pub struct SoakedRecord {
    /// Number of particles.
    pub particles: usize,
    /// Mean part of their volume, and mass, that the grains leave them [dimensionless].
    pub volume_left: f64,
}

/// Particles of a body that started in a collider or in another body.
#[derive(Debug, Clone, Serialize)]
pub struct OverlapRecord {
    /// Name of the body.
    pub body: String,
    /// Name of the collider; absent for a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collider: Option<String>,
    /// Name of the other body; absent for a collider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_body: Option<String>,
    /// Number of particles.
    pub particles: usize,
    /// Largest depth [m].
    pub depth: f64,
    /// Displacement of the body out of colliders [m].
    pub moved: [f64; 3],
}

/// The engine that ran.
#[derive(Debug, Clone, Serialize)]
pub struct EngineRecord {
    /// Version of Tuff.
    pub version: String,
    /// XXH3 of the executable, hexadecimal; `None` if it could not be read.
    pub hash: Option<String>,
}

/// The plugin of a material.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PluginRecord {
    /// Id of the model.
    pub id: String,
    /// Version of the model.
    pub version: String,
    /// Name of the library's file.
    pub file: String,
    /// XXH3 of the library's file, hexadecimal.
    pub hash: String,
    /// GLSL file that replaces the library's own text; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glsl: Option<GlslRecord>,
}

/// A GLSL file that replaces a library's own text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlslRecord {
    /// Name of the file.
    pub file: String,
    /// XXH3 of the text, hexadecimal.
    pub hash: String,
}

/// Materials whose model was replaced between two frames.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReplacedRecord {
    /// First frame computed with the new materials.
    pub frame: u32,
    /// Materials from then on.
    pub materials: Vec<MaterialRecord>,
}

/// A failure after which the run continued from the previous frame with half the substep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RetryRecord {
    /// Frame that failed, the first computed with the shorter substep.
    pub frame: u32,
    /// Substep before [s].
    pub substep: f64,
    /// Substep from then on [s].
    pub halved: f64,
    /// Description of the failure, in one sentence.
    pub failure: String,
    /// Stage of the substep at which it began, and the iteration if there is one.
    pub stage: String,
    /// Substep of the frame in which it failed, counted from 0.
    pub failed_substep: u32,
    /// The first bad particle.
    pub particle: Option<u32>,
}

/// A checkpoint from which the run was resumed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResumedRecord {
    /// Frame of the checkpoint.
    pub frame: u32,
    /// Accepted changes since it was written; absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// A material as simulated.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MaterialRecord {
    /// Name in the scene.
    pub name: String,
    /// Rest density [kg/m^3].
    pub density: f64,
    /// Every parameter of the model with its value; absent ones without a default are null.
    pub parameters: Map<String, Value>,
    /// The model's constants in SI units, shape [constant_count].
    pub constants: Vec<f64>,
    /// The model's library.
    pub plugin: PluginRecord,
}

/// Status of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// State of the run.
    pub state: RunState,
    /// Exit code of the process; `None` while it runs.
    pub exit_code: Option<u8>,
    /// Reason why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Files about a failed simulation, relative to the folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failure: Vec<String>,
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// In progress, or killed.
    Running,
    /// All frames are on disk.
    Finished,
    /// Stopped from outside.
    Interrupted,
    /// Ended by an error.
    Failed,
}

/// One frame on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FrameRecord {
    /// Frame number.
    pub frame: u32,
    /// Time since the scene's first frame [s].
    pub time: f64,
    /// Files of the frame, relative to the folder.
    pub files: Vec<String>,
    /// Number of particles.
    pub particles: usize,
    /// Report of the solver; absent for the initial state, before any step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Value>,
}

impl Status {
    /// Returns the status of a run in progress.
    pub fn running() -> Self {
        Self { state: RunState::Running, exit_code: None, message: None, failure: Vec::new() }
    }
}

impl RetryRecord {
    /// Creates the record of a retry after `failure`, from substeps of `substep` to `halved` [s].
    pub fn new(failure: &Failure, substep: f64, halved: f64) -> Self {
        Self {
            frame: failure.frame,
            substep,
            halved,
            failure: failure.kind.to_string(),
            stage: failure.point.to_string(),
            failed_substep: failure.substep,
            particle: failure.particle,
        }
    }
}

impl FrameRecord {
    /// Creates the record of a frame with its files.
    pub fn new(frame: &Frame, files: Vec<String>, report: Option<&FrameReport>) -> Self {
        let particles = frame.position.len();
        Self { frame: frame.index, time: frame.time, files, particles, report: report.map(report_record) }
    }
}

impl Manifest {
    /// Creates the manifest of a run that is about to start.
    pub fn new(
        problem: &Problem,
        engine: EngineRecord,
        source: SourceRecord,
        device: String,
        warnings: Vec<String>,
    ) -> Self {
        Self {
            format: 1,
            engine,
            device,
            status: Status::running(),
            particle_count: problem.particle_count(),
            total_mass: problem.mass.iter().sum(),
            materials: (0..problem.materials.len()).map(|m| material_record(problem, m)).collect(),
            materials_replaced: Vec::new(),
            retries: Vec::new(),
            resumed: Vec::new(),
            colliders: problem.scene.colliders.iter().map(|c| c.name.clone()).collect(),
            source,
            bodies: body_records(problem),
            scene: scene_record(&problem.scene),
            scheme_choice: problem.scheme_choice.as_ref().map(|choice| choice.reason.to_string()),
            warnings,
            overlaps: problem.overlaps.iter().map(|o| overlap_record(&problem.scene, o)).collect(),
            soaked: problem.soaked.map(|(particles, volume_left)| SoakedRecord { particles, volume_left }),
            frames: Vec::new(),
        }
    }

    /// Records that the materials of model `model` are those of `problem` from `frame` on.
    pub fn replaced(&mut self, problem: &Problem, model: usize, frame: u32) {
        let of_model = |m: &usize| problem.materials[*m].model == model;
        let materials = (0..problem.materials.len()).filter(of_model);
        let materials = materials.map(|m| material_record(problem, m)).collect();
        self.materials_replaced.push(ReplacedRecord { frame, materials });
    }
}

fn body_records(problem: &Problem) -> Vec<BodyRecord> {
    let particles = &problem.particles;
    let record = |(index, body): (usize, &Body)| {
        let is_own = |b: &&u32| **b as usize == index;
        let first = particles.body.iter().take_while(|b| !is_own(b)).count();
        let end = first + particles.body[first..].iter().take_while(is_own).count();
        let volumes = &particles.rest_volume[first..end];
        let rest_volume = match body.kind {
            BodyKind::Matter | BodyKind::Total { .. } => volumes.first().copied().unwrap_or(0.0),
            BodyKind::Emitted => {
                let layers = problem.layers.iter().find(|layers| layers.body as usize == index);
                layers.and_then(|layers| layers.rest_volume.first()).copied().unwrap_or(0.0)
            }
            // The vertices of ropes have different volumes.
            BodyKind::Rope(_) | BodyKind::Cloth(_) => {
                volumes.iter().sum::<f64>() / volumes.len().max(1) as f64
            }
        };
        BodyRecord { name: body.name.clone(), particles: end - first, rest_volume }
    };
    problem.scene.bodies.iter().enumerate().map(record).collect()
}

fn overlap_record(scene: &Scene, overlap: &Overlap) -> OverlapRecord {
    let obstacle = overlap.obstacle(scene).to_owned();
    let (collider, other_body) = match overlap.with {
        Obstacle::Collider(_) => (Some(obstacle), None),
        Obstacle::Body(_) => (None, Some(obstacle)),
    };
    OverlapRecord {
        body: scene.bodies[overlap.body].name.clone(),
        collider,
        other_body,
        particles: overlap.particles,
        depth: overlap.depth,
        moved: overlap.moved.to_array(),
    }
}

fn material_record(problem: &Problem, index: usize) -> MaterialRecord {
    let resolved = &problem.materials[index];
    let model = &problem.models[resolved.model];
    let descriptor = model.descriptor();
    let values = &problem.scene.materials[index].parameters;
    let parameters =
        std::iter::zip(&descriptor.parameters, values).map(|(p, &value)| (p.name.clone(), json!(value)));
    MaterialRecord {
        name: resolved.name.clone(),
        density: resolved.density,
        parameters: parameters.collect(),
        constants: resolved.constants.clone(),
        plugin: PluginRecord {
            id: descriptor.id.clone(),
            version: descriptor.version.clone(),
            file: file_name(model.file()),
            hash: format!("{:016x}", model.hash()),
            glsl: model.glsl_file().map(|file| GlslRecord {
                file: file_name(file),
                hash: format!("{:016x}", model.glsl_hash()),
            }),
        },
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Counters by name.
pub(crate) fn counter_record(counters: &Counters) -> Value {
    counters.entries().into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

fn report_record(report: &FrameReport) -> Value {
    json!({
        "substeps": report.substeps,
        "iterations": report.iterations,
        "wall_seconds": report.wall_seconds,
        "substep": report.substep,
        "neighbor_pairs": report.neighbor_pairs,
        "residual": { "force": report.residual.force, "multiplier": report.residual.multiplier },
        "energies": {
            "kinetic": report.energies.kinetic,
            "elastic": report.energies.elastic,
            "gravity": report.energies.gravity,
        },
        "max_speed": report.max_speed,
        "bound_speed": report.max_interacting_speed,
        "pressure_speed": report.pressure_speed,
        "counters": counter_record(&report.counters),
        "collider_impulse": report.collider_impulse,
    })
}
