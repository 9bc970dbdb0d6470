//! Splits profiles of revolved solids at their sharp concave corners, in which matter touches two sides at once.

use glam::DVec2;

use super::revolve::WALLS_MEET;

/// Cosine of the angle between edges from which on a polygon counts as straight.
const STRAIGHT: f64 = 1.0 - 1e-9;

/// Returns true if a counterclockwise polygon turns into itself from edge `before` to edge `after`, by an angle of a smaller cosine than
/// `smooth`.
fn is_concave(before: DVec2, after: DVec2, smooth: f64) -> bool {
    let (before, after) = (before.normalize_or_zero(), after.normalize_or_zero());
    before.perp_dot(after) < 0.0 && before.dot(after) < smooth
}

/// Returns counterclockwise polygons without sharp concave corners whose union is the given one; itself if it has none.
pub fn convex_parts(profile: &[DVec2]) -> Vec<Vec<DVec2>> {
    parts(profile, WALLS_MEET)
}

/// Returns convex polygons whose union is the given counterclockwise one; itself if it is convex.
pub fn strictly_convex_parts(profile: &[DVec2]) -> Vec<Vec<DVec2>> {
    parts(profile, STRAIGHT)
}

/// Cuts triangles off one after another and joins them where no corner results that turns inward by more than is `smooth` (Hertel and
/// Mehlhorn 1983).
fn parts(profile: &[DVec2], smooth: f64) -> Vec<Vec<DVec2>> {
    let corners = profile.len();
    let edge = |i: usize| profile[(i + 1) % corners] - profile[i % corners];
    if !(0..corners).any(|i| is_concave(edge(i + corners - 1), edge(i), smooth)) {
        return vec![profile.to_vec()];
    }
    let mut parts: Vec<Vec<usize>> = triangles(profile).into_iter().map(Vec::from).collect();
    let mut at = 0;
    while at < parts.len() {
        match (at + 1..parts.len())
            .find_map(|other| Some((other, joined(profile, &parts[at], &parts[other], smooth)?)))
        {
            Some((other, whole)) => {
                parts[at] = whole;
                parts.remove(other);
                at = 0;
            }
            None => at += 1,
        }
    }
    parts.into_iter().map(|part| part.into_iter().map(|i| profile[i]).collect()).collect()
}

/// Returns the triangles, by their corners, of a counterclockwise polygon that does not cross itself.
fn triangles(profile: &[DVec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..profile.len()).collect();
    let mut found = Vec::new();
    let doubled = |[a, b, c]: [usize; 3]| (profile[b] - profile[a]).perp_dot(profile[c] - profile[a]);
    while left.len() > 2 {
        let count = left.len();
        let ear = |i: usize| [left[(i + count - 1) % count], left[i], left[(i + 1) % count]];
        let holds = |[a, b, c]: [usize; 3], p: usize| {
            ![a, b, c].contains(&p)
                && doubled([a, b, p]) >= 0.0
                && doubled([b, c, p]) >= 0.0
                && doubled([c, a, p]) >= 0.0
        };
        let is_ear = |i: &usize| doubled(ear(*i)) > 0.0 && !left.iter().any(|&p| holds(ear(*i), p));
        // Corners on a straight line form no triangle.
        let Some(i) = (0..count).find(is_ear).or_else(|| (0..count).find(|&i| doubled(ear(i)) == 0.0)) else {
            break;
        };
        found.extend(Some(ear(i)).filter(|ear| doubled(*ear) > 0.0));
        left.remove(i);
    }
    found
}

/// Returns the union of two polygons that share an edge, if it has no concave corner at the ends of the edge.
fn joined(profile: &[DVec2], a: &[usize], b: &[usize], smooth: f64) -> Option<Vec<usize>> {
    let (n, m) = (a.len(), b.len());
    let (i, j) = (0..n)
        .flat_map(|i| (0..m).map(move |j| (i, j)))
        .find(|&(i, j)| a[i] == b[(j + 1) % m] && a[(i + 1) % n] == b[j])?;
    // From the end of the edge around a, then around b.
    let around_a = (1..n).map(|k| a[(i + k) % n]);
    let around_b = (1..m).map(|k| b[(j + k) % m]);
    let whole: Vec<usize> = around_a.chain(around_b).collect();
    let count = whole.len();
    let at = |k: usize| profile[whole[k % count]];
    let sharp = |k: usize| is_concave(at(k) - at(k + count - 1), at(k + 1) - at(k), smooth);
    (!(0..count).any(sharp)).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(profile: &[DVec2]) -> f64 {
        0.5 * (0..profile.len()).map(|i| profile[i].perp_dot(profile[(i + 1) % profile.len()])).sum::<f64>()
    }

    fn check(profile: &[[f64; 2]], parts: usize) {
        let profile: Vec<DVec2> = profile.iter().copied().map(DVec2::from).collect();
        let found = convex_parts(&profile);
        assert_eq!(found.len(), parts, "{found:?}");
        assert!((found.iter().map(|part| area(part)).sum::<f64>() - area(&profile)).abs() < 1e-12);
        for part in &found {
            let corner = |i: usize| part[i % part.len()];
            let sharp =
                |i: usize| is_concave(corner(i + 1) - corner(i), corner(i + 2) - corner(i + 1), WALLS_MEET);
            assert!(!(0..part.len()).any(sharp), "{part:?}");
        }
    }

    #[test]
    fn profiles_are_split_at_sharp_concave_corners_alone() {
        check(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], 1);
        // A bucket, and one with a step outside.
        check(&[[0.0, -0.05], [0.1, -0.05], [0.1, 0.1], [0.08, 0.1], [0.08, -0.03], [0.0, -0.03]], 2);
        check(
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.5, 0.2], [0.5, 1.0], [0.4, 1.0], [0.4, 0.3], [0.0, 0.3]],
            3,
        );
        // A waist drawn with many corners is smooth.
        let waist = |i: i32| [0.3 + 0.2 * (f64::from(i) / 10.0).powi(2), f64::from(i) / 10.0];
        let vase: Vec<_> =
            [[0.0, -1.0]].into_iter().chain((-10..=10).map(waist)).chain([[0.0, 1.0]]).collect();
        check(&vase, 1);
        let vase: Vec<DVec2> = vase.into_iter().map(DVec2::from).collect();
        let convex = strictly_convex_parts(&vase);
        assert!((convex.iter().map(|part| area(part)).sum::<f64>() - area(&vase)).abs() < 1e-12);
        for part in &convex {
            let edge = |i: usize| part[(i + 1) % part.len()] - part[i % part.len()];
            assert!((0..part.len()).all(|i| edge(i).perp_dot(edge(i + 1)) >= -1e-12), "{part:?}");
        }
    }
}
