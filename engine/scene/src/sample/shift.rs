//! Moves bodies that start beyond the surface of a collider to the surface, as a whole: they keep their shape, and at most a
//! particle's radius is left to the contacts. Moves bodies with `overlap = "push_out"` out of other bodies in the same way: moved
//! particle by particle, two bodies do not separate, and the particles of one end up in the gaps of the other.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::Particles;
use super::near::Index;
use super::overlap::ROUNDING;
use crate::rope::BodyKind;
use crate::scene::{Collider, Scene};
use crate::shape::{Bounds, Shape};

/// Maximum number of rounds of least squares. Each takes the mean of what is still beyond a surface, and so halves it.
const ROUNDS: u32 = 60;

/// Maximum move, as a multiple of the greatest depth: matter between walls has nowhere to go.
const FARTHEST: f64 = 2.0;

/// Moves bodies without pins, those that touch each other as one, by the least displacement that takes them out of the colliders;
/// if none does, to where the least is left inside. Returns the displacement of every body [m], shape [body_count].
pub(super) fn out_of_colliders(
    scene: &Scene,
    particles: &mut Particles,
    ranges: &[Range<usize>],
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
        let points = group.iter().flat_map(|&body| particles.position[ranges[body].clone()].iter().copied());
        let points: Vec<DVec3> = points.collect();
        let surfaces: Vec<Surface> = obstacles.iter().map(Surface::Collider).collect();
        let way = way_out(&surfaces, points, ROUNDING * spacing);
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
/// [body_count], is the previous displacement of the bodies. Returns the displacement of every body [m], shape [body_count].
pub(super) fn out_of_bodies(
    scene: &Scene,
    particles: &mut Particles,
    ranges: &[Range<usize>],
    moved: &[DVec3],
) -> Vec<DVec3> {
    let mut ways = vec![DVec3::ZERO; ranges.len()];
    let obstacles = scene.obstacles();
    let gives_way = |body: usize, pin: &[u32]| {
        scene.bodies[body].push_out && pin[ranges[body].clone()].iter().all(|&pin| pin == u32::MAX)
    };
    for body in (0..ranges.len()).filter(|&body| gives_way(body, &particles.pin)) {
        let points = &particles.position[ranges[body].clone()];
        let rounding = ROUNDING * scene.bodies[body].sampling.spacing();
        let bounds = Bounds::of(points.iter().copied());
        let mut surfaces: Vec<Surface> = (0..ranges.len())
            .filter(|&other| other < body || other != body && !gives_way(other, &particles.pin))
            .map(|other| Surface::Body(&scene.bodies[other].shape, moved[other] + ways[other]))
            .filter(|surface| surface.bounds().is_none_or(|b| !b.intersection(&bounds).is_empty()))
            .collect();
        if !surfaces.iter().any(|s| points.iter().any(|&p| s.distance(p) < -rounding)) {
            continue;
        }
        surfaces.extend(obstacles.iter().map(Surface::Collider));
        let way = way_out(&surfaces, points.to_vec(), rounding);
        particles.position[ranges[body].clone()].iter_mut().for_each(|p| *p += way);
        ways[body] = way;
    }
    ways
}

/// Surface that a body is moved out of.
enum Surface<'a> {
    Collider(&'a Collider),
    /// Surface of another body, which has been moved [m].
    Body(&'a Shape, DVec3),
}

impl Surface<'_> {
    /// Returns the signed distance, negative in the obstacle [m].
    fn distance(&self, p: DVec3) -> f64 {
        match self {
            Self::Collider(collider) => collider.distance(0.0, p),
            Self::Body(shape, moved) => shape.signed_distance(p - *moved),
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
            Self::Body(shape, moved) => shape.normal(p - *moved),
        }
    }

    /// Returns the box around another body.
    fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Collider(_) => None,
            Self::Body(shape, moved) => {
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
fn way_out(surfaces: &[Surface], mut points: Vec<DVec3>, rounding: f64) -> DVec3 {
    let deepest = |p: DVec3| surfaces.iter().map(|s| -s.distance(p)).fold(0.0, f64::max);
    let start = points.iter().map(|&p| deepest(p)).fold(0.0, f64::max);
    if start <= rounding {
        return DVec3::ZERO;
    }
    // Other points stay clear of all surfaces.
    points.retain(|&p| surfaces.iter().any(|s| s.distance(p) < FARTHEST * start));
    let mut way = DVec3::ZERO;
    for _ in 0..ROUNDS {
        let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
        for &p in &points {
            for surface in surfaces {
                let beyond = -surface.distance(p + way);
                if beyond > 0.0 {
                    let n = surface.outward(p + way);
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
