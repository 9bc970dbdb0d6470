//! Bodies given as points, for surfaces that a lattice would make stairs of.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use tuff_problem::Problem;
use tuff_scene::Particles;

/// Points with the volumes that they stand for [m, m^3].
pub type Points = Vec<(DVec3, f64)>;

/// Makes `points`, all at rest, the first body of a problem and its only matter.
pub fn replace(problem: &mut Problem, points: &Points) {
    let count = points.len();
    let density = problem.materials[0].density;
    problem.mass = points.iter().map(|(_, volume)| density * volume).collect();
    problem.particles = Particles {
        position: points.iter().map(|(at, _)| *at).collect(),
        velocity: vec![DVec3::ZERO; count],
        rest_volume: points.iter().map(|(_, volume)| *volume).collect(),
        material: vec![0; count],
        body: vec![0; count],
        pin: vec![u32::MAX; count],
    };
}

/// A ball about the origin in shells, each a Fibonacci lattice about the x axis.
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

/// A disk about the z axis in rings, between z = 0 and `thickness`.
pub fn disk(radius: f64, rings: u32, thickness: f64, layers: u32) -> Points {
    let spacing = radius / f64::from(rings);
    let height = thickness / f64::from(layers);
    let mut points = Vec::new();
    for ring in 0..rings {
        let (inner, outer) = (spacing * f64::from(ring), spacing * f64::from(ring + 1));
        let area = PI * (outer * outer - inner * inner);
        // Symmetric about both axes of the plane.
        let count = 4.0 * (0.25 * area / (spacing * spacing)).round().max(1.0);
        for i in 0..count as u32 {
            let (sine, cosine) = (TAU * (f64::from(i) + 0.5) / count).sin_cos();
            for layer in 0..layers {
                let z = height * (f64::from(layer) + 0.5);
                let at = DVec3::new(cosine, sine, 0.0) * 0.5 * (inner + outer) + DVec3::Z * z;
                points.push((at, area * height / count));
            }
        }
    }
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
