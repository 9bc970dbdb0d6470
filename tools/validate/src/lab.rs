//! The laboratory in which cards run their simulations.

use std::cell::Cell;
use std::path::Path;

use tuff_gpu::GpuError;
use tuff_material_sdk::descriptor::Descriptor;
use tuff_output::{OutputError, Renderer};
use tuff_plugin::Library;
use tuff_problem::{Control, Frame, FrameReport, Problem, ProblemError, SimulationError};
use tuff_run::{Chosen, CpuSimulation, GpuSimulation, MpmSimulation, ReferenceSimulation, Simulation};
use tuff_scene::{Override, SceneError};
use tuff_solver::{Options, SolverError};

use crate::machine::Machine;
use crate::meshes::File;
use crate::scenes::by_default;
use crate::shipped::Shipped;
use crate::{Settings, Size, Trial};

/// Error that keeps a card from finishing.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CardError(pub String);

macro_rules! card_error_from {
    ($($error:ty),*) => {
        $(impl From<$error> for CardError {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        })*
    };
}
card_error_from!(
    SimulationError,
    SolverError,
    ProblemError,
    SceneError,
    GpuError,
    OutputError,
    std::io::Error
);

/// Method of simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Tuff on the device.
    Tuff,
    /// The explicit material point method of the reference, in f64.
    Mpm,
}

/// The models, the device, and the amount of work that a card may do.
#[derive(Debug)]
pub struct Lab<'a> {
    library: &'a Library,
    device: Option<&'a str>,
    size: Size,
    settings: Settings,
    work: Cell<u64>,
}

impl<'a> Lab<'a> {
    /// Creates a laboratory. `device` is a Vulkan device by index or part of its name. If absent, it is the best one; default settings then
    /// take the device that `tuff run` takes.
    pub fn new(library: &'a Library, device: Option<&'a str>, size: Size, settings: Settings) -> Self {
        Self { library, device, size, settings, work: Cell::new(0) }
    }

    /// Returns the amount of work that a card may do.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns whether simulations use default settings instead of the card's own.
    pub fn by_default(&self) -> bool {
        self.settings == Settings::Default
    }

    /// Returns the value for the size of this run.
    pub fn pick<T>(&self, test: T, quick: T, full: T) -> T {
        match self.size {
            Size::Test => test,
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// Returns particles times iterations simulated so far.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// Builds the problem of a scene given as text, with the settings of this run.
    ///
    /// # Errors
    /// The scene is not valid.
    pub fn problem(&self, scene: &str) -> Result<Problem, CardError> {
        self.problem_as_is(&self.with_settings(scene)?)
    }

    /// Builds the problem of a scene given as text, beside the files that it names, with the settings of this run.
    ///
    /// # Errors
    /// The scene or a file is not valid.
    pub fn problem_beside(&self, scene: &str, files: &[File]) -> Result<Problem, CardError> {
        let folder = tempfile::tempdir()?;
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text)?;
        }
        self.parsed(&self.with_settings(scene)?, &folder.path().join("card.toml"))
    }

    fn with_settings(&self, scene: &str) -> Result<String, CardError> {
        match self.settings {
            Settings::Own => Ok(scene.to_owned()),
            Settings::Default => by_default(scene, &["frames"]),
        }
    }

    /// Builds the problem of a scene given as text, with the settings that the scene names.
    ///
    /// # Errors
    /// The scene is not valid.
    pub fn problem_as_is(&self, scene: &str) -> Result<Problem, CardError> {
        self.parsed(scene, Path::new("card.toml"))
    }

    fn parsed(&self, scene: &str, file: &Path) -> Result<Problem, CardError> {
        let scene = tuff_scene::parse(scene, file, &[], &self.descriptors())?.scene;
        Ok(Problem::new(scene, self.library)?)
    }

    /// Builds the problem of a shipped scene with keys overridden (`path=value`), rescaled to about `particles`. With default settings,
    /// the solver settings of the scene and of the keys are ignored.
    ///
    /// # Errors
    /// The scene is not valid with these keys.
    pub fn shipped(
        &self,
        scene: Shipped,
        overrides: &[String],
        particles: Option<u64>,
    ) -> Result<Problem, CardError> {
        let setting = |key: &String| key.starts_with("solver.") || key.starts_with("time.max_substep=");
        let kept = overrides.iter().filter(|key| !(self.by_default() && setting(key)));
        let parsed: Vec<Override> = kept.map(|o| Override::parse(o)).collect::<Result<_, _>>()?;
        let text = match self.settings {
            Settings::Own => scene.text.to_owned(),
            Settings::Default => by_default(scene.text, &["frames", "frame_rate"])?,
        };
        let scene = tuff_scene::parse(&text, Path::new(scene.file), &parsed, &self.descriptors())?.scene;
        let scene = match particles {
            Some(count) => scene.rescaled(count)?,
            None => scene,
        };
        Ok(Problem::new(scene, self.library)?)
    }

    fn descriptors(&self) -> Vec<&Descriptor> {
        self.library.models().iter().map(|m| m.descriptor()).collect()
    }

    /// Opens a scene given as text on the device.
    ///
    /// # Errors
    /// The scene is not valid, or the device cannot take it.
    pub fn trial(&self, scene: &str) -> Result<Trial<'_>, CardError> {
        Trial::new(self, self.problem(scene)?)
    }

    /// Opens a problem on the device.
    ///
    /// # Errors
    /// The device cannot take it.
    pub fn start(&self, problem: Problem) -> Result<Trial<'_>, CardError> {
        Trial::new(self, problem)
    }

    /// Opens a scene given as text on the device, for a motion that the card prescribes with [`Trial::drive`]: without iterations,
    /// whatever the settings.
    ///
    /// # Errors
    /// The scene is not valid, or the device cannot take it.
    pub fn driven(&self, scene: &str) -> Result<Trial<'_>, CardError> {
        let mut problem = self.problem_as_is(scene)?;
        problem.scene.solver.iterations = 0;
        Trial::new(self, problem)
    }

    /// Opens a problem, without a trial: with default settings on the device that `tuff run` takes, which is the processor where there is
    /// no GPU; otherwise on a Vulkan device.
    ///
    /// # Errors
    /// There is no device, or the problem does not fit it.
    pub fn machine(&self, problem: &Problem) -> Result<Machine, CardError> {
        if self.by_default() && tuff_run::chosen(problem, self.device) == Chosen::Cpu {
            return Ok(Machine::Cpu(Box::new(CpuSimulation::new(problem))));
        }
        let options = Options { device: self.device.map(str::to_owned), ..Options::default() };
        Ok(Machine::Vulkan(Box::new(GpuSimulation::new(problem, &options)?)))
    }

    /// Opens a problem in the f64 reference.
    ///
    /// # Errors
    /// As [`ReferenceSimulation::new`].
    pub fn reference(&self, problem: &Problem) -> Result<ReferenceSimulation, CardError> {
        Ok(ReferenceSimulation::new(problem))
    }

    /// Opens a problem with the given method.
    ///
    /// # Errors
    /// As [`Lab::machine`], or the method does not support something in the problem.
    pub fn simulation(&self, problem: &Problem, method: Method) -> Result<Box<dyn Simulation>, CardError> {
        Ok(match method {
            Method::Tuff => match self.machine(problem)? {
                Machine::Vulkan(gpu) => gpu,
                Machine::Cpu(cpu) => cpu,
            },
            Method::Mpm => Box::new(MpmSimulation::new(problem)?),
        })
    }

    /// Advances any solver by one frame.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn advance(
        &self,
        problem: &Problem,
        simulation: &mut dyn Simulation,
    ) -> Result<FrameReport, CardError> {
        let report = simulation.advance(&Control::default())?;
        self.count(problem, &report);
        Ok(report)
    }

    pub(crate) fn count(&self, problem: &Problem, report: &FrameReport) {
        self.work.set(self.work.get() + report.iterations * problem.particle_count() as u64);
    }

    /// Draws the preview picture of a frame as PNG, with the settings of the scene's `output.preview`.
    ///
    /// # Errors
    /// The scene has no preview, or the preview shows an attribute that its materials do not have.
    pub fn picture(&self, problem: &Problem, frame: &Frame) -> Result<Vec<u8>, CardError> {
        let preview = problem.scene.output.preview.as_ref();
        let preview = preview.ok_or_else(|| CardError("the scene has no output.preview".to_owned()))?;
        let models: Vec<_> = problem.materials.iter().map(|m| problem.models[m.model].descriptor()).collect();
        let mut renderer = Renderer::new(&problem.scene, preview, &problem.particles, &models)?;
        Ok(renderer.render(frame).png()?)
    }
}
