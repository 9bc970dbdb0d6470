//! Bodies given as points, for surfaces that a lattice would turn into stairs.

use std::f64::consts::PI;

use glam::DVec3;
use tuff_problem::Problem;
use tuff_scene::Particles;

/// Points with the volumes that they represent [m, m^3].
pub type Points = Vec<(DVec3, f64)>;

/// Replaces the matter of a problem by `points`, all at rest, as its first body.
pub fn replace(problem: &mut Problem, points: &Points) {
    let count = points.len();
    let density = problem.materials[0].density;
    problem.mass = points.iter().map(|(_, volume)| density * volume).collect();
    problem.particles = Particles {
        id: (0..count as u32).collect(),
        position: points.iter().map(|(at, _)| *at).collect(),
        velocity: vec![DVec3::ZERO; count],
        rest_volume: points.iter().map(|(_, volume)| *volume).collect(),
        material: vec![0; count],
        body: vec![0; count],
        pin: vec![u32::MAX; count],
    };
}

/// Builds a ball around the origin from shells, each a Fibonacci lattice around the x axis.
pub fn ball(radius: f64, shells: u32) -> Points {
    let spacing = radius / f64::from(shells);
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let mut points = Vec::new();
    for shell in 0..shells {
        let (inner, outer) = (spacing * f64::from(shell), spacing * f64::from(shell + 1));
        let volume = 4.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3));
        let count = (volume / spacing.powi(3)).round();
        for i in 0..count as u32 {
            let x = 1.0 - (2.0 * f64::from(i) + 1.0) / count;
            let (sine, cosine) = (golden * f64::from(i)).sin_cos();
            let across = (1.0 - x * x).sqrt();
            let at = DVec3::new(x, across * cosine, across * sine) * 0.5 * (inner + outer);
            points.push((at, volume / count));
        }
    }
    points
}

/// Builds a disk around the z axis between z = 0 and `thickness`: a square lattice mapped to the circle,
/// `(x sqrt(1 - y^2 / 2), y sqrt(1 - x^2 / 2))`, which is regular except at its four corners.
pub fn disk(radius: f64, across: u32, thickness: f64, layers: u32) -> Points {
    let height = thickness / f64::from(layers);
    let middle = |i: u32| (2.0 * f64::from(i) + 1.0) / f64::from(across) - 1.0;
    let mut points = Vec::new();
    for (i, j, k) in
        (0..across).flat_map(|i| (0..across).flat_map(move |j| (0..layers).map(move |k| (i, j, k))))
    {
        let (x, y) = (middle(i), middle(j));
        let (across_x, across_y) = ((1.0 - 0.5 * y * y).sqrt(), (1.0 - 0.5 * x * x).sqrt());
        let stretch = across_x * across_y - 0.25 * x * x * y * y / (across_x * across_y);
        let at = DVec3::new(radius * x * across_x, radius * y * across_y, height * (f64::from(k) + 0.5));
        points.push((at, stretch));
    }
    let unit = PI * radius * radius * thickness / points.iter().map(|(_, stretch)| stretch).sum::<f64>();
    points.iter_mut().for_each(|(_, volume)| *volume *= unit);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_and_extents_are_those_of_the_bodies() {
        let of = |points: &Points| points.iter().map(|(_, volume)| volume).sum::<f64>();
        let (round, flat) = (ball(0.5, 8), disk(0.5, 10, 0.1, 2));
        assert!((of(&round) - PI / 6.0).abs() < 1e-12);
        assert!((of(&flat) - 0.025 * PI).abs() < 1e-12);
        let farthest = round.iter().map(|(at, _)| at.length()).fold(0.0, f64::max);
        assert!((farthest - 0.5 * (1.0 - 1.0 / 16.0)).abs() < 1e-12);
    }
}
