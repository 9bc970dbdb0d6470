//! Moves grains; everything else stays.

use glam::DVec3;

use super::commit::{Refusal, move_particles};
use super::overlap::displacements;
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Advances the positions.
///
/// # Errors
///
/// [`Refusal::NotFinite`]; nothing has changed then.
pub fn commit_grains<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) -> Result<(), Refusal> {
    let lost = |&p: &usize| !(state.velocity[p].is_finite() && state.position[p].is_finite());
    if let Some(id) = (0..state.particle_count()).filter(lost).map(|p| state.id[p]).min() {
        return Err(Refusal::NotFinite(id));
    }
    let displaced = displacements(context, step, state, |_| DVec3::ZERO);
    move_particles(step, state, &displaced);
    Ok(())
}
