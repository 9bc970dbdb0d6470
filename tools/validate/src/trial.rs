//! A card's simulation on the device: steps, prescribed motions, and relaxation to equilibrium.

use glam::{DMat3, DVec3};
use tuff_problem::{Frame, FrameReport, Problem};

use crate::machine::Machine;
use crate::{CardError, Lab};

/// How often friction acts in a relaxation with adaptive substeps.
const LOOKS: u32 = 200;

/// A problem and its simulation on the device.
pub struct Trial<'a> {
    lab: &'a Lab<'a>,
    /// The problem.
    pub problem: Problem,
    /// The simulation.
    pub device: Machine,
    /// Number of substeps since the last whole frame, and the time they took [s].
    done: u32,
    seconds: f64,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>, problem: Problem) -> Result<Self, CardError> {
        let device = lab.machine(&problem)?;
        Ok(Self { lab, problem, device, done: 0, seconds: 0.0 })
    }

    /// Advances `count` substeps of the scene's length; colliders and pins continue their motion.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn step(&mut self, count: u32) -> Result<FrameReport, CardError> {
        let report = self.device.advance_substeps_from(self.done, count)?;
        self.lab.count(&self.problem, &report);
        self.done += count;
        Ok(report)
    }

    /// Advances substeps for about `seconds`, at least one. With adaptive substeps, they are those of frames no longer than the scene's.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn run(&mut self, seconds: f64) -> Result<FrameReport, CardError> {
        if self.problem.scene.time.substep_bounds.is_none() {
            return self.step((seconds / self.problem.dt()).round().max(1.0) as u32);
        }
        // No longer than a frame of the scene: the step is adapted from frame to frame.
        let count = (seconds * self.problem.scene.time.frame_rate - 1e-6).ceil().max(1.0);
        let mut whole: Option<FrameReport> = None;
        for _ in 0..count as u32 {
            let report = self.device.advance_span(&self.problem, self.seconds, seconds / count)?;
            self.lab.count(&self.problem, &report);
            self.seconds += seconds / count;
            match &mut whole {
                Some(whole) => whole.append(report),
                None => whole = Some(report),
            }
        }
        Ok(whole.unwrap_or_default())
    }

    /// Advances one frame of the scene; colliders and pins continue their motion.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn frame(&mut self) -> Result<FrameReport, CardError> {
        self.done = 0;
        self.lab.advance(&self.problem, self.device.simulation())
    }

    /// Draws the preview picture of the current state, as PNG.
    ///
    /// # Errors
    /// As [`Lab::picture`], or the device fails.
    pub fn picture(&mut self) -> Result<Vec<u8>, CardError> {
        let frame = self.now()?;
        self.lab.picture(&self.problem, &frame)
    }

    /// Returns the current state.
    ///
    /// # Errors
    /// The device fails.
    pub fn now(&mut self) -> Result<Frame, CardError> {
        Ok(self.device.simulation().frame()?)
    }

    /// Replaces the velocities between two substeps; `velocity` maps an id and its velocity [m/s] to a new one.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_velocities(&mut self, velocity: impl Fn(usize, DVec3) -> DVec3) -> Result<(), CardError> {
        self.device.set_velocities(self.problem.particle_count(), velocity)
    }

    /// Advances one substep in which every particle moves with the affine field that takes `from` to `to`, both maps of the initial
    /// positions. The trial must come from [`Lab::driven`] and have neither gravity nor colliders, so that nothing else acts.
    ///
    /// # Errors
    /// The simulation fails, or the solver would change the motion.
    pub fn drive(&mut self, from: DMat3, to: DMat3) -> Result<FrameReport, CardError> {
        if self.problem.scene.solver.iterations != 0 {
            return Err(CardError("a driven motion needs solver.iterations = 0".to_owned()));
        }
        let rate = (to - from) / self.problem.dt();
        let start: Vec<DVec3> = self.problem.particles.position.clone();
        self.set_velocities(|id, _| rate * start[id])?;
        self.step(1)
    }

    /// Advances `seconds` with friction of `rate` [1/s] on all matter: dynamic relaxation towards equilibrium. Gravity grows from zero
    /// over the first half, by taking back its excess. Friction acts after every substep, or `LOOKS` times if substeps are adaptive.
    ///
    /// # Errors
    /// The simulation fails.
    pub fn relax(&mut self, seconds: f64, rate: f64) -> Result<FrameReport, CardError> {
        let found = self.problem.scene.time.substep_bounds.is_some();
        let count = if found { LOOKS } else { (seconds / self.problem.dt()) as u32 };
        let each = if found { seconds / f64::from(LOOKS) } else { self.problem.dt() };
        let gravity = self.problem.scene.gravity;
        let free: Vec<bool> = self.problem.particles.pin.iter().map(|&pin| pin == u32::MAX).collect();
        let kept = (-rate * each).exp();
        let mut report = FrameReport::default();
        for i in 0..count {
            report = self.run(each)?;
            let missing = (1.0 - 2.0 * f64::from(i + 2) / f64::from(count)).max(0.0);
            let back = missing * each * gravity;
            self.set_velocities(|id, v| kept * v - if free[id] { back } else { DVec3::ZERO })?;
        }
        Ok(report)
    }
}
