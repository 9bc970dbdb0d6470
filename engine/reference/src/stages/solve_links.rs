//! A sweep over the links between given particles.

use tuff_problem::links::Ends;

use crate::constraints::links::{ends, members};
use crate::context::{Context, Step};
use crate::scalar::Scalar;
use crate::state::State;

/// Runs one sweep over all links, color by color.
pub fn solve_links<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    for (index, link) in context.links.all.iter().enumerate() {
        if state.is_gone(index) {
            continue;
        }
        let members = members(state, link);
        let inverse_masses = members.map(|p| state.inverse_mass[p]);
        let (start, end) = ends(step, state, members);
        let ends = Ends { start: &start, end: &end, dt: step.dt };
        let impulses = link.row(ends, &inverse_masses, &mut state.link_multiplier[index]);
        for (&p, impulse) in std::iter::zip(&members, impulses).take(link.kind.members()) {
            state.velocity[p] += state.inverse_mass[p] * impulse;
        }
    }
}
