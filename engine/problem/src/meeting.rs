//! How a point and a triangle, or two edges, approach each other.

use glam::DVec3;
use tuff_scene::nearest_coordinates;

use crate::MAX_PARTICLES;
use crate::thresholds::thresholds;

/// Members of a contact with a sheet: a point and the corners of a triangle, or the ends of two edges.
pub const SHEET_MEMBERS: usize = 4;

thresholds! {
    SHEETS;
    /// What a solve adds to the predicted motion in a substep of legal length [kernel radii].
    SHEET_SLACK = 0.5;
    /// Largest stiffness of a contact with a sheet in the force balance, times dt^2 over the heaviest of its masses: more would make the
    /// kink where it begins sharper, not the contact firmer.
    SHEET_STIFFEST = 100.0;
    /// Slip below which friction counts as viscous, as a fraction of what gravity adds to a velocity in a substep.
    SHEET_SLIP = 0.3;
    /// The same at least, in kernel radii per substep.
    SHEET_LEAST_SLIP = 1e-5;
    /// Part of the rise of a load that friction takes over from one evaluation to the next.
    SHEET_LOAD_SHARE = 0.5;
    /// The search ends with a projection shorter than this part of the distance that they keep.
    SPOT_TOLERANCE = 1e-3;
    /// Weight of a vertex beyond which the vertex touches the collider, not the triangle.
    SPOT_AT_VERTEX = 0.999;
    /// Largest spring between cloth and a rigid body, times dt^2 over the lighter of a vertex and the body.
    BODY_SPRING = 4.0;
    /// The same over the mass of the body, if that is more.
    BODY_SPRING_PART = 0.04;
    /// Parts that meet outside of an edge or triangle by this fraction of it have still met: neighbors share their borders.
    MEETING_BORDER = 1e-6;
    /// Sine of the angle between edges below which they have no common normal.
    PARALLEL_EDGES = 1e-3;
}

/// Most sweeps over the contacts at a time.
pub const SHEET_ROUNDS: u32 = 8;

/// Most projections between a triangle and a collider in the search for the place where they are nearest to each other.
pub const OBSTACLE_ROUNDS: u32 = 32;

/// Returns the largest part of the matrix that a contact of cloth with a rigid body may have [kg], from the masses of a vertex and of the
/// body: in a Newton solve the two answer to each other in turn, which converges the faster the softer the spring between them is compared
/// with the heavier of them.
pub fn body_spring(vertex: f64, body: f64) -> f64 {
    (BODY_SPRING * vertex.min(body)).max(BODY_SPRING_PART * body)
}

/// How two parts approach each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Their relative motion is the sum of those of the members times these: positive on the side to which the normal points.
    pub weights: [f64; SHEET_MEMBERS],
    /// Unit normal.
    pub normal: DVec3,
    /// Distance [m]; negative once the parts have passed through each other.
    pub distance: f64,
}

/// What meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Member 0 and the triangle of the others.
    PointTriangle,
    /// The edges of members 0 and 1, and of 2 and 3.
    EdgeEdge,
}

/// Returns the place of a contact in the order in which contacts act one after the other, from the id of its point and the number of its
/// triangle, or the numbers of its edges: scattered, so that few contacts of neighbors wait for each other, and one to one, so that no two
/// have the same place. What the order does not depend on is the order in which a device finds them.
pub fn meeting_key(meeting: Meeting, a: u32, b: u32) -> [u32; 2] {
    // The top bits tell the kinds apart.
    mixed(a | u32::from(meeting == Meeting::EdgeEdge) << 31, b)
}

/// Returns the place of a contact between a triangle and a face of a collider in the same order; `corner`: the corner of the triangle from
/// which the place was sought.
pub fn obstacle_key(face: u32, corner: u32, triangle: u32) -> [u32; 2] {
    mixed((3 * face + corner) | MEETING_OBSTACLE, triangle)
}

/// Mark of a contact with a face of a collider.
pub const MEETING_OBSTACLE: u32 = 1 << 30;

const _: () = assert!(MAX_PARTICLES <= MEETING_OBSTACLE as usize, "ids of particles leave the mark alone");

/// Mixes two words by four rounds of a Feistel network.
fn mixed(mut left: u32, mut right: u32) -> [u32; 2] {
    for round in 1..=4_u32 {
        (left, right) = (right, left ^ scattered(right.wrapping_add(round)));
    }
    [left, right]
}

/// Returns the bits of a word, mixed.
fn scattered(mut word: u32) -> u32 {
    for (shift, factor) in [(16, 0x7feb_352d_u32), (15, 0x846c_a68b)] {
        word = (word ^ word >> shift).wrapping_mul(factor);
    }
    word ^ word >> 16
}

impl Meeting {
    /// Returns how the parts approach each other between two places of their members [m], along straight lines; `None` for edges that are
    /// nearest to each other at an end, which is for points and triangles to see.
    pub fn approach(self, start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Approach> {
        let normal = |x: &[DVec3; 4]| match self {
            Self::PointTriangle => (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero(),
            Self::EdgeEdge => {
                let (a, b) = (x[1] - x[0], x[3] - x[2]);
                let n = a.cross(b);
                let parallel = n.length_squared()
                    < PARALLEL_EDGES * PARALLEL_EDGES * a.length_squared() * b.length_squared();
                if parallel { DVec3::ZERO } else { n.normalize() }
            }
        };
        let height = |x: &[DVec3; 4], n: DVec3| match self {
            Self::PointTriangle => n.dot(x[0] - x[1]),
            Self::EdgeEdge => n.dot(x[0] - x[2]),
        };
        let (first, last) = (normal(start), normal(end));
        let (mut before, mut now) = (height(start, first), height(end, last));
        let side = if before < 0.0 { -1.0 } else { 1.0 };
        (before, now) = (side * before, side * now);
        let nearest = self.nearest(end);
        if now < 0.0 && first != DVec3::ZERO && last != DVec3::ZERO {
            let time = before / (before - now);
            let met = std::array::from_fn(|i| start[i].lerp(end[i], time));
            if self.faces(&met) {
                let weights = nearest.unwrap_or_else(|| self.weights([0.5; 2]));
                return Some(Approach { weights, normal: side * last, distance: now });
            }
        }
        let weights = nearest?;
        let apart: DVec3 = std::iter::zip(weights, end).map(|(weight, x)| weight * *x).sum();
        let distance = apart.length();
        let normal = if distance > 0.0 { apart / distance } else { side * last };
        Some(Approach { weights, normal, distance })
    }

    /// Returns the distance of the parts [m].
    pub fn distance(self, x: &[DVec3; 4]) -> f64 {
        if let Some(weights) = self.nearest(x) {
            return std::iter::zip(weights, x).map(|(weight, x)| weight * *x).sum::<DVec3>().length();
        }
        let ends = [[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]].map(|[p, a, b]| on_edge(x[p], x[a], x[b]).1);
        ends.into_iter().fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Returns true if the parts, at the same height, overlap.
    fn faces(self, x: &[DVec3; 4]) -> bool {
        let inside = -MEETING_BORDER..=1.0 + MEETING_BORDER;
        match self {
            Self::PointTriangle => barycentric(x).iter().all(|weight| inside.contains(weight)),
            Self::EdgeEdge => lines(x).is_some_and(|at| at.iter().all(|part| inside.contains(part))),
        }
    }

    fn weights(self, [s, t]: [f64; 2]) -> [f64; 4] {
        match self {
            Self::PointTriangle => [1.0, s + t - 1.0, -s, -t],
            Self::EdgeEdge => [1.0 - s, s, t - 1.0, -t],
        }
    }

    /// Returns the weights of the nearest places; `None` for edges with one at an end.
    fn nearest(self, x: &[DVec3; 4]) -> Option<[f64; 4]> {
        match self {
            Self::PointTriangle => {
                let (at, _) = nearest_coordinates([x[1], x[2], x[3]], x[0]);
                Some(self.weights(at))
            }
            Self::EdgeEdge => {
                let at = lines(x)?;
                at.iter().all(|part| (0.0..=1.0).contains(part)).then(|| self.weights(at))
            }
        }
    }
}

/// Returns the barycentric coordinates of the foot of a point on the plane of a triangle.
fn barycentric(x: &[DVec3; 4]) -> [f64; 3] {
    let (u, v, d) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
    let n = u.cross(v);
    let scale = 1.0 / n.length_squared().max(f64::MIN_POSITIVE);
    let (s, t) = (d.cross(v).dot(n) * scale, u.cross(d).dot(n) * scale);
    [1.0 - s - t, s, t]
}

/// Returns the part of an edge that is nearest to a point, and the square of their distance [m^2].
fn on_edge(x: DVec3, a: DVec3, b: DVec3) -> (f64, f64) {
    let edge = b - a;
    let part = ((x - a).dot(edge) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (part, (a + part * edge - x).length_squared())
}

/// Returns where two lines are nearest, as parts of the edges; `None` if they are about parallel.
fn lines(x: &[DVec3; 4]) -> Option<[f64; 2]> {
    let (a, b, d) = (x[1] - x[0], x[3] - x[2], x[0] - x[2]);
    let (aa, ab, bb) = (a.length_squared(), a.dot(b), b.length_squared());
    let determinant = aa * bb - ab * ab;
    if determinant <= PARALLEL_EDGES * PARALLEL_EDGES * aa * bb {
        return None;
    }
    let (da, db) = (d.dot(a), d.dot(b));
    Some([(ab * db - bb * da) / determinant, (aa * db - ab * da) / determinant])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn point(x: DVec3) -> [DVec3; 4] {
        [x, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
    }

    /// Compares with the nearest of many places.
    #[test]
    fn the_nearest_place_is_found() {
        for k in 0..200 {
            let draw =
                |i: u32| f64::from((k * 3 + i).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 23) - 1.0;
            let x = 1.5 * DVec3::new(draw(0), draw(1), draw(2));
            let found = Meeting::PointTriangle.approach(&point(x), &point(x)).unwrap();
            let n = 200;
            let places = (0..=n)
                .flat_map(|i| (0..=n - i).map(move |j| DVec3::new(i as f64, j as f64, 0.0) / n as f64));
            let least = places.map(|place| place.distance(x)).fold(f64::INFINITY, f64::min);
            assert!(
                found.distance <= least + 1e-12 && found.distance > least - 1e-2,
                "{x}: {} {least}",
                found.distance
            );
            let at: DVec3 = std::iter::zip(found.weights, point(x)).map(|(weight, x)| weight * x).sum();
            assert!((at - found.distance * found.normal).length() < 1e-12);
        }
    }

    #[test]
    fn a_point_that_passes_through_is_seen_and_one_that_passes_by_is_not() {
        for side in [1.0, -1.0] {
            let through = Meeting::PointTriangle
                .approach(&point(DVec3::new(0.2, 0.3, 0.1 * side)), &point(DVec3::new(0.3, 0.2, -0.2 * side)))
                .unwrap();
            assert!((through.distance + 0.2).abs() < 1e-12 && through.normal.dot(DVec3::Z) * side > 0.999);
            let by = Meeting::PointTriangle
                .approach(&point(DVec3::new(1.2, 1.3, 0.1 * side)), &point(DVec3::new(0.9, 0.9, -0.2 * side)))
                .unwrap();
            assert!(by.distance > 0.0);
        }
        // The triangle passes the point.
        let moved = point(DVec3::new(0.2, 0.2, 0.0)).map(|x| x + DVec3::Z);
        let start = [DVec3::new(0.2, 0.2, 1.05), moved[1], moved[2], moved[3]];
        let end = [start[0], moved[1] + DVec3::Z, moved[2] + DVec3::Z, moved[3] + DVec3::Z];
        let through = Meeting::PointTriangle.approach(&start, &end).unwrap();
        assert!((through.distance + 0.95).abs() < 1e-12 && through.normal.z > 0.0, "{through:?}");
    }

    #[test]
    fn edges_that_cross_are_seen() {
        let at = |z: f64| [DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.1, z), -DVec3::Y, DVec3::Y];
        let before = Meeting::EdgeEdge.approach(&at(0.3), &at(0.2)).unwrap();
        assert!((before.distance - 0.2).abs() < 1e-12 && before.normal.z > 0.999, "{before:?}");
        let after = Meeting::EdgeEdge.approach(&at(0.3), &at(-0.1)).unwrap();
        assert!((after.distance + 0.1).abs() < 1e-12 && after.normal.z > 0.999, "{after:?}");
        let ends = |z: f64| at(z).map(|x| x).map(|x| if x.z == z { x + 3.0 * DVec3::X } else { x });
        assert!(Meeting::EdgeEdge.approach(&ends(0.3), &ends(-0.1)).is_none(), "they pass by");
    }

    /// A pair of words goes back to what it was made of.
    #[test]
    fn no_two_contacts_have_one_place_in_the_order() {
        for meeting in [Meeting::PointTriangle, Meeting::EdgeEdge] {
            for k in 0..1000_u32 {
                let (a, b) = (k.wrapping_mul(7919) & 0xff_ffff, k / 3);
                let [mut left, mut right] = meeting_key(meeting, a, b);
                for round in (1..=4_u32).rev() {
                    (left, right) = (right ^ scattered(left.wrapping_add(round)), left);
                }
                assert_eq!((left, right), (a | u32::from(meeting == Meeting::EdgeEdge) << 31, b));
            }
        }
    }

    #[test]
    fn weights_do_not_move_what_moves_together() {
        for meeting in [Meeting::PointTriangle, Meeting::EdgeEdge] {
            let weights = meeting.weights([0.3, 0.6]);
            assert!(weights.iter().sum::<f64>().abs() < 1e-15);
        }
    }
}
