//! Profiles of substeps.

use tuff_problem::profile::{Collector, Profiled, SubstepProfile};
use tuff_problem::{Control, SimulationError};

use crate::run::{Measure, Run};

impl<S: Profiled> Run<S> {
    /// Advances like [`advance_substeps_from`](Self::advance_substeps_from), with each substep in its own submission, and returns
    /// the cost of every dispatch; with `residuals`, also the residuals at the end of every substep, which cost about two sweeps.
    /// The final state is the same, bit for bit.
    ///
    /// # Errors
    /// As [`Simulation::advance`](crate::Simulation::advance).
    pub fn profile_substeps(
        &mut self,
        first: u32,
        count: u32,
        residuals: bool,
        control: &Control,
    ) -> Result<Vec<SubstepProfile>, SimulationError> {
        let usual = (self.together, self.fixed, self.measure);
        let measure = if residuals { Measure::Every } else { Measure::Never };
        (self.together, self.fixed, self.measure) = (1, true, measure);
        *self.solver.collector() = Some(Collector::start());
        let outcome = self.substeps(self.frame_start(), first, count, control, &mut |solver, done| {
            let collector = solver.collector().iter_mut();
            collector.for_each(if done { Collector::end } else { Collector::begin });
        });
        (self.together, self.fixed, self.measure) = usual;
        let substeps = self.solver.collector().take().map(Collector::finish).unwrap_or_default();
        outcome.map(|_| substeps)
    }
}
