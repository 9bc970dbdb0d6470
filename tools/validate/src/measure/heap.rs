//! Measures piles on a floor by mass, so that gaps at the boundary and a loose surface do not shift the result.

use glam::DVec3;

/// Returns the radius [m] around the y axis through `center` that contains the fraction `share` of the mass.
pub fn radius_of_mass(points: &[DVec3], mass: &[f64], center: DVec3, share: f64) -> f64 {
    let mut order: Vec<(f64, f64)> =
        points.iter().zip(mass).map(|(p, &m)| ((p.x - center.x).hypot(p.z - center.z), m)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted = share * mass.iter().sum::<f64>();
    let mut held = 0.0;
    for (radius, m) in order {
        held += m;
        if held >= wanted {
            return radius;
        }
    }
    f64::NAN
}

/// A pile around a vertical axis: thickness of the settled matter against the radius.
#[derive(Debug, Clone)]
pub struct Heap {
    /// Mean radius of each ring, and the thickness there [m].
    pub profile: Vec<[f64; 2]>,
}

impl Heap {
    /// Measures rings of `width` [m]; `volume` is the volume that each particle occupies [m^3].
    pub fn around(points: &[DVec3], volume: &[f64], center: DVec3, width: f64) -> Self {
        let ring = |p: &DVec3| ((p.x - center.x).hypot(p.z - center.z) / width) as usize;
        let count = points.iter().map(ring).max().map_or(0, |last| last + 1);
        let mut sums = vec![0.0; count];
        for (point, volume) in points.iter().zip(volume) {
            sums[ring(point)] += volume;
        }
        let area = |i: usize| std::f64::consts::PI * width * width * (2 * i + 1) as f64;
        let at = |i: usize| [(i as f64 + 0.5) * width, sums[i] / area(i)];
        Self { profile: (0..count).map(at).collect() }
    }

    /// Returns the mean thickness within about `radius` [m] of the axis: the height there.
    pub fn height(&self, radius: f64) -> f64 {
        let inner = self.profile.iter().take_while(|[r, _]| *r <= radius.max(self.profile[0][0]));
        let (sum, area) = inner.fold((0.0, 0.0), |(sum, area), [r, h]| (sum + r * h, area + r));
        sum / area
    }

    /// Returns the radius where the thickness first falls below `least` [m].
    pub fn front(&self, least: f64) -> f64 {
        self.profile
            .iter()
            .find(|[_, h]| *h < least)
            .map_or_else(|| self.profile.last().map_or(0.0, |[r, _]| *r), |[r, _]| *r)
    }

    /// Returns the angle of the flank [degrees], by a line through the profile between two fractions of the radius `reach` [m].
    pub fn slope(&self, reach: f64, from: f64, to: f64) -> f64 {
        self.fit(|[r, _]| (from * reach..=to * reach).contains(&r))
    }

    /// Returns the angle of the flank [degrees], by a line through the rings whose thickness is between two fractions of `height` [m].
    pub fn flank(&self, height: f64, low: f64, high: f64) -> f64 {
        self.fit(|[_, h]| (low * height..=high * height).contains(&h))
    }

    /// Returns the downward angle of the least-squares line through chosen rings [degrees], weighted by their areas: a thickness is made
    /// up of particles in proportion to the area, and few are near the axis.
    fn fit(&self, chosen: impl Fn([f64; 2]) -> bool) -> f64 {
        let (mut n, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for [r, h] in self.profile.iter().filter(|ring| chosen(**ring)) {
            (n, x, y, xx, xy) = (n + r, x + r * r, y + r * h, xx + r * r * r, xy + r * r * h);
        }
        let slope: f64 = (n * xy - x * y) / (n * xx - x * x);
        (-slope).atan().to_degrees()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws points at random positions in a cone of height 1 and radius 2, with equal volumes.
    fn cone() -> (Vec<DVec3>, Vec<f64>) {
        let mut draws = crate::draws::Draws(7);
        let mut points = Vec::new();
        while points.len() < 40_000 {
            let p = 2.0 * draws.vector();
            if p.y > 0.0 && p.y < 1.0 - 0.5 * p.x.hypot(p.z) {
                points.push(p);
            }
        }
        let volume = 4.0 * std::f64::consts::PI / 3.0 / points.len() as f64;
        let volumes = vec![volume; points.len()];
        (points, volumes)
    }

    #[test]
    fn a_cone_is_measured() {
        let (points, volume) = cone();
        let heap = Heap::around(&points, &volume, DVec3::ZERO, 0.1);
        assert!((heap.slope(2.0, 0.15, 0.85) - 26.565).abs() < 0.5, "{}", heap.slope(2.0, 0.15, 0.85));
        assert!((heap.flank(1.0, 0.2, 0.8) - 26.565).abs() < 0.5, "{}", heap.flank(1.0, 0.2, 0.8));
        assert!((heap.height(0.3) - 0.9).abs() < 0.04, "{}", heap.height(0.3));
        assert!((heap.front(0.05) - 1.95).abs() < 0.11, "{}", heap.front(0.05));
        // Mass outside the radius r: integral of 2 pi r (1 - r/2) from r to 2 over 4 pi / 3.
        let r = radius_of_mass(&points, &volume, DVec3::ZERO, 0.5);
        assert!((r - 1.0).abs() < 0.02, "{r}");
    }
}
