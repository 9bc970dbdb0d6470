//! What a driver tells about the compiled stages of a scene. Needs a driver that compiles, not its hardware.

use tuff_gpu::{Device, DeviceInfo, DeviceOptions, Statistic};
use tuff_problem::Problem;

use crate::graph;
use crate::setup::{Options, SolverError};
use crate::solver::compile;
use crate::stages::Stage;

/// The compiled code of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct StageCode {
    /// Stage.
    pub stage: Stage,
    /// Numbers about it, under the driver's names.
    pub statistics: Vec<Statistic>,
}

/// Compiles the stages of a problem on a device on which nothing runs. Returns the device and the stages of a substep, in the order of
/// their first launch.
///
/// # Errors
/// If there is no such device, its driver tells nothing about compiled code, or a shader does not compile.
pub fn compiled(problem: &Problem, options: &Options) -> Result<(DeviceInfo, Vec<StageCode>), SolverError> {
    let compile_only = DeviceOptions { compile_only: true, ..DeviceOptions::from_env() };
    let device = Device::open_with(options.device.as_deref(), compile_only)?;
    let executor = compile(problem, &device, options)?.executor;
    let stages = graph::stages(problem);
    let code = |stage: Stage| Ok(StageCode { stage, statistics: executor.statistics(stage.id())? });
    let stages = stages.into_iter().map(code).collect::<Result<_, SolverError>>()?;
    Ok((device.info().clone(), stages))
}
