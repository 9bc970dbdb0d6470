//! Bodies that start beyond the surface of a collider are moved to it, whole: they keep their shape, and what is left to the
//! contacts is at most a particle's radius.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::Particles;
use super::near::Index;
use super::overlap::{ROUNDING, distance};
use crate::scene::{Collider, Scene};
use crate::shape::Bounds;

/// Rounds of least squares at most. Each takes the mean of what is still beyond a surface, so that they halve it.
const ROUNDS: u32 = 60;

/// A move is at most so many times the greatest depth: where matter is between walls it has nowhere to go.
const FARTHEST: f64 = 2.0;

/// Moves bodies without pins, those that touch each other as one, by the least that takes them out of the colliders; where nothing
/// does, to where the least is left. Displacement of every body [m], shape [body_count].
pub(super) fn out_of_colliders(
    scene: &Scene,
    particles: &mut Particles,
    ranges: &[Range<usize>],
) -> Vec<DVec3> {
    let mut moved = vec![DVec3::ZERO; ranges.len()];
    if scene.colliders.is_empty() {
        return moved;
    }
    let pinned = |body: usize| particles.pin[ranges[body].clone()].iter().any(|&pin| pin != u32::MAX);
    for group in groups(scene, &particles.position, ranges) {
        if group.iter().any(|&body| pinned(body)) {
            continue;
        }
        let spacing = group.iter().map(|&b| scene.bodies[b].sampling.spacing()).fold(f64::MAX, f64::min);
        let points = group.iter().flat_map(|&body| particles.position[ranges[body].clone()].iter().copied());
        let points: Vec<DVec3> = points.collect();
        let way = way_out(&scene.colliders, points, ROUNDING * spacing);
        for &body in &group {
            moved[body] = way;
            if way != DVec3::ZERO {
                particles.position[ranges[body].clone()].iter_mut().for_each(|p| *p += way);
            }
        }
    }
    moved
}

/// Bodies with particles within each other's kernel, each body in one group.
fn groups(scene: &Scene, position: &[DVec3], ranges: &[Range<usize>]) -> Vec<Vec<usize>> {
    let reach = 2.0 * scene.solver.kernel_radius;
    let bounds: Vec<Bounds> =
        ranges.iter().map(|r| Bounds::of(position[r.clone()].iter().copied()).grown(0.5 * reach)).collect();
    let touch = |a: usize, b: usize| {
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

/// The move by which `points` leave the colliders [m]; none where they are less than `rounding` [m] beyond a surface.
fn way_out(colliders: &[Collider], mut points: Vec<DVec3>, rounding: f64) -> DVec3 {
    let depth = |c: &Collider, p: DVec3| -distance(c, p);
    let deepest = |p: DVec3| colliders.iter().map(|c| depth(c, p)).fold(0.0, f64::max);
    let start = points.iter().map(|&p| deepest(p)).fold(0.0, f64::max);
    if start <= rounding {
        return DVec3::ZERO;
    }
    // The others stay clear of all surfaces.
    points.retain(|&p| colliders.iter().any(|c| depth(c, p) > -FARTHEST * start));
    let mut way = DVec3::ZERO;
    for _ in 0..ROUNDS {
        let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
        for &p in &points {
            for collider in colliders {
                let beyond = depth(collider, p + way);
                if beyond > 0.0 {
                    let n = outward(collider, p + way);
                    matrix += DMat3::from_cols(n.x * n, n.y * n, n.z * n);
                    sum += beyond * n;
                }
            }
        }
        if sum == DVec3::ZERO {
            break;
        }
        // Directions that no wall faces stay as they are.
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

/// Unit normal out of the obstacle at a point [m].
fn outward(collider: &Collider, p: DVec3) -> DVec3 {
    let pose = collider.motion.pose(0.0);
    let normal = pose.rotation * collider.shape.normal(pose.inverse_apply(p));
    if collider.inside { -normal } else { normal }
}
