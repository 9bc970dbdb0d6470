//! Measures how points are spread: distances to the nearest point, connected clusters, distances between two clouds.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use nalgebra::{Matrix3, Vector3};

/// Statistics of the distances of points to their nearest neighbors [m].
#[derive(Debug, Clone, Copy)]
pub struct Nearest {
    /// Minimum.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// Points sorted into cells, so that neighbors are found in the surrounding cells.
struct Cells<'a> {
    points: &'a [DVec3],
    edge: f64,
    members: BTreeMap<[i64; 3], Vec<usize>>,
}

impl<'a> Cells<'a> {
    fn new(points: &'a [DVec3], edge: f64) -> Self {
        let mut members: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (index, point) in points.iter().enumerate() {
            members.entry(cell(*point, edge)).or_default().push(index);
        }
        Self { points, edge, members }
    }

    /// Returns the points in the cells at most `reach` cells away.
    fn around(&self, at: DVec3, reach: i64) -> impl Iterator<Item = usize> {
        let [x, y, z] = cell(at, self.edge);
        let range = -reach..=reach;
        let offsets = range.clone().flat_map(move |i| {
            let range = -reach..=reach;
            range.flat_map(move |j| (-reach..=reach).map(move |k| [x + i, y + j, z + k]))
        });
        offsets.filter_map(|cell| self.members.get(&cell)).flatten().copied()
    }

    /// Returns the distance from a position to the nearest point other than `except`; searches farther if no point is close.
    fn nearest(&self, at: DVec3, except: Option<usize>) -> f64 {
        for reach in [1, 2, 4] {
            let others = self.around(at, reach).filter(|&i| Some(i) != except);
            let least = others.map(|i| self.points[i].distance(at)).fold(f64::INFINITY, f64::min);
            if least <= reach as f64 * self.edge {
                return least;
            }
        }
        let others = (0..self.points.len()).filter(|&i| Some(i) != except);
        others.map(|i| self.points[i].distance(at)).fold(f64::INFINITY, f64::min)
    }
}

fn cell(point: DVec3, edge: f64) -> [i64; 3] {
    (point / edge).to_array().map(|c| c.floor() as i64)
}

/// Measures the distances to the nearest neighbors; `spacing` is their approximate value.
pub fn nearest(points: &[DVec3], spacing: f64) -> Nearest {
    nearest_within(points, spacing, f64::INFINITY)
}

/// Like [`nearest`], but only over points with a neighbor within `reach` [m]: single grains that rolled away are excluded.
pub fn nearest_within(points: &[DVec3], spacing: f64, reach: f64) -> Nearest {
    let cells = Cells::new(points, spacing);
    let all = points.iter().enumerate().map(|(i, &point)| cells.nearest(point, Some(i)));
    let distances: Vec<f64> = all.filter(|&distance| distance <= reach).collect();
    let count = distances.len().max(1) as f64;
    let mean = distances.iter().sum::<f64>() / count;
    let variance = distances.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / count;
    let min = distances.iter().copied().fold(f64::INFINITY, f64::min);
    Nearest { min, mean, deviation: variance.sqrt() }
}

/// Returns the mean number of other points within `reach` [m] of a point.
pub fn mean_neighbors(points: &[DVec3], reach: f64) -> f64 {
    let cells = Cells::new(points, reach);
    let of = |&at: &DVec3| cells.around(at, 1).filter(|&i| points[i].distance(at) <= reach).count() - 1;
    points.iter().map(of).sum::<usize>() as f64 / points.len().max(1) as f64
}

/// Returns the sizes of the clusters, largest first; every point of a cluster is closer than `reach` to another one.
pub fn clusters(points: &[DVec3], reach: f64) -> Vec<usize> {
    let cells = Cells::new(points, reach);
    let mut seen = vec![false; points.len()];
    let mut sizes = Vec::new();
    for start in 0..points.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut open = vec![start];
        let mut size = 0;
        while let Some(index) = open.pop() {
            size += 1;
            let at = points[index];
            for other in cells.around(at, 1) {
                if !seen[other] && points[other].distance(at) < reach {
                    seen[other] = true;
                    open.push(other);
                }
            }
        }
        sizes.push(size);
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

/// Returns the mean distance from the points of each cloud to the nearest point of the other [m], averaged over both directions.
pub fn chamfer(a: &[DVec3], b: &[DVec3], spacing: f64) -> f64 {
    let mean = |from: &[DVec3], to: &[DVec3]| {
        let cells = Cells::new(to, spacing);
        from.iter().map(|&point| cells.nearest(point, None)).sum::<f64>() / from.len().max(1) as f64
    };
    0.5 * (mean(a, b) + mean(b, a))
}

/// Returns the rms distance between corresponding points of two clouds [m], minimized over rigid motions of the second (Kabsch 1976).
pub fn shape_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let center = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let vector = |p: DVec3| Vector3::new(p.x, p.y, p.z);
    let (center_a, center_b) = (center(a), center(b));
    let pairs: Vec<_> =
        a.iter().zip(b).map(|(&a, &b)| (vector(a - center_a), vector(b - center_b))).collect();
    let correlation: Matrix3<f64> = pairs.iter().map(|(a, b)| a * b.transpose()).sum();
    let svd = correlation.svd(true, true);
    let Some((u, v_t)) = svd.u.zip(svd.v_t) else {
        return f64::NAN;
    };
    // A reflection is not a rigid motion: flip the smallest axis back.
    let mirror = Vector3::new(1.0, 1.0, (u * v_t).determinant().signum());
    let rotation = u * Matrix3::from_diagonal(&mirror) * v_t;
    let sum: f64 = pairs.iter().map(|(a, b)| (a - rotation * b).norm_squared()).sum();
    (sum / pairs.len().max(1) as f64).sqrt()
}

/// Returns the kernel density `sum V0 W` of every point over the rest density, including its own contribution; Wendland C2 of radius r,
/// support 2 r.
pub fn kernel_density(points: &[DVec3], rest_volume: &[f64], radius: f64) -> Vec<f64> {
    let cells = Cells::new(points, 2.0 * radius);
    let scale = wendland_scale(radius);
    let kernel = |distance: f64| {
        let q = distance / radius;
        scale * (1.0 - 0.5 * q).max(0.0).powi(4) * (1.0 + 2.0 * q)
    };
    let density =
        |&at: &DVec3| cells.around(at, 1).map(|i| rest_volume[i] * kernel(points[i].distance(at))).sum();
    points.iter().map(density).collect()
}

fn wendland_scale(radius: f64) -> f64 {
    21.0 / (16.0 * std::f64::consts::PI * radius.powi(3))
}

/// Returns the volume that settled matter occupies over its rest volume: one over the mean of `sum V0 W` over positions surrounded by
/// matter, where it is above 0.5 and `r |sum V0 grad W|` is below 0.3. The positions form a lattice of half spacings: at the points
/// themselves the sum is too large, by 3 % on a lattice and by 7 to 14 % in a disordered arrangement. Positions near the surface make the
/// result 2 to 4 % too large in piles of ten spacings. Returns 1 if no position is surrounded.
pub fn bulking(points: &[DVec3], rest_volume: &[f64], radius: f64) -> f64 {
    let cells = Cells::new(points, 2.0 * radius);
    let scale = wendland_scale(radius);
    let look = |at: DVec3| {
        let (mut density, mut gradient) = (0.0, DVec3::ZERO);
        for i in cells.around(at, 1) {
            let apart = at - points[i];
            let q = apart.length() / radius;
            let near = (1.0 - 0.5 * q).max(0.0);
            density += rest_volume[i] * scale * near.powi(4) * (1.0 + 2.0 * q);
            gradient -= rest_volume[i] * 5.0 * scale * near.powi(3) / (radius * radius) * apart;
        }
        (density, radius * gradient.length())
    };
    let step = 0.5 * radius;
    let places: BTreeSet<[i64; 3]> = points.iter().map(|&point| cell(point, step)).collect();
    let (mut sum, mut count) = (0.0, 0.0);
    // Cells of half a spacing that contain a point, and their neighbors.
    let beside = |[x, y, z]: [i64; 3]| {
        let range = -1..=1;
        range.flat_map(move |i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])))
    };
    for place in places.into_iter().flat_map(beside).collect::<BTreeSet<_>>() {
        let at = (DVec3::from(place.map(|c| c as f64)) + 0.5) * step;
        let (density, one_sided) = look(at);
        if density > 0.5 && one_sided < 0.3 {
            sum += density;
            count += 1.0;
        }
    }
    if count > 0.0 { count / sum } else { 1.0 }
}

/// Returns the share of the points of both clouds that have a point of the other within `reach` [m].
pub fn overlap(a: &[DVec3], b: &[DVec3], reach: f64) -> f64 {
    let near = |from: &[DVec3], to: &[DVec3]| {
        let cells = Cells::new(to, reach);
        let has = |&&at: &&DVec3| cells.around(at, 1).any(|i| to[i].distance(at) <= reach);
        from.iter().filter(has).count()
    };
    (near(a, b) + near(b, a)) as f64 / (a.len() + b.len()).max(1) as f64
}

/// Returns the intersection over union of the cells of size `edge` [m] that contain points of the clouds.
pub fn intersection_over_union(a: &[DVec3], b: &[DVec3], edge: f64) -> f64 {
    let occupied = |points: &[DVec3]| points.iter().map(|&p| cell(p, edge)).collect::<BTreeSet<_>>();
    let (a, b) = (occupied(a), occupied(b));
    a.intersection(&b).count() as f64 / a.union(&b).count().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(count: i32, at: DVec3) -> Vec<DVec3> {
        let range = 0..count;
        let points =
            range.clone().flat_map(|i| (0..count).flat_map(move |j| (0..count).map(move |k| (i, j, k))));
        points.map(|(i, j, k)| at + DVec3::new(f64::from(i), f64::from(j), f64::from(k))).collect()
    }

    #[test]
    fn a_lattice_has_one_distance() {
        let found = nearest(&lattice(5, DVec3::splat(0.3)), 1.0);
        assert!((found.mean - 1.0).abs() < 1e-12 && found.deviation < 1e-12 && found.min > 0.999);
        let far = nearest(&[DVec3::ZERO, DVec3::X * 50.0, DVec3::X * 52.0], 1.0);
        assert!((far.mean - (50.0 + 2.0 + 2.0) / 3.0).abs() < 1e-12);
        let near = nearest_within(&[DVec3::ZERO, DVec3::X * 50.0, DVec3::X * 52.0], 1.0, 3.0);
        assert!((near.mean - 2.0).abs() < 1e-12 && near.deviation < 1e-12);
    }

    #[test]
    fn shapes_forget_rigid_motion() {
        let points = lattice(4, DVec3::ZERO);
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
        let moved: Vec<DVec3> = points.iter().map(|&p| turn * p + DVec3::new(3.0, -2.0, 7.0)).collect();
        assert!(shape_distance(&points, &moved) < 1e-12);
        // Stretched by a tenth along x: the rms of 0.1 x over x = -1.5, -0.5, 0.5, 1.5; no rotation helps.
        let stretched: Vec<DVec3> = moved.iter().map(|&p| p * DVec3::new(1.1, 1.0, 1.0)).collect();
        let straight: Vec<DVec3> = points.iter().map(|&p| p * DVec3::new(1.1, 1.0, 1.0)).collect();
        assert!((shape_distance(&points, &straight) - 0.1 * 1.25_f64.sqrt()).abs() < 1e-12);
        assert!(shape_distance(&points, &stretched) > 0.05);
        // The mirror image is a different shape, unless the shape is symmetric.
        let corner = [DVec3::ZERO, DVec3::X, DVec3::Y * 2.0, DVec3::Z * 3.0];
        let mirrored = corner.map(|p| p * DVec3::new(-1.0, 1.0, 1.0));
        assert!(shape_distance(&corner, &mirrored) > 0.1);
    }

    /// The kernel integrates to one; summed over a lattice of spacing r it gives
    /// 21 / (16 pi) (1 + 6 W(1) + 12 W(sqrt 2) + 8 W(sqrt 3)) = 1.034 with the shares 0.1875, 0.0282 and 0.0014 of W(0).
    #[test]
    fn a_lattice_has_the_rest_density() {
        let points = lattice(7, DVec3::ZERO);
        let density = kernel_density(&points, &vec![1.0; points.len()], 1.0);
        let middle = density[points.len() / 2];
        assert!((middle - 1.034).abs() < 0.001, "{middle}");
        // A corner has 3, 3 and 1 of these neighbors.
        assert!((density[0] - 0.689).abs() < 0.001, "{}", density[0]);
    }

    #[test]
    fn loose_matter_takes_more_than_its_rest_volume() {
        let points = lattice(7, DVec3::ZERO);
        let tight = bulking(&points, &vec![1.0; points.len()], 1.0);
        assert!((tight - 1.0).abs() < 0.03, "{tight}");
        // The same points, representing a quarter less volume each.
        let loose = bulking(&points, &vec![0.75; points.len()], 1.0);
        assert!((loose - 4.0 / 3.0).abs() < 0.04, "{loose}");
        // Disorder: one point per cell, anywhere around its middle.
        let mut draws = crate::draws::Draws(3);
        let jittered: Vec<DVec3> =
            lattice(12, DVec3::ZERO).iter().map(|&p| p + 0.4 * draws.vector()).collect();
        let jittered = bulking(&jittered, &vec![1.0; 12 * 12 * 12], 1.0);
        assert!((jittered - 1.0).abs() < 0.05, "{jittered}");
    }

    #[test]
    fn clusters_end_at_gaps() {
        let mut points = lattice(3, DVec3::ZERO);
        points.extend(lattice(2, DVec3::splat(10.0)));
        assert_eq!(clusters(&points, 1.5), [27, 8]);
        assert_eq!(clusters(&points, 15.0), [35]);
        assert_eq!(clusters(&points, 0.5).len(), 35);
    }

    #[test]
    fn clouds_apart_have_their_distance() {
        let points = lattice(4, DVec3::ZERO);
        assert_eq!(chamfer(&points, &points, 1.0), 0.0);
        let moved: Vec<DVec3> = points.iter().map(|&p| p + DVec3::X * 0.25).collect();
        assert!((chamfer(&points, &moved, 1.0) - 0.25).abs() < 1e-12);
        assert_eq!(overlap(&points, &moved, 0.3), 1.0);
        assert_eq!(overlap(&points, &moved, 0.2), 0.0);
        // Shifted by one cell, 48 of the 64 + 16 cells are common.
        let beside: Vec<DVec3> = points.iter().map(|&p| p + DVec3::X).collect();
        assert_eq!(intersection_over_union(&points, &beside, 1.0), 48.0 / 80.0);
    }
}
