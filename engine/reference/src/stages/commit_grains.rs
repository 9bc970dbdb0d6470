//! Moves grains; everything else stays.

use glam::DVec3;

use super::commit::{Refusal, advance_position};
use super::overlap::displacements;
use crate::context::{Context, Step};
use crate::state::State;

/// Advances the positions.
///
/// # Errors
///
/// [`Refusal::NotFinite`]; nothing has changed then.
pub fn commit_grains(context: &Context, step: Step, state: &mut State) -> Result<(), Refusal> {
    let lost = |&p: &usize| !(state.velocity[p].is_finite() && state.position[p].is_finite());
    if let Some(id) = (0..state.particle_count()).filter(lost).map(|p| state.id[p]).min() {
        return Err(Refusal::NotFinite(id));
    }
    for (p, displaced) in displacements(context, step, state, |_| DVec3::ZERO).into_iter().enumerate() {
        advance_position(step, state, p, displaced);
    }
    Ok(())
}
