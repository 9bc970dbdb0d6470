//! Solids of revolution as points and triangles.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use tuff_scene::strictly_convex_parts;

/// Number of points around a convex piece of a body.
const AROUND_BODY: usize = 48;
/// Number of points around the surface of a collider.
const AROUND_SURFACE: usize = 96;
/// Number of edges along half a circle of a profile.
const ALONG: usize = 48;

/// A convex piece of a solid of revolution about the y axis.
#[derive(Debug, Clone)]
pub(crate) enum Solid {
    /// A cylinder between two heights [m].
    Cylinder { radius: f64, heights: [f64; 2] },
    /// The convex hull of points [m].
    Hull(Vec<DVec3>),
}

/// Returns the direction of corner `index` of `around`.
fn direction(index: usize, around: usize) -> DVec3 {
    let angle = 2.0 * PI * (index % around) as f64 / around as f64;
    DVec3::new(libm::cos(angle), 0.0, libm::sin(angle))
}

/// Returns the factor on radii that makes a polygon's in- and circumcircle equally wrong: by 1e-3 with 48 corners, 3e-4 with 96.
fn widened(around: usize) -> f64 {
    2.0 / (1.0 + libm::cos(PI / around as f64))
}

/// Returns convex pieces whose union is the solid of this counterclockwise profile. Pieces that are convex all around stay whole; rings
/// are divided into sectors.
pub(crate) fn solids(profile: &[DVec2]) -> Vec<Solid> {
    strictly_convex_parts(profile).iter().flat_map(|part| solids_of(part)).collect()
}

fn solids_of(part: &[DVec2]) -> Vec<Solid> {
    let range = |corners: &mut dyn Iterator<Item = &DVec2>| {
        corners.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], c| [low.min(c.y), high.max(c.y)])
    };
    let heights = range(&mut part.iter());
    // A convex polygon with all of its height on the axis stays convex.
    let whole = heights == range(&mut part.iter().filter(|c| c.x == 0.0));
    let rim: Vec<&DVec2> = part.iter().filter(|c| c.x > 0.0).collect();
    if let (true, 4, [a, b]) = (whole, part.len(), &rim[..])
        && a.x == b.x
        && heights.contains(&a.y)
        && heights.contains(&b.y)
    {
        return vec![Solid::Cylinder { radius: a.x, heights }];
    }
    let at = |index: usize| {
        let outward = widened(AROUND_BODY) * direction(index, AROUND_BODY);
        part.iter().map(move |c| c.x * outward + c.y * DVec3::Y)
    };
    if whole {
        return vec![Solid::Hull((0..AROUND_BODY).flat_map(at).collect())];
    }
    (0..AROUND_BODY).map(|i| Solid::Hull(at(i).chain(at(i + 1)).collect())).collect()
}

/// Vertices and triangles, counterclockwise seen from outside.
pub(crate) type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// Returns the surface that a chain of counterclockwise corners sweeps; of a closed profile repeat the first corner at the end.
pub(crate) fn surface(chain: &[DVec2]) -> Triangles {
    let mut vertices: Vec<DVec3> = Vec::new();
    let rings: Vec<(usize, usize)> = chain
        .iter()
        .map(|corner| {
            let (first, count) = (vertices.len(), if corner.x == 0.0 { 1 } else { AROUND_SURFACE });
            vertices.extend((0..count).map(|i| {
                corner.x * widened(AROUND_SURFACE) * direction(i, AROUND_SURFACE) + corner.y * DVec3::Y
            }));
            (first, count)
        })
        .collect();
    let mut triangles = Vec::new();
    for ends in rings.windows(2) {
        let at = |ring: (usize, usize), i: usize| (ring.0 + i % ring.1) as u32;
        for i in 0..AROUND_SURFACE {
            let [a, b] = [at(ends[0], i), at(ends[1], i)];
            let [c, d] = [at(ends[1], i + 1), at(ends[0], i + 1)];
            triangles
                .extend([[a, b, c], [a, c, d]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
        }
    }
    (vertices, triangles)
}

/// Returns the profile of a capsule, or of a ball with a `half_height` of 0, from its lowest point to its highest.
pub(crate) fn capsule(half_height: f64, radius: f64) -> Vec<DVec2> {
    let corner = |i: usize| {
        let angle = PI * (i as f64 / ALONG as f64 - 0.5);
        let end = if 2 * i > ALONG { half_height } else { -half_height };
        let x = if i == 0 || i == ALONG { 0.0 } else { radius * libm::cos(angle) };
        DVec2::new(x, radius * libm::sin(angle) + end)
    };
    let tube = (half_height > 0.0).then(|| DVec2::new(radius, half_height));
    let [low, high] = [0..=ALONG / 2, ALONG / 2 + 1..=ALONG];
    low.map(corner).chain(tube).chain(high.map(corner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume((vertices, triangles): &Triangles) -> f64 {
        triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    #[test]
    fn surfaces_face_outward_and_enclose_their_solid() {
        for (half_height, radius) in [(0.0_f64, 0.5_f64), (0.4, 0.2)] {
            let exact = 4.0 / 3.0 * PI * radius.powi(3) + 2.0 * PI * radius * radius * half_height;
            let found = volume(&surface(&capsule(half_height, radius)));
            assert!((found / exact - 1.0).abs() < 2e-3, "{found} {exact}");
        }
        let ring = [[0.5, 0.0], [1.0, 0.0], [1.0, 0.3], [0.5, 0.3], [0.5, 0.0]].map(DVec2::from);
        let exact = PI * 0.75 * 0.3;
        assert!((volume(&surface(&ring)) / exact - 1.0).abs() < 1e-3);
    }

    #[test]
    fn rings_become_sectors_and_cylinders_stay() {
        let kinds = |profile: &[[f64; 2]]| {
            let profile: Vec<DVec2> = profile.iter().copied().map(DVec2::from).collect();
            let solids = solids(&profile);
            let hulls = solids.iter().filter(|s| matches!(s, Solid::Hull(_))).count();
            (hulls, solids.len() - hulls)
        };
        assert_eq!(kinds(&[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]]), (0, 1));
        assert_eq!(kinds(&[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), (1, 0));
        assert_eq!(kinds(&[[0.5, 0.0], [1.0, 0.0], [1.0, 2.0], [0.5, 2.0]]), (48, 0));
        // A dent in the top: the piece around it is a ring.
        assert_eq!(kinds(&[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]).1, 0);
        assert!(kinds(&[[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]).0 >= 48);
    }
}
