//! Opens runs and describes how they fail.

use tuff_problem::{Failure, Problem, SimulationError};
use tuff_run::GpuSimulation;
use tuff_solver::Options;

use crate::exit::{FAILED, Stop};

/// Opens a run on a Vulkan device.
pub fn open_gpu(problem: &Problem, device: Option<&str>) -> Result<GpuSimulation, Stop> {
    let options = Options { device: device.map(str::to_owned), ..Options::default() };
    Ok(GpuSimulation::new(problem, &options)?)
}

/// Returns the stop for a failed simulation, for commands that write no failure report.
pub fn failed(error: SimulationError, problem: &Problem) -> Stop {
    match error {
        SimulationError::Failed(failure) => blamed(problem, &failure),
        other => other.into(),
    }
}

/// Returns the stop for a failure, with the material in which it began.
pub fn blamed(problem: &Problem, failure: &Failure) -> Stop {
    let advice = problem.advice(failure);
    let mut stop = Stop::new(FAILED, format!("the simulation failed: {failure}; {advice}"));
    if let Some(blamed) = problem.blame(failure) {
        stop.message += &format!("\n{blamed}");
    }
    stop
}
