//! The solver that a run asks for.

use tuff_gpu::Device;
use tuff_problem::{Failure, Problem, Simulation, SimulationError};
use tuff_reference::{MpmSimulation, ReferenceSimulation};
use tuff_solver::{GpuSimulation, Options};

use crate::exit::{FAILED, Stop};

/// The name that selects the f64 reference solver in place of a device.
const REFERENCE: &str = "reference";

/// The name that selects the material point method, a baseline.
const MPM: &str = "mpm";

/// Whether `device` names a solver on the CPU in place of a Vulkan device.
pub fn on_cpu(device: Option<&str>) -> bool {
    matches!(device, Some(REFERENCE | MPM))
}

/// Name and memory [bytes] of the Vulkan device that a run would take; none where it would take none.
pub fn device_memory(device: Option<&str>) -> Option<(String, u64)> {
    if on_cpu(device) {
        return None;
    }
    // A run says why there is none.
    Device::chosen(device).ok().map(|info| (info.name, info.memory))
}

/// Opens the solver on `device`: a Vulkan device by index or part of its name, `reference`, `mpm`, or the
/// best device when absent.
pub fn open(problem: &Problem, device: Option<&str>) -> Result<Box<dyn Simulation>, Stop> {
    match device {
        Some(REFERENCE) => Ok(Box::new(ReferenceSimulation::new(problem)?)),
        Some(MPM) => Ok(Box::new(MpmSimulation::new(problem)?)),
        _ => Ok(Box::new(open_gpu(problem, device)?)),
    }
}

/// Opens the solver on a Vulkan device.
pub fn open_gpu(problem: &Problem, device: Option<&str>) -> Result<GpuSimulation, Stop> {
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    Ok(GpuSimulation::new(problem, &options)?)
}

/// The stop of a simulation that failed where no report is written.
pub fn failed(error: SimulationError, problem: &Problem) -> Stop {
    match error {
        SimulationError::Failed(failure) => blamed(problem, &failure),
        other => other.into(),
    }
}

/// The stop of a failure with the material that it began in.
pub fn blamed(problem: &Problem, failure: &Failure) -> Stop {
    let advice = problem.advice(failure);
    let mut stop = Stop::new(FAILED, format!("the simulation failed: {failure}; {advice}"));
    if let Some(blamed) = problem.blame(failure) {
        stop.message += &format!("\n{blamed}");
    }
    stop
}
