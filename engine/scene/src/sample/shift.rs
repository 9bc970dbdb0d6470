//! Moves bodies that start beyond the surface of a collider to the surface, as a whole: they keep their shape, and at most a
//! particle's radius is left to the contacts. Moves bodies with `overlap = "push_out"` out of other bodies in the same way: moved
//! particle by particle, two bodies do not separate, and the particles of one end up in the gaps of the other.
//!
//! Fluids are moved on until no particle is nearer to a surface than it would come to rest. What is left to contacts produces no
//! strain in other matter, but a fluid measures its density anew: squeezed by half a spacing, its lowest layer bursts.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::near::Index;
use super::overlap::ROUNDING;
use super::{Particles, contact_radius};
use crate::rope::BodyKind;
use crate::scene::{Collider, Scene};
use crate::shape::{Bounds, Geometry, Shape};

/// Maximum number of rounds of least squares. Each takes the mean of what is still beyond a surface, and so halves it.
const ROUNDS: u32 = 60;

/// Maximum move, as a multiple of the greatest depth: matter between walls has nowhere to go.
const FARTHEST: f64 = 2.0;

/// Distance that a fluid keeps, in contact radii. Random points are spread until they keep one from the surface of their shape, but for
/// rounding; those of a lattice that does not fit, or is jittered, may be nearer and are moved a little.
const KEPT: f64 = 0.95;

/// A particle that must get out.
#[derive(Clone, Copy)]
struct Point {
    position: DVec3,
    /// Distance that it keeps from colliders [m].
    room: f64,
    /// Distance that it keeps from another body if one of the two is a fluid [m].
    radius: f64,
}

/// Returns the particles of a body; `fluid`: bodies of fluids, shape [body_count]. Points of files and vertices keep no distance.
fn points<'a>(
    scene: &Scene,
    particles: &'a Particles,
    body: usize,
    range: &Range<usize>,
    fluid: &[bool],
) -> impl Iterator<Item = Point> + use<'a> {
    let given = matches!(scene.bodies[body].shape.geometry, Geometry::Points(_));
    let (kept, fluid) = (if given { 0.0 } else { KEPT }, fluid[body]);
    range.clone().map(move |i| {
        let radius = kept * contact_radius(particles.rest_volume[i]);
        Point { position: particles.position[i], room: if fluid { radius } else { 0.0 }, radius }
    })
}

/// Moves bodies without pins, those that touch each other as one, by the least displacement that takes them out of the colliders;
/// if none does, to where the least is left inside. `fluid`: bodies of fluids, shape [body_count]. Returns the displacement of every body
/// [m], shape [body_count].
pub(super) fn out_of_colliders(
    scene: &Scene,
    particles: &mut Particles,
    ranges: &[Range<usize>],
    fluid: &[bool],
) -> Vec<DVec3> {
    let mut moved = vec![DVec3::ZERO; ranges.len()];
    let obstacles = scene.obstacles();
    if obstacles.is_empty() {
        return moved;
    }
    let pinned = |body: usize| particles.pin[ranges[body].clone()].iter().any(|&pin| pin != u32::MAX);
    for group in groups(scene, &particles.position, ranges) {
        let stays = |body: usize| pinned(body) || scene.bodies[body].kind == BodyKind::Emitted;
        if group.iter().any(|&body| stays(body)) {
            continue;
        }
        let spacing = group.iter().map(|&b| scene.bodies[b].sampling.spacing()).fold(f64::MAX, f64::min);
        let points = group.iter().flat_map(|&body| points(scene, particles, body, &ranges[body], fluid));
        let surfaces: Vec<Surface> = obstacles.iter().map(Surface::Collider).collect();
        let way = way_out(&surfaces, points.collect(), ROUNDING * spacing);
        for &body in &group {
            moved[body] = way;
            if way != DVec3::ZERO {
                particles.position[ranges[body].clone()].iter_mut().for_each(|p| *p += way);
            }
        }
    }
    moved
}

/// Moves bodies of `overlap = "push_out"` without pins, in the order of the scene, by the least displacement that takes their
/// particles out of earlier bodies and of those that do not give way themselves, and into no collider. `moved` [m], shape
/// [body_count], is the previous displacement of the bodies; `fluid`: bodies of fluids, shape [body_count]. Returns the displacement of
/// every body [m], shape [body_count].
pub(super) fn out_of_bodies(
    scene: &Scene,
    particles: &mut Particles,
    ranges: &[Range<usize>],
    moved: &[DVec3],
    fluid: &[bool],
) -> Vec<DVec3> {
    let mut ways = vec![DVec3::ZERO; ranges.len()];
    let obstacles = scene.obstacles();
    let gives_way = |body: usize, pin: &[u32]| {
        scene.bodies[body].push_out && pin[ranges[body].clone()].iter().all(|&pin| pin == u32::MAX)
    };
    for body in (0..ranges.len()).filter(|&body| gives_way(body, &particles.pin)) {
        let points: Vec<Point> = points(scene, particles, body, &ranges[body], fluid).collect();
        let rounding = ROUNDING * scene.bodies[body].sampling.spacing();
        let bounds = Bounds::of(points.iter().map(|point| point.position));
        let bounds = bounds.grown(points.iter().map(|point| point.radius).fold(0.0, f64::max));
        let mut surfaces: Vec<Surface> = (0..ranges.len())
            .filter(|&other| other < body || other != body && !gives_way(other, &particles.pin))
            .map(|other| {
                let keeps = fluid[body] || fluid[other];
                Surface::Body { shape: &scene.bodies[other].shape, moved: moved[other] + ways[other], keeps }
            })
            .filter(|surface| surface.bounds().is_none_or(|b| !b.intersection(&bounds).is_empty()))
            .collect();
        if !surfaces.iter().any(|s| points.iter().any(|p| s.beyond(p) > rounding)) {
            continue;
        }
        surfaces.extend(obstacles.iter().map(Surface::Collider));
        let way = way_out(&surfaces, points, rounding);
        particles.position[ranges[body].clone()].iter_mut().for_each(|p| *p += way);
        ways[body] = way;
    }
    ways
}

/// Surface that a body is moved out of.
enum Surface<'a> {
    Collider(&'a Collider),
    /// Surface of another body, which has been moved [m]; `keeps`: particles keep off it, as one of the two bodies is a fluid.
    Body {
        shape: &'a Shape,
        moved: DVec3,
        keeps: bool,
    },
}

impl Surface<'_> {
    /// Returns how far a particle is beyond where it may start [m].
    fn beyond(&self, p: &Point) -> f64 {
        match *self {
            Self::Collider(collider) => p.room - collider.distance(0.0, p.position),
            Self::Body { shape, moved, keeps } => {
                let room = if keeps { p.radius } else { 0.0 };
                room - shape.signed_distance(p.position - moved)
            }
        }
    }

    /// Returns the unit normal out of the obstacle at a point [m].
    fn outward(&self, p: DVec3) -> DVec3 {
        match self {
            Self::Collider(collider) => {
                let pose = collider.motion.pose(0.0);
                let normal = pose.rotation * collider.shape.normal(pose.inverse_apply(p));
                if collider.inside { -normal } else { normal }
            }
            Self::Body { shape, moved, .. } => shape.normal(p - *moved),
        }
    }

    /// Returns the box around another body.
    fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Collider(_) => None,
            Self::Body { shape, moved, .. } => {
                let Bounds { min, max } = shape.bounds();
                Some(Bounds { min: min + *moved, max: max + *moved })
            }
        }
    }
}

/// Groups bodies with particles within each other's kernel; each body is in one group.
fn groups(scene: &Scene, position: &[DVec3], ranges: &[Range<usize>]) -> Vec<Vec<usize>> {
    let reach = 2.0 * scene.solver.kernel_radius;
    let bounds: Vec<Bounds> =
        ranges.iter().map(|r| Bounds::of(position[r.clone()].iter().copied()).grown(0.5 * reach)).collect();
    let touch = |a: usize, b: usize| {
        if [a, b].iter().any(|&body| scene.bodies[body].kind == BodyKind::Emitted) {
            return false;
        }
        let shared = bounds[a].intersection(&bounds[b]).grown(0.5 * reach);
        if bounds[a].intersection(&bounds[b]).is_empty() {
            return false;
        }
        let within = |body: usize| ranges[body].clone().filter(|&i| shared.contains(position[i]));
        let index = Index::new(position, within(a), reach);
        within(b).any(|i| index.has_near(position[i], usize::MAX))
    };
    let mut group: Vec<usize> = (0..ranges.len()).collect();
    for b in 0..ranges.len() {
        for a in 0..b {
            let (from, to) = (group[b], group[a]);
            if from != to && touch(a, b) {
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); ranges.len()];
    for (body, &g) in group.iter().enumerate() {
        found[g].push(body);
    }
    found.retain(|bodies| !bodies.is_empty());
    found
}

/// Returns the move that takes `points` out of the surfaces [m]; zero if they are less than `rounding` [m] beyond one.
fn way_out(surfaces: &[Surface], mut points: Vec<Point>, rounding: f64) -> DVec3 {
    let deepest = |p: &Point| surfaces.iter().map(|s| s.beyond(p)).fold(0.0, f64::max);
    let start = points.iter().map(deepest).fold(0.0, f64::max);
    if start <= rounding {
        return DVec3::ZERO;
    }
    // Other points stay clear of all surfaces.
    points.retain(|p| surfaces.iter().any(|s| s.beyond(p) > -FARTHEST * start));
    let mut way = DVec3::ZERO;
    for _ in 0..ROUNDS {
        let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
        for p in &points {
            let there = Point { position: p.position + way, ..*p };
            for surface in surfaces {
                let beyond = surface.beyond(&there);
                if beyond > 0.0 {
                    let n = surface.outward(there.position);
                    matrix += DMat3::from_cols(n.x * n, n.y * n, n.z * n);
                    sum += beyond * n;
                }
            }
        }
        if sum == DVec3::ZERO {
            break;
        }
        // Directions that no wall faces stay unchanged.
        let floor = 1e-9 * (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z);
        let step = (matrix + DMat3::from_diagonal(DVec3::splat(floor))).inverse() * sum;
        let next = (way + step).clamp_length_max(FARTHEST * start);
        if (next - way).length() <= 0.1 * rounding {
            way = next;
            break;
        }
        way = next;
    }
    way
}
