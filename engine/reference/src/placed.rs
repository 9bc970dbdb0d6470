//! Faces of colliders at their places in a substep.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use tuff_problem::NEAR_MARGIN;
use tuff_scene::{Collider, Deformation, Geometry, Mesh, Near, Pose, Seen};

use crate::context::{Context, Step};

/// A collider as seen from a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Signed distance to the surface, negative in the obstacle [m].
    pub distance: f64,
    /// Unit normal out of the obstacle.
    pub normal: DVec3,
    /// Velocity of the collider's material point at the surface [m/s].
    pub velocity: DVec3,
    /// True where the patch of a mesh ends.
    pub at_cut: bool,
}

/// What is seen of a collider without a surface.
const NOTHING: Surface =
    Surface { distance: f64::INFINITY, normal: DVec3::Y, velocity: DVec3::ZERO, at_cut: false };

/// The place of a collider, or of a face of it, in a substep.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Pose at the start.
    pub start: Pose,
    /// Pose at the end.
    pub end: Pose,
    /// True if the two differ.
    moves: bool,
    /// Length of the substep [s].
    dt: f64,
    /// A patch that deforms, at the end.
    patch: Option<Box<Patch>>,
}

/// A deforming patch at the end of a substep.
#[derive(Debug, Clone)]
struct Patch {
    mesh: Mesh,
    /// Largest displacement of a vertex in the substep [m].
    longest: f64,
}

/// Deforming meshes of the colliders, with the positions that were computed last.
#[derive(Debug, Clone, Default)]
pub struct Tracks {
    kept: BTreeMap<usize, BTreeMap<usize, Arc<Vec<DVec3>>>>,
}

impl Tracks {
    /// Returns the positions of the vertices of a collider's mesh at a time [s], relative to its center [m].
    fn positions(&mut self, collider: usize, deformation: &Deformation, time: f64) -> Vec<DVec3> {
        let kept = self.kept.entry(collider).or_default();
        let (knot, part) = deformation.span(time);
        let mut at = |knot: usize| {
            let found = kept.entry(knot).or_insert_with(|| Arc::new(deformation.knot(knot)));
            Arc::clone(found)
        };
        let from = at(knot);
        let positions = if part > 0.0 {
            let to = at(knot + 1);
            std::iter::zip(&*from, &*to).map(|(a, b)| a.lerp(*b, part)).collect()
        } else {
            from.to_vec()
        };
        // A substep that is repeated may begin at the knot before.
        kept.retain(|&one, _| one + 2 >= knot);
        positions
    }
}

impl Placed {
    /// Places a collider by its motion.
    pub fn of(collider: &Collider, step: Step) -> Self {
        let [start, end] = [step.time, step.end()].map(|time| collider.motion.pose(time));
        Self { start, end, moves: !collider.motion.is_static(), dt: step.dt, patch: None }
    }

    /// Places a face that moves from one pose to another.
    pub fn between(start: Pose, end: Pose, dt: f64) -> Self {
        Self { start, end, moves: true, dt, patch: None }
    }

    /// Places all faces, shape [face_count].
    pub fn all(context: &Context, step: Step, tracks: &mut Tracks) -> Vec<Self> {
        let mut placed: Vec<Self> = context.faces.iter().map(|face| Self::of(&face.surface, step)).collect();
        let mut last: Option<(usize, [Vec<DVec3>; 2])> = None;
        for (face, placed) in std::iter::zip(&context.faces, &mut placed) {
            let Geometry::Mesh(mesh) = &face.surface.shape.geometry else { continue };
            let Some(deformation) = mesh.deformation() else { continue };
            let (_, [start, end]) = match &mut last {
                Some(known) if known.0 == face.collider => known,
                other => other.insert((
                    face.collider,
                    [step.time, step.end()].map(|time| tracks.positions(face.collider, deformation, time)),
                )),
            };
            let way = std::iter::zip(&*start, &*end).map(|(a, b)| a.distance_squared(*b));
            let longest = way.fold(0.0, f64::max).sqrt();
            placed.patch = Some(Box::new(Patch { mesh: mesh.moved(start, end), longest }));
        }
        placed
    }

    /// Returns the collider at the end of the step, seen from the end of a move from `x` [m] by dt `velocity` [m/s]. Beyond `seen` [m]
    /// surfaces continue as planes, so that no guess jumps through a thin one. `near`: triangles near `x`, if the collider is a mesh.
    pub fn surface_ahead(
        &self,
        collider: &Collider,
        x: DVec3,
        velocity: DVec3,
        seen: f64,
        near: Option<&Near>,
    ) -> Surface {
        let whole = self.dt * velocity;
        let seen = whole.clamp_length_max(seen);
        let local = self.end.inverse_apply(x + seen);
        let found = match (near, self.mesh(collider)) {
            (Some(near), Some(mesh)) => collider.shape.mesh_seen_near(mesh, near, local),
            _ => self.seen(collider, local, f64::INFINITY),
        };
        let surface = found.map_or(NOTHING, |found| self.moving(found, x + seen));
        Surface { distance: surface.distance + surface.normal.dot(whole - seen), ..surface }
    }

    /// Returns the triangles near a move from `x` [m] by dt `velocity` [m/s], as far as it is seen, if the collider is a mesh.
    pub fn near(&self, collider: &Collider, x: DVec3, velocity: DVec3, seen: f64) -> Option<Near> {
        let way = (self.dt * velocity).clamp_length_max(seen);
        let wanted = way.length() + NEAR_MARGIN * seen;
        let center = self.end.inverse_apply(x + 0.5 * way);
        self.mesh(collider).map(|mesh| collider.shape.mesh_near(mesh, center, wanted))
    }

    /// Returns true if the collider is a mesh whose triangles can be kept.
    pub fn is_mesh(&self, collider: &Collider) -> bool {
        self.mesh(collider).is_some()
    }

    /// Returns the collider's mesh as it is at the end of the step.
    fn mesh<'a>(&'a self, collider: &'a Collider) -> Option<&'a Mesh> {
        match (&self.patch, &collider.shape.geometry) {
            (Some(patch), _) => Some(&patch.mesh),
            (None, Geometry::Mesh(mesh)) if mesh.is_patch() && !collider.inside => Some(mesh),
            _ => None,
        }
    }

    /// Returns the collider at the end of the step, seen from `point` [m].
    pub fn surface(&self, collider: &Collider, point: DVec3) -> Surface {
        self.surface_within(collider, point, f64::INFINITY).unwrap_or(NOTHING)
    }

    /// As [`Placed::surface`], if the distance is less than `limit` [m].
    pub fn surface_within(&self, collider: &Collider, point: DVec3, limit: f64) -> Option<Surface> {
        let seen = self.seen(collider, self.end.inverse_apply(point), limit)?;
        Some(self.moving(seen, point))
    }

    /// Returns what is seen from `point` [m] in the collider's own frame as a surface that moves.
    fn moving(&self, Seen { distance, normal, at_cut, drift }: Seen, point: DVec3) -> Surface {
        let mut velocity = DVec3::ZERO;
        if self.moves {
            velocity = (point - self.start.apply(self.end.inverse_apply(point))) / self.dt;
        }
        if self.patch.is_some() {
            velocity += self.end.rotation * drift / self.dt;
        }
        Surface { distance, normal: self.end.rotation * normal, velocity, at_cut }
    }

    /// Returns the point to which the collider carries `x` [m]. If it deforms, it carries what is farther than `limit` [m] from it only by
    /// its rigid motion.
    pub fn carried(&self, collider: &Collider, x: DVec3, limit: f64) -> DVec3 {
        let there = if self.moves { self.end.apply(self.start.inverse_apply(x)) } else { x };
        let Some(patch) = &self.patch else { return there };
        let drift = |x: DVec3| {
            let seen = self.seen(collider, self.end.inverse_apply(x), limit + patch.longest);
            seen.map_or(DVec3::ZERO, |seen| self.end.rotation * seen.drift)
        };
        there + drift(there + drift(there))
    }

    /// Returns how far the collider carries a point to `x` [m], at most.
    pub fn way_to(&self, x: DVec3) -> f64 {
        let rigid = if self.moves { x.distance(self.start.apply(self.end.inverse_apply(x))) } else { 0.0 };
        rigid + self.patch.as_ref().map_or(0.0, |patch| patch.longest)
    }

    /// Returns the collider as seen from `point` [m], both at the start of the step.
    pub fn at_start(&self, collider: &Collider, point: DVec3) -> Option<Seen> {
        if self.patch.is_some() {
            let there = self.carried(collider, point, f64::INFINITY);
            return self.seen(collider, self.end.inverse_apply(there), f64::INFINITY);
        }
        self.seen(collider, self.start.inverse_apply(point), f64::INFINITY)
    }

    /// Returns the collider at the end of the step as seen from a point in its own frame, if that is within `limit` [m] of it.
    fn seen(&self, collider: &Collider, local: DVec3, limit: f64) -> Option<Seen> {
        let shape = &collider.shape;
        if collider.inside {
            let (distance, normal) = (-shape.signed_distance(local), -shape.normal(local));
            return Some(Seen { distance, normal, at_cut: false, drift: DVec3::ZERO });
        }
        match &self.patch {
            Some(patch) => shape.mesh_seen_within(&patch.mesh, local, limit),
            None => shape.seen_within(local, limit),
        }
    }
}
