//! Finds contacts between bodies and with colliders.

use glam::DVec3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math;
use tuff_scene::Pose;

use crate::contacts::{Contact, Contacts, Partner};
use crate::manifold::{Manifold, Placed, above_plane, between};
use crate::pieces::{Kind, Piece, pose};
use crate::polygon::{reduced, tangents};
use crate::twist::{State, Twist, rotation_vector};
use crate::world::World;

/// Distance, relative to the smaller body, at which contacts are found between bodies at rest.
const MARGIN: f64 = 2e-3;
/// Overlap that is left alone, relative to the smaller body.
const SLOP: f64 = 1e-5;
/// Approach speed [m/s] above which bodies rebound, beyond twice what gravity adds in a substep.
const REBOUND: f64 = 1e-3;
/// Distance of two contact points, relative to the smaller body, below which one of them suffices.
const SAME: f64 = 1e-6;
/// Cosine of the angle between the normals of such points.
const SAME_NORMAL: f64 = 0.9999;

/// Pieces of a body or collider in their places.
struct Side<'a> {
    pieces: &'a [Piece],
    places: Vec<math::Pose>,
    boxes: Vec<Aabb>,
}

impl<'a> Side<'a> {
    fn new(pieces: &'a [Piece], whole: &math::Pose) -> Self {
        let places: Vec<math::Pose> = pieces.iter().map(|piece| *whole * piece.pose).collect();
        let boxes =
            std::iter::zip(pieces, &places).map(|(piece, place)| piece.shape.compute_aabb(place)).collect();
        Self { pieces, places, boxes }
    }
}

/// What contacts of a pair have in common.
struct Pair {
    body: usize,
    partner: Partner,
    /// Size of the smaller body [m].
    size: f64,
    /// Distance at which points count [m].
    prediction: f64,
    /// Layer of a collider [m].
    thickness: f64,
}

impl World {
    /// Finds the contacts and joints of a substep from `time` [s] over `dt` [s], from the states at its start and the twists predicted.
    /// Points count up to the distance that the pair may close in the substep. `last` gives the impulses from which the solve starts.
    pub fn touch(
        &self,
        states: &[State],
        predicted: &[Twist],
        time: f64,
        dt: f64,
        last: Option<&Contacts>,
    ) -> Contacts {
        let sides: Vec<Side<'_>> = std::iter::zip(&self.bodies, states)
            .map(|(body, state)| Side::new(&body.pieces, &pose(state.position, state.rotation)))
            .collect();
        let mut points = Vec::new();
        for a in 0..self.bodies.len() {
            for b in a + 1..self.bodies.len() {
                let size = self.bodies[a].radius.min(self.bodies[b].radius);
                let turning = |i: usize| predicted[i].angular.length() * self.bodies[i].radius;
                let speed = (predicted[a].linear - predicted[b].linear).length() + turning(a) + turning(b);
                let prediction = speed * dt + MARGIN * size;
                let pair = Pair { body: a, partner: Partner::Body(b), size, prediction, thickness: 0.0 };
                self.touch_pair(&pair, &sides[a], &sides[b], states, &mut points);
            }
        }
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let poses = [time, time + dt].map(|time| obstacle.motion.pose(time));
            let place = pose(poses[0].translation, poses[0].rotation);
            let side = Side::new(&obstacle.pieces, &place);
            let first = points.len();
            for (a, body) in self.bodies.iter().enumerate() {
                let own = predicted[a].angular.length() * body.radius;
                let (drift, turning) = drift(&poses, states[a].position, dt);
                let speed = (predicted[a].linear - drift).length() + own + turning * body.radius;
                let thickness = obstacle.thickness;
                let prediction = speed * dt + MARGIN * body.radius + thickness;
                let partner = Partner::Collider(index);
                let pair = Pair { body: a, partner, size: body.radius, prediction, thickness };
                self.touch_pair(&pair, &sides[a], &side, states, &mut points);
            }
            for contact in &mut points[first..] {
                let point = states[contact.body].position + contact.arms[0];
                contact.drift = drift(&poses, point, dt).0;
            }
        }
        for contact in &mut points {
            contact.rebound = self.rebound(contact, states, predicted, dt);
        }
        let joints = self.joints(states);
        let mut contacts = Contacts { points, joints, bodies: self.bodies.len(), dt, iterations: 0 };
        if let Some(last) = last {
            contacts.warm_start(last, self);
        }
        contacts
    }

    fn touch_pair(
        &self,
        pair: &Pair,
        one: &Side<'_>,
        other: &Side<'_>,
        states: &[State],
        points: &mut Vec<Contact>,
    ) {
        let start = points.len();
        for (i, first) in one.pieces.iter().enumerate() {
            let reach = one.boxes[i].loosened(pair.prediction);
            for (j, second) in other.pieces.iter().enumerate() {
                if second.kind != Kind::HalfSpace && !reach.intersects(&other.boxes[j]) {
                    continue;
                }
                let placed = Placed { shape: &*first.shape, pose: &one.places[i] };
                let place = &other.places[j];
                let mut add = |manifold: Manifold| {
                    self.add(pair, &manifold, [i as u32, j as u32], states, start, points);
                };
                match (second.kind, second.shape.as_trimesh()) {
                    (Kind::HalfSpace, _) => add(above_plane(placed, first.kind, place, pair.prediction)),
                    (Kind::Triangles, Some(mesh)) => {
                        let within =
                            first.shape.compute_aabb(&place.inv_mul(placed.pose)).loosened(pair.prediction);
                        let mut triangles: Vec<u32> = mesh.bvh().intersect_aabb(&within).collect();
                        triangles.sort_unstable();
                        let mut manifolds = Vec::new();
                        for index in triangles {
                            let triangle = mesh.triangle(index);
                            let neighbors = mesh.triangle_normal_constraints(index);
                            let second = Placed { shape: &triangle, pose: place };
                            manifolds.push(between(placed, second, neighbors.as_ref(), pair.prediction));
                        }
                        joined(manifolds).into_iter().for_each(&mut add);
                    }
                    _ => {
                        let second = Placed { shape: &*second.shape, pose: place };
                        add(between(placed, second, None, pair.prediction));
                    }
                }
            }
        }
    }

    /// Adds the points of a manifold; of those that two triangles or pieces share, the first.
    fn add(
        &self,
        pair: &Pair,
        manifold: &Manifold,
        pieces: [u32; 2],
        states: &[State],
        start: usize,
        points: &mut Vec<Contact>,
    ) {
        let state = &states[pair.body];
        let (center, friction) = match pair.partner {
            Partner::Body(b) => (states[b].position, self.bodies[b].friction),
            Partner::Collider(c) => (DVec3::ZERO, self.obstacles[c].friction),
        };
        for point in &manifold.points {
            let arm = point.middle() - state.position;
            let known = points[start..].iter().any(|other| {
                (other.arms[0] - arm).length() < SAME * pair.size
                    && other.normal.dot(manifold.normal) > SAME_NORMAL
            });
            if known {
                continue;
            }
            let on_collider = matches!(pair.partner, Partner::Collider(_));
            points.push(Contact {
                body: pair.body,
                partner: pair.partner,
                pieces,
                features: point.features,
                normal: manifold.normal,
                tangents: tangents(manifold.normal),
                arms: [arm, if on_collider { DVec3::ZERO } else { point.middle() - center }],
                local: state.rotation.conjugate() * arm,
                distance: point.distance - pair.thickness,
                drift: DVec3::ZERO,
                friction: self.bodies[pair.body].friction.min(friction),
                rebound: None,
                slop: SLOP * pair.size,
                impulse: [0.0; 3],
            });
        }
    }

    /// Returns the normal velocity with which a contact rebounds: the larger restitution of the pair times the speed of approach at the
    /// start of the substep, if the predicted motion closes the distance.
    fn rebound(&self, contact: &Contact, states: &[State], predicted: &[Twist], dt: f64) -> Option<f64> {
        let of = |index: usize| &self.bodies[index];
        let restitution = match contact.partner {
            Partner::Body(b) => of(contact.body).restitution.max(of(b).restitution),
            Partner::Collider(_) => of(contact.body).restitution,
        };
        let sides = [Some(contact.body), contact.partner.body()];
        let normal = |twists: &dyn Fn(usize) -> Twist| {
            let at = |side: usize| sides[side].map(|index| twists(index).at(contact.arms[side]));
            let [own, other] = [at(0), at(1)].map(|velocity| velocity.unwrap_or(contact.drift));
            (own - other).dot(contact.normal)
        };
        let before = |index: usize| Twist {
            linear: states[index].velocity,
            angular: of(index).angular_velocity_at(&states[index]),
        };
        let gained = sides
            .into_iter()
            .flatten()
            .map(|index| (predicted[index].linear - states[index].velocity).length())
            .fold(0.0, f64::max);
        let approach = -normal(&before);
        let closes = contact.distance + dt * normal(&|index| predicted[index]) < 0.0;
        (restitution > 0.0 && closes && approach > 2.0 * gained + REBOUND).then_some(restitution * approach)
    }
}

/// Joins the manifolds of triangles with the same normal, with few points each.
fn joined(manifolds: Vec<Manifold>) -> Vec<Manifold> {
    let mut groups: Vec<Manifold> = Vec::new();
    for manifold in manifolds.into_iter().filter(|manifold| !manifold.points.is_empty()) {
        match groups.iter_mut().find(|group| group.normal.dot(manifold.normal) > SAME_NORMAL) {
            Some(group) => group.points.extend(manifold.points),
            None => groups.push(manifold),
        }
    }
    for group in &mut groups {
        group.points = reduced(std::mem::take(&mut group.points), group.normal);
    }
    groups
}

impl Partner {
    /// Returns the body.
    pub fn body(self) -> Option<usize> {
        match self {
            Self::Body(index) => Some(index),
            Self::Collider(_) => None,
        }
    }
}

/// Returns the mean velocity of a collider's material point at `point` [m/s], and its angular speed [rad/s].
fn drift(poses: &[Pose; 2], point: DVec3, dt: f64) -> (DVec3, f64) {
    if poses[0] == poses[1] {
        return (DVec3::ZERO, 0.0);
    }
    let moved = poses[1].apply(poses[0].inverse_apply(point));
    let turned = poses[1].rotation * poses[0].rotation.conjugate();
    ((moved - point) / dt, rotation_vector(turned).length() / dt)
}
