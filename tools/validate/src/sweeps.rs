//! Runs a substep of the f64 reference sweep by sweep.

use tuff_reference::stages::commit::{Refusal, commit};
use tuff_reference::stages::residual::{force_norm, forces, multiplier_norm};
use tuff_reference::stages::smooth_velocity::smooth_velocity;
use tuff_reference::stages::solve_colliders::solve_colliders;
use tuff_reference::substep::{iterate, prepare};
use tuff_reference::{Context, State, Step};

use glam::DVec3;

use crate::CardError;

/// Distance of velocities and multipliers from a solution.
#[derive(Debug, Clone, Copy, Default)]
pub struct Residuals {
    /// Residual of the paper: norm of C + alpha~ lambda over all particles [sqrt(Pa)].
    pub constraint: f64,
    /// Norm of the force imbalance times dt [N s].
    pub force: f64,
}

/// A substep between its preparation and its commit.
pub struct Sweeps<'a> {
    context: &'a Context,
    step: Step,
    /// The particles.
    pub state: State,
    /// Residuals at the predicted velocities, with zero multipliers.
    pub start: Residuals,
}

impl<'a> Sweeps<'a> {
    /// Prepares a substep of `state`.
    pub fn new(context: &'a Context, step: Step, state: State) -> Self {
        let mut sweeps = Self { context, step, state, start: Residuals::default() };
        prepare(context, step, &mut sweeps.state);
        sweeps.start = sweeps.residuals();
        sweeps
    }

    /// Performs one sweep over all constraints.
    pub fn sweep(&mut self) {
        iterate(self.context, self.step, &mut self.state);
    }

    /// Returns all residuals now, with every constraint at the same velocities.
    pub fn residuals(&self) -> Residuals {
        Residuals { constraint: self.constraint(), force: force_norm(self.context, self.step, &self.state) }
    }

    /// Returns the paper's residual alone.
    pub fn constraint(&self) -> f64 {
        multiplier_norm(self.context, self.step, &self.state)
    }

    /// Returns the force imbalance of every particle at given velocities [N s].
    pub fn forces_at(&mut self, velocity: &[DVec3]) -> Vec<DVec3> {
        self.state.velocity.copy_from_slice(velocity);
        forces(self.context, self.step, &self.state)
    }

    /// Ends the substep: smoothing, contacts, strain, positions.
    ///
    /// # Errors
    /// A neighborhood folded or a value is not finite.
    pub fn finish(mut self) -> Result<State, CardError> {
        smooth_velocity(self.context, self.step, &mut self.state);
        solve_colliders(self.context, self.step, &mut self.state);
        commit(self.context, self.step, &mut self.state).map_err(|refusal| {
            CardError(match refusal {
                Refusal::Folded(id) => format!("the neighborhood of particle {id} folded"),
                Refusal::NotFinite(id) => format!("a value of particle {id} is not finite"),
            })
        })?;
        Ok(self.state)
    }
}
