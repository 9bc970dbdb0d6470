//! Measures the surface of a pile as heights above fixed points.

use glam::{DVec2, DVec3};

/// Heights of the matter above points of the floor.
pub struct Surface {
    points: Vec<DVec2>,
    heights: Vec<f64>,
}

/// Returns the height above a point: the maximum of paraboloids below the particles, `max (y - d^2 / (2 s))`, with the horizontal
/// distance d and the spacing s. It moves at most sqrt(2) times as far as the particles that determine it, in any direction.
fn height(positions: &[DVec3], point: DVec2, spacing: f64) -> f64 {
    let under = |x: &DVec3| x.y - point.distance_squared(DVec2::new(x.x, x.z)) / (2.0 * spacing);
    positions.iter().map(under).fold(f64::NEG_INFINITY, f64::max)
}

impl Surface {
    /// Measures above points one spacing apart, wherever a particle is within a spacing.
    pub fn of(positions: &[DVec3], spacing: f64) -> Self {
        let flat: Vec<DVec2> = positions.iter().map(|x| DVec2::new(x.x, x.z)).collect();
        let min = flat.iter().fold(DVec2::INFINITY, |m, x| m.min(*x));
        let max = flat.iter().fold(DVec2::NEG_INFINITY, |m, x| m.max(*x));
        let count = ((max - min) / spacing).ceil();
        let grid = (0..=count.x as u32).flat_map(|i| (0..=count.y as u32).map(move |k| (i, k)));
        let points: Vec<DVec2> = grid
            .map(|(i, k)| min + spacing * DVec2::new(i.into(), k.into()))
            .filter(|point| flat.iter().any(|x| x.distance(*point) < spacing))
            .collect();
        let heights = points.iter().map(|&point| height(positions, point, spacing)).collect();
        Self { points, heights }
    }

    /// Returns the largest absolute change of the heights since then, and the mean signed change [m].
    pub fn moved(&self, positions: &[DVec3], spacing: f64) -> (f64, f64) {
        let changes = std::iter::zip(&self.points, &self.heights)
            .map(|(&point, before)| height(positions, point, spacing) - before)
            .collect::<Vec<_>>();
        let most = changes.iter().fold(0.0, |most: f64, change| most.max(change.abs()));
        (most, changes.iter().sum::<f64>() / changes.len() as f64)
    }
}

/// The surface follows its particles.
pub fn the_surface_follows_the_particles() {
    let spacing = 0.01;
    let lattice = |i: u32| DVec3::new((i % 10).into(), (i / 100).into(), (i / 10 % 10).into()) * spacing;
    let positions: Vec<DVec3> = (0..500).map(lattice).collect();
    let surface = Surface::of(&positions, spacing);
    let raised: Vec<DVec3> = positions.iter().map(|x| *x + DVec3::Y * 1e-3).collect();
    let (most, mean) = surface.moved(&raised, spacing);
    assert!((most - 1e-3).abs() < 1e-12 && (mean - 1e-3).abs() < 1e-12, "{most} {mean}");
    let mut one = positions.clone();
    one[450].y += 2e-3;
    one[20].y += 1e-3;
    assert!((surface.moved(&one, spacing).0 - 2e-3).abs() < 1e-12, "what lies below is no surface");
}
