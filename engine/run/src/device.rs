//! Opens runs on a device selected by name.

use tuff_gpu::{Device, DeviceKind};
use tuff_problem::{Problem, SimulationError};
use tuff_reference::{MpmSolver, ReferenceSolver};
use tuff_solver::{GpuSolver, Options, SolverError};

use crate::run::Run;
use crate::simulation::Simulation;

/// Device name that selects the processor.
const CPU: &str = "cpu";

/// Device name that selects the f64 reference solver.
const REFERENCE: &str = "reference";

/// Device name that selects the material point method, a baseline.
const MPM: &str = "mpm";

/// A run on a Vulkan device.
pub type GpuSimulation = Run<GpuSolver>;

/// A run on the processor.
pub type CpuSimulation = Run<ReferenceSolver<f32>>;

/// A run of the f64 reference.
pub type ReferenceSimulation = Run<ReferenceSolver>;

/// A run of the material point method.
pub type MpmSimulation = Run<MpmSolver>;

/// Reasons why a run cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The device cannot run the problem.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A CPU solver does not support something in the scene.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// Returns true if `device` names a CPU solver instead of a Vulkan device.
pub fn names_cpu(device: Option<&str>) -> bool {
    matches!(device, Some(CPU | REFERENCE | MPM))
}

/// A device as chosen by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen<'a> {
    /// The processor.
    Cpu,
    /// The f64 reference.
    Reference,
    /// The material point method.
    Mpm,
    /// A Vulkan device by index or part of its name; the best one if `None`.
    Vulkan(Option<&'a str>),
}

/// Returns the device that [`open`] would open.
pub fn chosen<'a>(problem: &Problem, device: Option<&'a str>) -> Chosen<'a> {
    match device.or_else(|| default_device(problem)) {
        Some(CPU) => Chosen::Cpu,
        Some(REFERENCE) => Chosen::Reference,
        Some(MPM) => Chosen::Mpm,
        name => Chosen::Vulkan(name),
    }
}

/// Returns true if [`open`] would open a CPU solver.
pub fn on_cpu(problem: &Problem, name: Option<&str>) -> bool {
    !matches!(chosen(problem, name), Chosen::Vulkan(_))
}

/// Returns the device that a run uses if none is named: `None` for a GPU if there is one, otherwise the processor; a software driver only
/// by name. Some scenes run on the processor alone ([`Problem::needs_processor`]); contact with cloth, which a Vulkan device solves in one
/// workgroup, does so unless a device is named.
fn default_device(problem: &Problem) -> Option<&'static str> {
    if problem.needs_processor() || !problem.sheets.is_empty() {
        return Some(CPU);
    }
    match Device::chosen(None).map(|info| info.kind) {
        Ok(DeviceKind::Cpu) | Err(_) => Some(CPU),
        Ok(_) => None,
    }
}

/// Returns the name and memory [bytes] of the Vulkan device that a run would use; `None` for CPU solvers or if there is no
/// device.
pub fn device_memory(device: Option<&str>) -> Option<(String, u64)> {
    if names_cpu(device) {
        return None;
    }
    // Opening the run reports why there is none.
    Device::chosen(device).ok().map(|info| (info.name, info.memory))
}

/// Opens a run on `device`: a Vulkan device by index or part of its name, `cpu`, `reference`, `mpm`; if `None`, on a GPU or otherwise
/// the processor.
///
/// # Errors
/// [`OpenError`].
pub fn open(problem: &Problem, device: Option<&str>) -> Result<Box<dyn Simulation>, OpenError> {
    Ok(match chosen(problem, device) {
        Chosen::Cpu => Box::new(CpuSimulation::new(problem)),
        Chosen::Reference => Box::new(ReferenceSimulation::new(problem)),
        Chosen::Mpm => Box::new(MpmSimulation::new(problem)?),
        Chosen::Vulkan(device) => {
            let options = Options { device: device.map(str::to_owned), ..Options::default() };
            Box::new(GpuSimulation::new(problem, &options)?)
        }
    })
}

impl GpuSimulation {
    /// Opens a device, compiles the stages and uploads the particles.
    ///
    /// # Errors
    /// As [`GpuSolver::new`].
    pub fn new(problem: &Problem, options: &Options) -> Result<Self, SolverError> {
        Ok(Self::of(GpuSolver::new(problem, options)?, problem))
    }
}

impl CpuSimulation {
    /// Creates a run at the first frame of a problem.
    pub fn new(problem: &Problem) -> Self {
        Self::of(ReferenceSolver::new(problem), problem)
    }
}

impl ReferenceSimulation {
    /// Creates a run at the first frame of a problem.
    pub fn new(problem: &Problem) -> Self {
        Self::of(ReferenceSolver::new(problem), problem)
    }
}

impl MpmSimulation {
    /// Creates a run at the first frame of a problem.
    ///
    /// # Errors
    /// As [`MpmSolver::new`].
    pub fn new(problem: &Problem) -> Result<Self, SimulationError> {
        Ok(Self::of(MpmSolver::new(problem)?, problem))
    }
}
