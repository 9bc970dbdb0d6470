//! Common parts of polygons, seen along a direction.

use glam::DVec3;

use crate::manifold::Point;

/// Maximum number of contact points of two pieces.
const MOST: usize = 8;
/// Part of the range of distances that counts as touching.
const TOUCHING: f64 = 0.1;
/// Cosine of the angle between a polygon's normal and the direction of sight below which it counts as an edge.
const EDGE_ON: f64 = 0.05;

/// Returns a unit vector across `normal`, and the one across both; right-handed with it.
pub(crate) fn tangents(normal: DVec3) -> [DVec3; 2] {
    let absolute = normal.abs();
    let axis = if absolute.x <= absolute.y && absolute.x <= absolute.z {
        DVec3::X
    } else if absolute.y <= absolute.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let first = normal.cross(axis).normalize();
    [first, normal.cross(first)]
}

/// Returns the normal of a polygon, of any length (Newell).
fn normal_of(polygon: &[DVec3]) -> DVec3 {
    let next = polygon.iter().cycle().skip(1);
    std::iter::zip(polygon, next).map(|(a, b)| (a - polygon[0]).cross(b - polygon[0])).sum()
}

/// Returns the corners of the common part of two convex polygons as seen along the unit vector `along`: pairs of a point of the first and
/// one of the second, at the same place in this view. One of the two may be an edge; empty if both are, or if a polygon is seen edge on.
pub(crate) fn clipped(along: DVec3, first: &[DVec3], second: &[DVec3]) -> Vec<[DVec3; 2]> {
    let swapped = first.len() < 3;
    let (clip, mut subject) = if swapped { (second, first.to_vec()) } else { (first, second.to_vec()) };
    let normal = normal_of(clip);
    let facing = normal.dot(along);
    if clip.len() < 3 || subject.len() < 2 || facing.abs() < EDGE_ON * normal.length() {
        return Vec::new();
    }
    let turn = if facing < 0.0 { -1.0 } else { 1.0 };
    for (i, a) in clip.iter().enumerate() {
        let b = clip[(i + 1) % clip.len()];
        let inward = turn * along.cross(b - a);
        let depth = |p: DVec3| (p - a).dot(inward);
        let mut kept = Vec::with_capacity(subject.len() + 1);
        for (j, &p) in subject.iter().enumerate() {
            let q = subject[(j + 1) % subject.len()];
            let (dp, dq) = (depth(p), depth(q));
            if dp >= 0.0 {
                kept.push(p);
            }
            if (dp >= 0.0) != (dq >= 0.0) {
                kept.push(p + (q - p) * (dp / (dp - dq)));
            }
        }
        subject = kept;
    }
    let onto_clip = |p: DVec3| p + along * ((clip[0] - p).dot(normal) / facing);
    let mut pairs: Vec<[DVec3; 2]> = Vec::with_capacity(subject.len());
    for p in subject {
        let pair = if swapped { [p, onto_clip(p)] } else { [onto_clip(p), p] };
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Returns the deepest of many points and those farthest out in directions across `normal`, of those that touch and of those that are only
/// near.
pub(crate) fn reduced(points: Vec<Point>, normal: DVec3) -> Vec<Point> {
    if points.len() <= MOST {
        return points;
    }
    let deepest = points.iter().fold(f64::INFINITY, |deepest, point| deepest.min(point.distance));
    let farthest = points.iter().fold(deepest, |farthest, point| farthest.max(point.distance));
    let limit = deepest + TOUCHING * (farthest - deepest);
    let (touching, near) = points.into_iter().partition(|point| point.distance <= limit);
    let mut kept = spread(touching, normal);
    kept.extend(spread(near, normal));
    kept
}

/// Returns at most [`MOST`] points.
fn spread(points: Vec<Point>, normal: DVec3) -> Vec<Point> {
    if points.len() <= MOST {
        return points;
    }
    let [x, y] = tangents(normal);
    let best = |value: &dyn Fn(&Point) -> f64| {
        (1..points.len()).fold(0, |best, i| if value(&points[i]) > value(&points[best]) { i } else { best })
    };
    let mut chosen = vec![best(&|point| -point.distance)];
    let step = std::f64::consts::TAU / (MOST - 1) as f64;
    for i in 0..MOST - 1 {
        let angle = step * i as f64;
        let outward = libm::cos(angle) * x + libm::sin(angle) * y;
        let index = best(&|point| point.places[0].dot(outward));
        if !chosen.contains(&index) {
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|i| points[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(half: f64, height: f64, shift: f64) -> Vec<DVec3> {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, z]| DVec3::new(half * x + shift, height, half * z))
            .to_vec()
    }

    #[test]
    fn squares_share_a_rectangle() {
        let lower = square(1.0, 0.0, 0.0);
        for upper in [square(1.0, 0.1, 0.5), square(1.0, 0.1, 0.5).into_iter().rev().collect()] {
            let pairs = clipped(DVec3::Y, &lower, &upper);
            assert_eq!(pairs.len(), 4);
            for [p, q] in pairs {
                assert!((q - p - 0.1 * DVec3::Y).length() < 1e-15);
                assert!(p.x == -0.5 || p.x == 1.0);
            }
        }
        let edge = [DVec3::new(-3.0, 0.2, 0.3), DVec3::new(3.0, 0.2, 0.3)];
        for (a, b) in [(&lower[..], &edge[..]), (&edge[..], &lower[..])] {
            let pairs = clipped(DVec3::Y, a, b);
            assert_eq!(pairs.len(), 2);
            assert!(pairs.iter().all(|[p, q]| p.x.abs() == 1.0 && (p.y - q.y).abs() == 0.2));
        }
        assert!(clipped(DVec3::Y, &lower, &square(1.0, 0.1, 2.5)).is_empty());
        assert!(clipped(DVec3::X, &lower, &edge).is_empty());
    }
}
