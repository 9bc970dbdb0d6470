//! Which parts may meet in a substep, and which sheets are walls between particles.

use glam::DVec3;
use rayon::prelude::*;
use tuff_problem::links::NO_MEMBER;
use tuff_problem::{
    Boxes, Class, Meeting, Patch, SEPARATION_TOLERANCE, SHEET_SLACK, SHEET_STIFFEST, meeting_key,
};
use tuff_scene::Bounds;

use super::obstacle::triangles_on_obstacles;
use super::{Candidate, look};
use crate::constraints::distance::stiffness;
use crate::context::{Context, Step};
use crate::parallel;
use crate::scalar::Scalar;
use crate::state::State;

/// Lists the parts that may meet in the substep, at the predicted velocities, in the order of their keys.
pub fn list<S: Scalar>(context: &Context, step: Step, state: &mut State<S>) {
    if context.sheets.is_empty() {
        return;
    }
    let fastest = state.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    let slack = (step.dt * fastest).min(SHEET_SLACK * context.radius());
    let swept = |p: usize| [state.position[p], state.position[p] + step.dt * state.velocity[p]];
    let around =
        |corners: &[usize], margin: f64| Bounds::of(corners.iter().flat_map(|&p| swept(p))).grown(margin);
    let widest = context.sheets.all.iter().map(|sheet| sheet.half_thickness).fold(0.0, f64::max);

    let triangles = placed(state, &context.sheets.triangles);
    let of_triangles = Boxes::new(triangles.iter().map(|part| around(&part.corners, 0.0)).collect());
    let of_point = |p: usize| -> Vec<Candidate> {
        let own = state.sheet_of(context, p);
        let reach =
            own.map_or(state.contact_radius[p], |sheet| context.sheets.all[sheet as usize].half_thickness);
        let near = of_triangles.overlapping(&around(&[p], reach + widest + slack));
        let may_meet = |index: u32| {
            let Placed { corners, sheet, number } = &triangles[index as usize];
            let gap = match own {
                Some(own) => context.sheets.gap(own, *sheet),
                None => state.contact_radius[p] + context.sheets.all[*sheet as usize].half_thickness,
            };
            if corners.contains(&p) {
                return None;
            }
            let members = [p, corners[0], corners[1], corners[2]];
            let key = meeting_key(Meeting::PointTriangle, state.id[p], *number);
            let sheets = [own, Some(*sheet)];
            candidate(context, step, state, Meeting::PointTriangle, key, members, sheets, gap, slack)
        };
        near.into_iter().filter_map(may_meet).collect()
    };
    let points: Vec<Vec<Candidate>> = parallel::map(state.particle_count(), of_point);

    let edges = placed(state, &context.sheets.edges);
    let of_edges = Boxes::new(edges.iter().map(|part| around(&part.corners, 0.0)).collect());
    let of_edge = |index: usize| -> Vec<Candidate> {
        let Placed { corners, sheet, number } = &edges[index];
        let near = of_edges.overlapping(&around(corners, 2.0 * widest + slack));
        let later = near.into_iter().filter(|&other| other as usize > index);
        let may_meet = |other: u32| {
            let Placed { corners: others, sheet: another, number: later } = &edges[other as usize];
            if corners.iter().any(|p| others.contains(p)) {
                return None;
            }
            let members = [corners[0], corners[1], others[0], others[1]];
            let gap = context.sheets.gap(*sheet, *another);
            let key = meeting_key(Meeting::EdgeEdge, *number, *later);
            let sheets = [Some(*sheet), Some(*another)];
            candidate(context, step, state, Meeting::EdgeEdge, key, members, sheets, gap, slack)
        };
        later.filter_map(may_meet).collect()
    };
    let crossing: Vec<Vec<Candidate>> = (0..edges.len()).into_par_iter().map(of_edge).collect();
    let against = triangles_on_obstacles(context, step, state, slack);
    state.sheet_candidates = points.into_iter().chain(crossing).flatten().chain(against).collect();
    state.sheet_candidates.par_sort_unstable_by_key(|candidate| candidate.key);
    if context.settings.newton() {
        look(context, step, state);
    }
}

/// A patch that has not torn.
pub(super) struct Placed<const N: usize> {
    /// Indices of its corners.
    pub corners: [usize; N],
    /// Index of its sheet.
    pub sheet: u32,
    /// Its place among all patches, torn or not: the order of contacts does not depend on what has torn.
    pub number: u32,
}

/// Returns the patches that have not torn.
pub(super) fn placed<S: Scalar, const N: usize>(state: &State<S>, patches: &[Patch<N>]) -> Vec<Placed<N>> {
    let place = |id: &u32| state.place[*id as usize];
    let torn = |triangle: u32| {
        triangle == NO_MEMBER || state.torn.get(triangle as usize).is_some_and(|torn| *torn != 0)
    };
    let there = std::iter::zip(patches, 0..)
        .filter(|(patch, _)| !patch.triangles.iter().all(|triangle| torn(*triangle)));
    let placed = |(patch, number): (&Patch<N>, u32)| Placed {
        corners: patch.corners.each_ref().map(place),
        sheet: patch.sheet,
        number,
    };
    there.map(placed).collect()
}

/// Returns a candidate, unless its parts are too far from each other to meet in the substep, by the predicted velocities and `slack` [m].
#[allow(clippy::too_many_arguments, reason = "all of it is the candidate")]
fn candidate<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    meeting: Meeting,
    key: [u32; 2],
    members: [usize; 4],
    sheets: [Option<u32>; 2],
    gap: f64,
    slack: f64,
) -> Option<Candidate> {
    if members.iter().all(|&p| state.inverse_mass[p] == 0.0) {
        return None;
    }
    let start = members.map(|p| state.position[p]);
    let sides = match meeting {
        Meeting::PointTriangle => 1,
        Meeting::EdgeEdge => 2,
    };
    let velocity = members.map(|p| state.velocity[p]);
    let motions =
        velocity[..sides].iter().flat_map(|a| velocity[sides..].iter().map(move |b| (*a - *b).length()));
    let travel = step.dt * motions.fold(0.0, f64::max) + slack;
    let distance = meeting.distance(&start);
    if distance > gap + travel {
        return None;
    }
    let heaviest = members
        .iter()
        .map(|&p| if state.inverse_mass[p] > 0.0 { state.mass[p] } else { 0.0 })
        .fold(0.0, f64::max);
    let stiffest = SHEET_STIFFEST * heaviest / (step.dt * step.dt);
    let friction = sheets.iter().flatten().map(|&sheet| context.sheets.all[sheet as usize].friction);
    let fluid = state.is_fluid(members[0]);
    Some(Candidate {
        meeting,
        key,
        members: members.map(|p| p as u32),
        spot: None,
        gap,
        least: gap.min(distance),
        stiffness: stiffness(context, state, members[0], members[sides]).min(stiffest),
        friction: if fluid { 0.0 } else { friction.fold(f64::INFINITY, f64::min) },
        bears: 0.0,
        bound: f64::INFINITY,
        given: DVec3::ZERO,
    })
}

/// Adds sheets to the walls that particles of matter see within the support of their kernels.
pub fn add_walls<S: Scalar>(context: &Context, state: &mut State<S>) {
    if context.sheets.is_empty() {
        return;
    }
    let limit = 2.0 * context.radius();
    let near = SEPARATION_TOLERANCE * context.radius();
    let triangles = placed(state, &context.sheets.triangles);
    let around = |corners: &[usize; 3]| Bounds::of(corners.map(|p| state.position[p])).grown(limit);
    let boxes = Boxes::new(triangles.iter().map(|part| around(&part.corners)).collect());
    let mut walls = std::mem::take(&mut state.walls);
    walls.resize(state.particle_count(), Default::default());
    parallel::each(&mut walls, |p, walls| {
        if !matches!(context.classes.class(state.body[p]), Class::Matter | Class::Fluid | Class::Total) {
            return;
        }
        let x = state.position[p];
        // The nearest triangle of each sheet.
        let mut nearest: Vec<(u32, f64, DVec3)> = Vec::new();
        for index in boxes.overlapping(&Bounds::of([x])) {
            let Placed { corners, sheet, .. } = &triangles[index as usize];
            let [a, b, c] = corners.map(|p| state.position[p]);
            let members = [x, a, b, c];
            let Some(approach) = Meeting::PointTriangle.approach(&members, &members) else { continue };
            if approach.distance >= limit {
                continue;
            }
            match nearest.iter_mut().find(|found| found.0 == *sheet) {
                Some(found) if found.1 <= approach.distance => {}
                Some(found) => (found.1, found.2) = (approach.distance, approach.normal),
                None => nearest.push((*sheet, approach.distance, approach.normal)),
            }
        }
        for (sheet, distance, normal) in nearest {
            walls.add(context.faces.len() + sheet as usize, normal, distance, near);
        }
    });
    state.walls = walls;
}
