//! What a profile needs to know of the solver that it measures.

use tuff_cli::exit::Stop;
use tuff_problem::Problem;
use tuff_problem::profile::Profiled;
use tuff_reference::scalar::Scalar;
use tuff_reference::{ReferenceSolver, parallel};
use tuff_solver::GpuSolver;

use crate::law::{self, LawCost};
use crate::record::Device;

/// A solver that can be profiled.
pub trait Subject: Profiled {
    /// Stage that calls the laws of the materials, once for each particle.
    const LAWS: &str;

    /// Returns the device.
    fn device(&self) -> Device;

    /// Returns the memory in use [bytes].
    fn memory(&self) -> u64;

    /// Returns the number of calls of a law for each particle in an execution of [`LAWS`](Self::LAWS).
    fn calls(&self) -> u32 {
        1
    }

    /// Measures the laws of the materials; empty where they cannot be timed alone.
    ///
    /// # Errors
    /// The device fails.
    fn laws(&self, problem: &Problem) -> Result<Vec<LawCost>, Stop>;
}

impl Subject for GpuSolver {
    const LAWS: &str = "solve_inelastic";

    fn device(&self) -> Device {
        let info = GpuSolver::device(self).info();
        Device { name: info.name.clone(), driver: info.driver.clone(), kind: info.kind.to_string() }
    }

    fn memory(&self) -> u64 {
        GpuSolver::memory(self)
    }

    /// With several lanes per cell, each lane calls the model.
    fn calls(&self) -> u32 {
        self.lanes()
    }

    fn laws(&self, problem: &Problem) -> Result<Vec<LawCost>, Stop> {
        Ok(law::costs(problem, self.store())?)
    }
}

impl<S: Scalar> Subject for ReferenceSolver<S> {
    const LAWS: &str = "linearize";

    fn device(&self) -> Device {
        let driver = format!("{} threads of {}", parallel::threads(), processor());
        Device { name: S::DEVICE.to_owned(), driver, kind: "processor".to_owned() }
    }

    /// All that the process holds.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| 1024 * kib)
    }

    fn laws(&self, _: &Problem) -> Result<Vec<LawCost>, Stop> {
        Ok(Vec::new())
    }
}

/// Returns the name of the processor as the system reports it.
fn processor() -> String {
    let list = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = list.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unnamed processor", |(_, name)| name).to_owned()
}
