//! Runs, and how they end.

use tuff_problem::{Failure, Problem, SimulationError};
use tuff_run::GpuSimulation;
use tuff_solver::Options;

use crate::exit::{FAILED, Stop};

/// Opens a run on a Vulkan device.
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
