//! Substeps with rigid bodies. The bodies respond on the host, in f64, by the same code as on the CPU: a substep is cut where they do, and
//! each part waits for the one before.
//!
//! The host holds few bodies with few contacts among them, and solves for them to rounding, where a device would need a serial solver of
//! its own in f32; what crosses over are sums of 44 numbers per body. The price is a wait per pass, tens of microseconds on a GPU.

use std::time::Instant;

use tuff_gpu::{GpuError, Recording, RunOptions, StageTime};
use tuff_problem::{Step, Steps};
use tuff_rigid::{Load, Trial, Wrench};

use super::GpuSolver;
use crate::attributes::{RIGID, RIGID_LOAD, RIGID_REPORT};
use crate::constants::*;
use crate::substep::{Recorder, Turn};

/// What a substep in parts remembers.
pub(super) struct Progress {
    step: Step,
    /// Iterations at the last turn.
    iterations: u32,
    /// What a Newton solve may return to.
    kept: Option<Trial>,
    begun: Instant,
    /// Commands that have run, and their times if they are taken.
    pub done: Recording,
    pub times: Vec<StageTime>,
}

impl GpuSolver {
    /// Runs the single substep `steps` up to its last part, which is left in the recording; the bodies neither moved nor refused yet.
    pub(super) fn run_in_turns(
        &mut self,
        steps: Steps,
        recording: &mut Recording,
    ) -> Result<Progress, GpuError> {
        let step = steps.step(0);
        self.rigid.begin(self.problem.scene.gravity, step.time, step.dt);
        let push = self.upload(steps)?;
        let settings = self.problem.scene.solver.clone();
        if settings.newton() {
            self.rigid.guess();
        }
        self.place_responding(step)?;
        let mut progress = Progress {
            step,
            iterations: 0,
            kept: None,
            begun: Instant::now(),
            done: Recording::new(),
            times: Vec::new(),
        };
        let mut recorder = Recorder::new(recording, &self.problem, push, u32::MAX);
        recorder.substep_in_turns(&settings, steps.measured, &mut |recorder, at| {
            self.turn(recorder, at, &mut progress)
        })?;
        Ok(progress)
    }

    /// Runs what has been recorded so far.
    pub(super) fn run_part(
        &mut self,
        recording: &mut Recording,
        progress: &mut Progress,
    ) -> Result<(), GpuError> {
        let part = std::mem::take(recording);
        let before = progress.begun.elapsed().as_nanos() as u64;
        let timed = self.collector.is_some();
        let run = self.executor.run(&self.store, &part, RunOptions { timestamps: timed })?;
        let moved = run.stages.into_iter().map(|time| StageTime { start: before + time.start, ..time });
        progress.times.extend(moved);
        progress.done.commands.extend(part.commands);
        Ok(())
    }

    fn turn(
        &mut self,
        recorder: &mut Recorder<'_>,
        at: Turn,
        progress: &mut Progress,
    ) -> Result<bool, GpuError> {
        self.run_part(recorder.recording, progress)?;
        if self.report(REPORT_FAILED)? != 0 {
            return Ok(false);
        }
        match at {
            Turn::Contact | Turn::Guess => {}
            Turn::Sweep => {
                let iterations = self.report(REPORT_ITERATIONS)?;
                // The device skips the sweeps after convergence.
                if iterations == progress.iterations {
                    return Ok(false);
                }
                progress.iterations = iterations;
            }
            Turn::Pass => return self.after_pass(recorder, progress),
        }
        self.answer(progress.step)?;
        Ok(true)
    }

    /// Lets the bodies take part in the act that followed a Newton pass; returns whether another pass follows.
    fn after_pass(&mut self, recorder: &mut Recorder<'_>, progress: &mut Progress) -> Result<bool, GpuError> {
        let (mode, act) = (self.report(REPORT_MODE)?, self.report(REPORT_ACT)?);
        // Without particles, as before the first of an emitter, no pass judges anything.
        let goes_on = mode != NEWTON_ENDED && self.problem.particle_count() > 0;
        if matches!(act, NEWTON_BEGIN | NEWTON_ROUND | NEWTON_RESUME | NEWTON_PREDICT) {
            progress.kept = Some(self.rigid.keep());
        }
        if matches!(act, NEWTON_RETURN | NEWTON_SHORTEN) {
            if let Some(kept) = &progress.kept {
                self.rigid.return_to(kept);
            }
            self.place_responding(progress.step)?;
        }
        if act == NEWTON_PREDICT {
            self.rigid.predict();
            self.place_responding(progress.step)?;
        }
        if matches!(act, NEWTON_SHORTEN | NEWTON_PREDICT) {
            recorder.touch(act == NEWTON_SHORTEN);
            self.run_part(recorder.recording, progress)?;
        }
        if matches!(act, NEWTON_NOTHING | NEWTON_RETURN | NEWTON_RESUME | NEWTON_STEP) {
            return Ok(goes_on);
        }
        self.answer(progress.step)?;
        if act != NEWTON_PREDICT {
            recorder.hold();
        }
        Ok(goes_on)
    }

    /// Lets the bodies respond to the loads that the device has summed.
    fn answer(&mut self, step: Step) -> Result<(), GpuError> {
        let loads = (0..self.rigid.len()).map(|b| self.load_on(b)).collect::<Result<Vec<_>, _>>()?;
        self.rigid.respond(&loads);
        self.place_responding(step)
    }

    fn report(&self, word: u32) -> Result<u32, GpuError> {
        self.store.read_mapped(RIGID_REPORT, word as usize)
    }

    /// Reads what matter does to a body.
    fn load_on(&self, body: usize) -> Result<Load, GpuError> {
        let mut words = [[0.0_f64; 4]; LOAD_WORDS as usize];
        for (i, word) in words.iter_mut().enumerate() {
            let read: [f32; 4] = self.store.read_mapped(RIGID_LOAD, body * LOAD_WORDS as usize + i)?;
            *word = read.map(f64::from);
        }
        let mut load = Load {
            wrench: Wrench { linear: vector(words[0]), angular: vector(words[1]) },
            size: words[0][3],
            contacts: words[1][3] as u32,
            ..Load::NONE
        };
        let blocks = std::iter::zip(&words[2..5], std::iter::zip(&words[5..8], &words[8..11]));
        for (j, (linear, (mixed, angular))) in blocks.enumerate() {
            for i in 0..3 {
                load.resistance[i][j] = linear[i];
                load.resistance[i][3 + j] = mixed[i];
                load.resistance[3 + j][i] = mixed[i];
                load.resistance[3 + i][3 + j] = angular[i];
            }
        }
        Ok(load)
    }

    /// Places the faces that follow the bodies from now on, and tells the device what the bodies receive apart from matter.
    fn place_responding(&mut self, step: Step) -> Result<(), GpuError> {
        self.place(1, step, |_| 0.0)?;
        for (b, balance) in self.rigid.balances().iter().enumerate() {
            let faces = self.problem.faces.iter().enumerate().filter(|(_, face)| face.rigid == Some(b));
            let mut faces = faces.map(|(index, _)| index as f64);
            let first = faces.next().unwrap_or(0.0);
            let end = faces.next_back().unwrap_or(first) + 1.0;
            let row = |v: glam::DVec3, w: f64| [v.x as f32, v.y as f32, v.z as f32, w as f32];
            let words: [[f32; 4]; RIGID_WORDS as usize] = [
                row(self.rigid.center(b), first),
                row(balance.contacts.linear, end),
                row(balance.contacts.angular, balance.radius),
                row(balance.missing.linear, balance.weight),
                row(balance.missing.angular, self.rigid.mass(b)),
            ];
            for (i, word) in words.iter().enumerate() {
                self.store.write_mapped(RIGID, b * RIGID_WORDS as usize + i, word)?;
            }
        }
        Ok(())
    }
}

fn vector(word: [f64; 4]) -> glam::DVec3 {
    glam::DVec3::new(word[0], word[1], word[2])
}
