//! Means over layers of equal height.

use glam::DVec3;

/// Returns mean height and mean value of each layer of thickness `width` [m], from y = 0, that contains points.
pub fn layers(points: impl Iterator<Item = (DVec3, f64)>, width: f64) -> Vec<[f64; 2]> {
    let mut sums: Vec<[f64; 3]> = Vec::new();
    for (point, value) in points {
        let index = (point.y / width).max(0.0) as usize;
        if sums.len() <= index {
            sums.resize(index + 1, [0.0; 3]);
        }
        let [count, height, sum] = &mut sums[index];
        (*count, *height, *sum) = (*count + 1.0, *height + point.y, *sum + value);
    }
    sums.iter().filter(|[count, ..]| *count > 0.0).map(|[n, y, sum]| [y / n, sum / n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_means() {
        let at = |y: f64| (DVec3::new(5.0, y, 0.0), 2.0 * y);
        let found = layers([at(0.5), at(0.7), at(3.25)].into_iter(), 1.0);
        assert_eq!(found.len(), 2);
        assert!((found[0][0] - 0.6).abs() < 1e-12 && (found[0][1] - 1.2).abs() < 1e-12);
        assert!((found[1][0] - 3.25).abs() < 1e-12 && (found[1][1] - 6.5).abs() < 1e-12);
    }
}
