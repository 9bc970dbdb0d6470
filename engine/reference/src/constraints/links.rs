//! Links between given particles in the force balance, and their energy. Their sweep is `stages/solve_links.rs`, their kinds are in
//! `tuff_problem::links`.

use glam::{DMat3, DVec3};
use tuff_problem::links::{Ends, Incidence, Link, MEMBERS};

use super::distance;
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::sheets;
use crate::state::State;
use crate::tensor::trace;

/// Returns the indices of a link's particles.
pub(crate) fn members<S: Scalar>(state: &State<S>, link: &Link) -> [usize; MEMBERS] {
    std::array::from_fn(|i| link.ids().get(i).map_or(0, |&id| state.place[id as usize]))
}

/// Returns the positions of a link's particles at the start and, by the velocities that the state holds, at the end of the substep [m].
pub(crate) fn ends<S: Scalar>(
    step: Step,
    state: &State<S>,
    members: [usize; MEMBERS],
) -> ([DVec3; MEMBERS], [DVec3; MEMBERS]) {
    (members.map(|p| state.position[p]), members.map(|p| state.position[p] + step.dt * state.velocity[p]))
}

/// Adds to the value of every linked particle what `parts` returns for its role in each of its links, given the places of the link's
/// particles at both ends of the substep and their indices.
fn add<S: Scalar, T: Copy + std::ops::Add<Output = T> + Send + Sync>(
    context: &Context,
    step: Step,
    state: &State<S>,
    values: &mut [T],
    none: T,
    parts: impl Fn(&Link, Ends<'_>, &[usize; MEMBERS]) -> [T; MEMBERS] + Send + Sync,
) {
    let links = &context.links;
    let parts: Vec<[T; MEMBERS]> = parallel::map(links.all.len(), |index| {
        let link = &links.all[index];
        if state.is_gone(index) {
            return [none; MEMBERS];
        }
        let members = members(state, link);
        let (start, end) = ends(step, state, members);
        parts(link, Ends { start: &start, end: &end, dt: step.dt }, &members)
    });
    let place = |row: usize| state.place[links.first_particle as usize + row];
    let sums: Vec<T> = parallel::map(links.particle_count(), |row| {
        let incidences = &links.incidences[links.start[row] as usize..links.start[row + 1] as usize];
        let part = |incidence: &Incidence| parts[incidence.link as usize][usize::from(incidence.role)];
        incidences.iter().fold(values[place(row)], |sum, incidence| sum + part(incidence))
    });
    for (row, sum) in sums.into_iter().enumerate() {
        values[place(row)] = sum;
    }
}

/// Adds the force imbalance due to links [N s].
pub fn add_forces<S: Scalar>(context: &Context, step: Step, state: &State<S>, force: &mut [DVec3]) {
    add(context, step, state, force, DVec3::ZERO, |link, ends, _| {
        link.gradients(ends).map(|force| step.dt * force)
    });
}

/// Adds the links' part of the matrix times a velocity change [N s].
pub fn add_product<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    d: &[DVec3],
    result: &mut [DVec3],
) {
    add(context, step, state, result, DVec3::ZERO, |link, ends, members| {
        link.products(ends, &members.map(|p| d[p])).map(|force| step.dt * step.dt * force)
    });
}

/// Adds the links' part of the diagonal blocks of the matrix [kg].
pub fn add_blocks<S: Scalar>(context: &Context, step: Step, state: &State<S>, blocks: &mut [DMat3]) {
    add(context, step, state, blocks, DMat3::ZERO, |link, ends, _| {
        link.blocks(ends).map(|block| step.dt * step.dt * block)
    });
}

/// Adds the traces of the links' part of the diagonal blocks of the matrix [kg].
pub fn add_traces<S: Scalar>(context: &Context, step: Step, state: &State<S>, traces: &mut [f64]) {
    add(context, step, state, traces, 0.0, |link, ends, _| {
        link.blocks(ends).map(|block| step.dt * step.dt * trace(block))
    });
}

/// Replaces the force imbalance of linked particles [N s] by the impulse with which each alone responds to it, given its links, and in a
/// Newton solve its contacts with cloth and too-close pairs: at the predicted velocities links are strained by motion that they will
/// prevent, by far more than they will bear.
pub fn respond<S: Scalar>(context: &Context, step: Step, state: &State<S>, force: &mut [DVec3]) {
    if context.links.is_empty() {
        return;
    }
    let newton = context.settings.newton();
    let mut blocks = vec![DMat3::ZERO; state.particle_count()];
    add_blocks(context, step, state, &mut blocks);
    if newton {
        sheets::add_blocks(state, &mut blocks);
    }
    parallel::each(force, |p, force| {
        if context.classes.class(state.body[p]).is_linked() {
            let near = if newton { distance::block(context, step, state, p) } else { DMat3::ZERO };
            let resistance = DMat3::IDENTITY + state.inverse_mass[p] * (blocks[p] + near);
            *force = resistance.inverse() * *force;
        }
    });
}

/// Returns the energy stored by the links [J].
pub fn energy<S: Scalar>(context: &Context, state: &State<S>) -> f64 {
    let place = state.index_of_id();
    let at = |&id: &u32| state.position[place[id as usize]];
    let of = |link: &Link| link.energy(&link.ids().iter().map(at).collect::<Vec<_>>());
    let links = &context.links;
    links.all.iter().filter(|link| !links.is_gone(link, &state.torn)).map(of).sum()
}

/// Notes which links are gone.
pub fn note_gone<S: Scalar>(context: &Context, state: &mut State<S>) {
    state.gone.clear();
    if state.torn.contains(&1) {
        let links = &context.links;
        state.gone = links.all.iter().map(|link| links.is_gone(link, &state.torn)).collect();
    }
}

/// Tears the triangles of cloth that are stretched too far at the end of a substep.
pub fn tear<S: Scalar>(context: &Context, state: &mut State<S>) {
    if state.torn.is_empty() {
        return;
    }
    let position = |id: u32| state.position[state.place[id as usize]];
    for triangle in context.links.overstretched(&state.torn, position) {
        state.torn[triangle as usize] = 1;
        state.counters.torn += 1;
    }
}
