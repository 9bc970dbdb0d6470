//! A sweep over the links between given particles.

use crate::constraints::links::{ends, members};
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Runs one sweep over all links, color by color.
pub fn solve_links<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    for (index, link) in context.links.all.iter().enumerate() {
        let members = members(state, link);
        let inverse_masses = members.map(|p| state.inverse_mass[p]);
        let x = ends(step, state, members);
        let impulses = link.row(&x, &inverse_masses, step.dt, &mut state.link_multiplier[index]);
        for (&p, impulse) in std::iter::zip(&members, impulses).take(link.kind.members()) {
            state.velocity[p] += state.inverse_mass[p] * impulse;
        }
    }
}
