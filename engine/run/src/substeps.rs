//! Attempts at substeps; rejected ones are repeated in halves.

use tuff_problem::{Evidence, Failure, FailureKind, FrameReport, Refusal, SimulationError, Solver, Steps};

use crate::run::{Measure, Run};

impl<S: Solver> Run<S> {
    /// Attempts the next batch of a frame that starts at `start` [s]; `done` of its `count` substeps from `first` are complete.
    /// Returns the number of substeps that the attempt completed.
    pub(crate) fn some_of(
        &mut self,
        start: f64,
        [first, done, count]: [u32; 3],
        report: &mut FrameReport,
    ) -> Result<u32, SimulationError> {
        let together = self.together.min(count - done);
        let measured = match self.measure {
            Measure::Never => false,
            Measure::Last => done + together == count,
            Measure::Every => true,
        };
        let steps = Steps {
            frame: start,
            first: first + done,
            dt: self.time.dt(),
            count: together,
            halvings: 0,
            measured,
        };
        let attempt = self.solver.attempt(steps, report)?;
        report.substeps += attempt.completed;
        let Some(refusal) = attempt.refusal else { return Ok(attempt.completed) };
        let substep = first + done + attempt.completed;
        self.repair(steps.only(attempt.completed), refusal, false, substep, report)?;
        Ok(attempt.completed + 1)
    }

    /// Repeats a rejected substep, or part of one, in two halves. Ends the run if a half folds although its whole was already
    /// halved because of a fold. `substep`: number of the whole substep in the frame.
    fn repair(
        &mut self,
        refused: Steps,
        refusal: Refusal,
        folded: bool,
        substep: u32,
        report: &mut FrameReport,
    ) -> Result<(), SimulationError> {
        let folds = match refusal {
            Refusal::Unbalanced => false,
            Refusal::Broken(FailureKind::Folded, _) if !folded => true,
            Refusal::Broken(kind, particle) => {
                return Err(self.failure(kind, particle, refused, substep, report));
            }
        };
        report.counters.substeps_halved += 1;
        let late = 2 * substep + 1 >= self.time.substeps_per_frame();
        report.lasting_halvings += u64::from(folds || late);
        for half in refused.halves() {
            loop {
                let attempt = self.solver.attempt(half, report)?;
                report.substeps += attempt.completed;
                match attempt.refusal {
                    Some(refusal) => self.repair(half, refusal, folds, substep, report)?,
                    None if attempt.completed == 0 => continue,
                    None => {}
                }
                break;
            }
        }
        Ok(())
    }

    /// Builds the failure report of the single substep `step`, number `substep` of the frame.
    fn failure(
        &mut self,
        kind: FailureKind,
        particle: Option<u32>,
        step: Steps,
        substep: u32,
        report: &FrameReport,
    ) -> SimulationError {
        let frame = self.frame + 1;
        let explanation = match self.solver.explain(step, kind, particle) {
            Ok(explanation) => explanation,
            Err(error) => {
                return SimulationError::Device(format!(
                    "the simulation failed: {kind} (frame {frame}, substep {substep})\nand the device, asked for the place: {error}"
                ));
            }
        };
        let evidence = explanation.seen.map(|seen| {
            Box::new(Evidence {
                origin: seen.origin,
                bad: seen.bad,
                time: step.step(0).time,
                dt: step.dt,
                in_substep: seen.counters,
                in_frame: report.counters,
                in_last_frame: self.last_frame,
                surroundings: seen.surroundings,
            })
        });
        let point = explanation.point;
        let particle = explanation.particle;
        SimulationError::Failed(Box::new(Failure { kind, particle, frame, substep, point, evidence }))
    }
}
