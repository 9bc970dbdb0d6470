//! Triangles of cloth on colliders and rigid bodies: those that are sharper or smaller than triangles are wide, between their vertices.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_problem::links::NO_MEMBER;
use tuff_problem::{
    Face, Meeting, OBSTACLE_ROUNDS, SHEET_STIFFEST, SPOT_AT_VERTEX, SPOT_TOLERANCE, body_spring, obstacle_key,
};
use tuff_scene::{Geometry, nearest_coordinates};

use super::list::{self, placed};
use super::{Candidate, Push};
use crate::constraints::distance::stiffness;
use crate::context::{Context, Step};
use crate::placed::Placed;
use crate::scalar::Scalar;
use crate::state::State;

/// A place on a collider that a triangle may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Index of the face.
    pub face: usize,
    /// Where it is at the start of the substep [m].
    pub start: DVec3,
    /// Where it is at the end, in the collider's own frame [m].
    local: DVec3,
}

impl Spot {
    /// Returns its velocity over the substep [m/s].
    pub fn velocity<S: Scalar>(&self, step: Step, state: &State<S>) -> DVec3 {
        (state.placed[self.face].end.apply(self.local) - self.start) / step.dt
    }
}

/// Returns true if triangles can touch a face where none of their vertices is nearest to it: planes and the insides of containers have no
/// such places.
fn is_sharp(face: &Face) -> bool {
    !face.surface.inside && !matches!(face.surface.shape.geometry, Geometry::Plane)
}

/// Lists the places on colliders that triangles may touch in the substep.
pub fn triangles_on_obstacles<S: Scalar>(
    context: &Context,
    step: Step,
    state: &State<S>,
    slack: f64,
) -> Vec<Candidate> {
    let faces: Vec<usize> = (0..context.faces.len()).filter(|&face| is_sharp(&context.faces[face])).collect();
    if faces.is_empty() {
        return Vec::new();
    }
    let triangles = placed(state, &context.sheets.triangles);
    let of_triangle = |index: usize| -> Vec<Candidate> {
        let list::Placed { corners, sheet, number } = triangles[index];
        if corners.iter().all(|&p| state.inverse_mass[p] == 0.0) {
            return Vec::new();
        }
        let seeker = Seeker { context, step, state, corners, slack, number, sheet };
        faces.iter().flat_map(|&face| seeker.on_face(face)).collect()
    };
    (0..triangles.len()).into_par_iter().flat_map_iter(of_triangle).collect()
}

/// A triangle that looks for what it may touch.
struct Seeker<'a, S: Scalar> {
    context: &'a Context,
    step: Step,
    state: &'a State<S>,
    /// Indices of its corners.
    corners: [usize; 3],
    /// What a solve may add to the predicted motion [m].
    slack: f64,
    /// Its place among all triangles.
    number: u32,
    sheet: u32,
}

impl<S: Scalar> Seeker<'_, S> {
    fn on_face(&self, face: usize) -> Vec<Candidate> {
        let (surface, placed) = (&self.context.faces[face].surface, &self.state.placed[face]);
        let x = self.corners.map(|p| self.state.position[p]);
        let center = x.iter().sum::<DVec3>() / 3.0;
        let size = x.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max);
        let speed = self.corners.iter().map(|&p| self.state.velocity[p].length()).fold(0.0, f64::max);
        let gap = self.context.sheets.all[self.sheet as usize].half_thickness + surface.thickness;
        let reach = gap + self.slack + self.step.dt * speed + placed.way_to(center) + size;
        let limit = reach + size;
        let there = placed.carried(surface, center, limit);
        if placed.surface_within(surface, there, limit).is_none_or(|seen| seen.distance > reach) {
            return Vec::new();
        }
        (0..3).filter_map(|corner| self.place_from(face, &x, corner, gap, limit)).collect()
    }

    /// Returns where the triangle may touch a face, as found from one of its corners.
    fn place_from(
        &self,
        face: usize,
        x: &[DVec3; 3],
        corner: usize,
        gap: f64,
        limit: f64,
    ) -> Option<Candidate> {
        let (of, placed) = (&self.context.faces[face], &self.state.placed[face]);
        let search = |x: &[DVec3; 3]| nearest_spot(of, face, placed, x, corner, gap, limit);
        let (first, weights, normal) = search(x)?;
        // Triangles that slide around an obstacle within the substep touch another place of it.
        let carried = first.velocity(self.step, self.state);
        let velocities = self.corners.map(|p| self.state.velocity[p] - carried);
        let slip: DVec3 = std::iter::zip(velocities, weights).map(|(v, weight)| weight * v).sum();
        let slid = self.step.dt * (slip - slip.dot(normal) * normal);
        let spot = search(&x.map(|corner| corner + slid)).map_or(first, |(spot, ..)| spot);
        let [a, b, c] = self.corners;
        let members = [spot.start, x[0], x[1], x[2]];
        let distance = Meeting::PointTriangle.distance(&members);
        let velocity = spot.velocity(self.step, self.state);
        let fastest =
            self.corners.iter().map(|&p| (self.state.velocity[p] - velocity).length()).fold(0.0, f64::max);
        if distance > gap + self.step.dt * fastest + self.slack {
            return None;
        }
        let movable = self.corners.iter().filter(|&&p| self.state.inverse_mass[p] > 0.0);
        let heaviest = movable.map(|&p| self.state.mass[p]).fold(0.0, f64::max);
        let body =
            self.context.faces[face].rigid.map(|body| body_spring(heaviest, self.state.rigid.mass(body)));
        // All corners may find the same place.
        let bound = body.unwrap_or(f64::INFINITY) / 3.0;
        let stiffest = (SHEET_STIFFEST * heaviest / 3.0).min(bound) / (self.step.dt * self.step.dt);
        let stiffness = (stiffness(self.context, self.state, a, a) / 3.0).min(stiffest);
        Some(Candidate {
            meeting: Meeting::PointTriangle,
            key: obstacle_key(face as u32, corner as u32, self.number),
            members: [NO_MEMBER, a as u32, b as u32, c as u32],
            spot: Some(spot),
            gap,
            least: gap.min(distance),
            stiffness,
            friction: self.context.friction(self.state, a, face),
            bears: 0.0,
            bound,
            given: DVec3::ZERO,
        })
    }
}

/// Returns the place of a face that is nearest to a triangle, at the start of the substep, by projections from the one to the other in turn,
/// with the weights of the triangle's corners there and the normal of the face; `None` if that is at a vertex of the triangle, which touches
/// the face by itself, or if the triangle reaches into the collider there.
fn nearest_spot(
    face: &Face,
    index: usize,
    placed: &Placed,
    x: &[DVec3; 3],
    corner: usize,
    gap: f64,
    limit: f64,
) -> Option<(Spot, [f64; 3], DVec3)> {
    let surface = &face.surface;
    let mut y = x[corner];
    let mut found = None;
    for _ in 0..OBSTACLE_ROUNDS {
        let there = placed.carried(surface, y, limit);
        let seen = placed.surface_within(surface, there, limit)?;
        let behind = face.sheet.is_some_and(|side| !side.holds(seen.distance));
        if seen.distance <= 0.0 || seen.at_cut || behind {
            return None;
        }
        let end = there - seen.distance * seen.normal;
        let local = placed.end.inverse_apply(end);
        // Deformation moves it as it moves y.
        let drift = there - placed.end.apply(placed.start.inverse_apply(y));
        let start = placed.start.apply(placed.end.inverse_apply(end - drift));
        let ([s, t], _) = nearest_coordinates(*x, start);
        found = Some((Spot { face: index, start, local }, [1.0 - s - t, s, t], seen.normal));
        let nearest = x[0] + s * (x[1] - x[0]) + t * (x[2] - x[0]);
        if nearest.distance(y) < SPOT_TOLERANCE * gap {
            break;
        }
        y = nearest;
    }
    found.filter(|(_, weights, _)| weights.iter().all(|weight| *weight < SPOT_AT_VERTEX))
}

/// Returns what triangles do to colliders: the face, where the contact starts [m] and the impulse on it [N s].
pub fn on_obstacles<S: Scalar>(state: &State<S>) -> impl Iterator<Item = (usize, DVec3, DVec3)> {
    let springs = state.sheet_pushes.iter().filter_map(Push::on_obstacle);
    let rows = state.sheet_candidates.iter().filter(|candidate| candidate.given != DVec3::ZERO);
    springs.chain(rows.filter_map(|candidate| {
        let spot = candidate.spot?;
        Some((spot.face, spot.start, candidate.given))
    }))
}

/// Returns how much triangles resist a change of the velocity of colliders at once: the face, where the contact starts [m] and the resistance
/// [kg]; that of springs, or of what rows have pushed.
pub fn resistances<S: Scalar>(step: Step, state: &State<S>, of_springs: bool) -> Vec<(usize, DVec3, DMat3)> {
    if of_springs {
        return state.sheet_pushes.iter().filter_map(Push::resistance).collect();
    }
    let of_row = |candidate: &Candidate| {
        let spot = candidate.spot?;
        candidate.resistance(step, state).map(|resistance| (spot.face, spot.start, resistance))
    };
    state.sheet_candidates.iter().filter_map(of_row).collect()
}
