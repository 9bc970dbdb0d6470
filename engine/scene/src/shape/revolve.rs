//! The closed polygon of a solid of revolution, in the half plane (distance from the axis, height).

use glam::DVec2;

/// Reason why a profile cannot be revolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProfileFault {
    /// Fewer than three corners.
    #[error("a profile needs at least 3 corners")]
    TooFewCorners,
    /// The corner with this index lies on the wrong side of the axis.
    #[error("corner {0} has a negative radius")]
    NegativeRadius(usize),
    /// The corner with this index repeats the previous one.
    #[error("corner {0} repeats the corner before it")]
    Repeated(usize),
    /// The edges that start at these corners cross.
    #[error("the edges that start at corners {0} and {1} cross")]
    Crossing(usize, usize),
    /// The polygon has no area.
    #[error("the profile encloses no area")]
    NoArea,
}

fn edges(profile: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    profile.iter().copied().zip(profile.iter().copied().cycle().skip(1))
}

/// Returns true if the edge lies on the axis, where revolving it creates no surface.
fn on_axis(a: DVec2, b: DVec2) -> bool {
    a.x == 0.0 && b.x == 0.0
}

/// Consecutive edges of a profile, which may run past its last corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edges {
    /// Index of the corner at which the first one starts.
    pub first: usize,
    /// Number of edges.
    pub count: usize,
}

impl Edges {
    /// Returns all edges of a profile.
    pub fn all(profile: &[DVec2]) -> Self {
        Self { first: 0, count: profile.len() }
    }

    fn contains(self, edge: usize, corners: usize) -> bool {
        (edge + corners - self.first) % corners < self.count
    }
}

/// Cosine of the angle, 30 degrees, by which a container has to turn toward matter for two walls to meet there. Smaller turns do
/// not end a wall: a bowl drawn with many edges is smooth, and particles would search all of its edges once per wall.
pub(super) const WALLS_MEET: f64 = 0.87;

/// Returns the walls of a container of this counterclockwise profile: its edges, split at corners in which matter touches two
/// walls at once.
pub fn walls(profile: &[DVec2]) -> Vec<Edges> {
    let corners = profile.len();
    let edge = |i: usize| (profile[(i + 1) % corners] - profile[i % corners]).normalize();
    let meet = |i: &usize| {
        let (before, after) = (edge(i + corners - 1), edge(*i));
        before.perp_dot(after) > 0.0 && before.dot(after) < WALLS_MEET
    };
    let ends: Vec<usize> = (0..corners).filter(meet).collect();
    if ends.len() < 2 {
        return vec![Edges::all(profile)];
    }
    let lengths = (0..ends.len()).map(|k| (ends[(k + 1) % ends.len()] + corners - ends[k] - 1) % corners + 1);
    let parts = std::iter::zip(&ends, lengths).map(|(&first, count)| Edges { first, count });
    let surface = |part: &Edges| {
        (part.first..part.first + part.count)
            .any(|i| !on_axis(profile[i % corners], profile[(i + 1) % corners]))
    };
    parts.filter(surface).collect()
}

fn doubled_area(profile: &[DVec2]) -> f64 {
    edges(profile).map(|(a, b)| a.perp_dot(b)).sum()
}

/// Checks a profile and makes it counterclockwise.
pub(crate) fn normalized(mut profile: Vec<DVec2>) -> Result<Vec<DVec2>, ProfileFault> {
    if profile.len() > 3 && profile.first() == profile.last() {
        profile.pop();
    }
    if profile.len() < 3 {
        return Err(ProfileFault::TooFewCorners);
    }
    if let Some(corner) = profile.iter().position(|c| c.x < 0.0) {
        return Err(ProfileFault::NegativeRadius(corner));
    }
    let list: Vec<_> = edges(&profile).collect();
    if let Some(edge) = list.iter().position(|(a, b)| a == b) {
        return Err(ProfileFault::Repeated((edge + 1) % profile.len()));
    }
    for (i, &(a, b)) in list.iter().enumerate() {
        for (j, &(c, d)) in list.iter().enumerate().skip(i + 2) {
            if i == 0 && j + 1 == list.len() {
                continue;
            }
            let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
            let apart = side(a, b, c) * side(a, b, d) > 0.0 || side(c, d, a) * side(c, d, b) > 0.0;
            let boxes_apart = a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any();
            if !(apart || boxes_apart || on_axis(a, b) || on_axis(c, d)) {
                return Err(ProfileFault::Crossing(i, j));
            }
        }
    }
    let area = doubled_area(&profile);
    let extent = profile.iter().fold(0.0_f64, |e, c| e.max(c.abs().max_element()));
    if area.abs() <= 1e-14 * extent * extent {
        return Err(ProfileFault::NoArea);
    }
    if area < 0.0 {
        profile.reverse();
    }
    Ok(profile)
}

/// Nearest point of the surface of some edges to a meridian point.
struct Nearest {
    /// Nearest point.
    point: DVec2,
    /// Edge that contains it.
    edge: (DVec2, DVec2),
    /// True if the meridian point is in the solid: inside the polygon, or beyond an edge that is none of these.
    within: bool,
}

/// Difference of the distances of two edges up to which they count as equally near, relative to the size of what is compared.
pub const CORNER: f64 = 1e-5;

fn nearest(profile: &[DVec2], surface: Edges, p: DVec2) -> Nearest {
    let mut best = (f64::INFINITY, DVec2::ZERO, (DVec2::ZERO, DVec2::Y));
    let mut of_all = f64::INFINITY;
    let mut inside = false;
    for (i, (a, b)) in edges(profile).enumerate() {
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
        if on_axis(a, b) {
            continue;
        }
        let edge = b - a;
        let q = a + edge * ((p - a).dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        let distance = p.distance_squared(q);
        of_all = of_all.min(distance);
        // At a corner both edges are equally near; the one that faces `p` gives the better normal.
        let facing = |(a, b): (DVec2, DVec2)| (b - a).normalize().perp_dot(p - a).abs();
        let nearer = distance < best.0 || (distance == best.0 && facing((a, b)) > facing(best.2));
        if nearer && surface.contains(i, profile.len()) {
            best = (distance, q, (a, b));
        }
    }
    // Beyond a corner two edges are equally near, whatever the rounding.
    let rounding = CORNER * (p.length() + of_all.sqrt());
    Nearest { point: best.1, edge: best.2, within: inside || best.0.sqrt() > of_all.sqrt() + rounding }
}

/// Returns the signed distance [m] of the meridian point `p` (distance from the axis, height) from these edges.
pub(crate) fn signed_distance(profile: &[DVec2], surface: Edges, p: DVec2) -> f64 {
    let n = nearest(profile, surface, p);
    if n.within { -p.distance(n.point) } else { p.distance(n.point) }
}

/// Returns the outward unit normal in the half plane.
pub(crate) fn normal(profile: &[DVec2], surface: Edges, p: DVec2) -> DVec2 {
    let n = nearest(profile, surface, p);
    let (a, b) = n.edge;
    let away = if n.within { n.point - p } else { p - n.point };
    let edge_normal = -(b - a).perp().normalize();
    // Within rounding of the surface only the edge determines the direction.
    if away.length() > 1e-9 * (b - a).length() { away.normalize() } else { edge_normal }
}

/// Returns the volume [m^3] (Pappus) and the height of the centroid [m] of the counterclockwise profile's solid.
pub(crate) fn volume_and_height(profile: &[DVec2]) -> (f64, f64) {
    let (mut volume, mut moment) = (0.0, 0.0);
    for (a, b) in edges(profile) {
        // Integrals of x^2 dy and x^2 y dy along the edge (Green's theorem).
        let dy = b.y - a.y;
        volume += dy * (a.x * a.x + a.x * b.x + b.x * b.x) / 3.0;
        moment += dy
            * (a.x * a.x * (3.0 * a.y + b.y) + 2.0 * a.x * b.x * (a.y + b.y) + b.x * b.x * (a.y + 3.0 * b.y))
            / 12.0;
    }
    (std::f64::consts::PI * volume, moment / volume)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn corners<const N: usize>(list: [[f64; 2]; N]) -> Vec<DVec2> {
        list.map(DVec2::from).to_vec()
    }

    #[test]
    fn a_rectangle_is_a_cylinder_and_a_triangle_a_cone() {
        let cylinder = normalized(corners([[0.0, -1.0], [0.0, 1.0], [0.5, 1.0], [0.5, -1.0]])).unwrap();
        let (volume, height) = volume_and_height(&cylinder);
        assert!((volume - PI * 0.25 * 2.0).abs() < 1e-14 && height.abs() < 1e-15);
        // On the axis the distance is to the wall, never to the axis.
        assert_eq!(signed_distance(&cylinder, Edges::all(&cylinder), DVec2::new(0.0, 0.0)), -0.5);
        let cone = normalized(corners([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])).unwrap();
        let (volume, height) = volume_and_height(&cone);
        assert!((volume - PI * 4.0).abs() < 1e-13, "{volume}");
        assert!((height - 0.75).abs() < 1e-14, "{height}");
    }

    #[test]
    fn a_torus_of_square_section_follows_pappus() {
        let ring = normalized(corners([[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]])).unwrap();
        assert!((volume_and_height(&ring).0 - 2.0 * PI * 1.5).abs() < 1e-13);
        assert_eq!(signed_distance(&ring, Edges::all(&ring), DVec2::new(0.0, 0.5)), 1.0);
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(normalized(corners([[0.0, 0.0], [1.0, 0.0]])), Err(ProfileFault::TooFewCorners));
        assert_eq!(
            normalized(corners([[0.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])),
            Err(ProfileFault::NegativeRadius(1))
        );
        assert_eq!(
            normalized(corners([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.1, 1.0]])),
            Err(ProfileFault::Crossing(0, 2))
        );
        assert_eq!(
            normalized(corners([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])),
            Err(ProfileFault::Repeated(2))
        );
        assert_eq!(normalized(corners([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]])), Err(ProfileFault::NoArea));
    }
}
