//! The solver that a run asks for.

use tuff_problem::{Problem, Simulation};
use tuff_reference::ReferenceSimulation;
use tuff_solver::{GpuSimulation, Options};

use crate::exit::Stop;

/// The name that selects the f64 reference solver in place of a device.
pub const REFERENCE: &str = "reference";

/// Opens the solver on `device`: a Vulkan device by index or part of its name, [`REFERENCE`], or the
/// best device when absent.
pub fn open(problem: &Problem, device: Option<&str>) -> Result<Box<dyn Simulation>, Stop> {
    if device == Some(REFERENCE) {
        return Ok(Box::new(ReferenceSimulation::new(problem)?));
    }
    Ok(Box::new(open_gpu(problem, device)?))
}

/// Opens the solver on a Vulkan device.
pub fn open_gpu(problem: &Problem, device: Option<&str>) -> Result<GpuSimulation, Stop> {
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    Ok(GpuSimulation::new(problem, &options)?)
}
