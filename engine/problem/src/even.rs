//! Points of a fluid that are spread evenly: of random points some would start under pressure and throw the fluid apart.

use glam::DVec3;
use rayon::prelude::*;
use tuff_scene::{Body, Collider, Friction, Geometry, Motion, Sampling, contact_radius};

use crate::density::{Near, kernel, kernel_slope};
use crate::face::{faces, has_pieces};
use crate::fluid::{beyond_wall, lattice_sum};

/// Rounds of spreading.
const ROUNDS: u32 = 60;

/// Fraction of its correction that a point moves in a round, as its neighbors move as well.
const RELAXATION: f64 = 0.5;

/// Longest way of a point in a round [kernel radii].
const LONGEST: f64 = 0.1;

/// Added to the squares of gradients of the density, relative to what they are inside of a fluid: points with few neighbors do not jump.
const SOFTENING: f64 = 0.5;

/// Points of a fluid body.
struct Points {
    /// Walls of its shape.
    walls: Vec<Collider>,
    /// Volume of each [m^3].
    volume: f64,
    /// Kernel radius [m].
    radius: f64,
}

impl Points {
    fn of(body: &Body, count: usize, radius: f64) -> Self {
        let vessel = Collider {
            name: String::new(),
            shape: body.shape.clone(),
            inside: true,
            sheet: false,
            thickness: 0.0,
            friction: Friction::Coulomb(0.0),
            adhesion: 0.0,
            motion: Motion::IDENTITY,
        };
        let whole = has_pieces(&vessel) || matches!(body.shape.geometry, Geometry::Mesh(_));
        let walls = if whole {
            vec![vessel]
        } else {
            faces(&[vessel]).into_iter().map(|face| face.surface).collect()
        };
        Self { walls, volume: body.shape.volume() / count as f64, radius }
    }

    /// Returns `V sum W` at every point, and what of its kernel lies beyond the surface of the shape.
    fn densities(&self, points: &[DVec3], near: &Near<'_>) -> Vec<[f64; 2]> {
        let density = |p: usize| {
            let sum: f64 = near.around(p).map(|b| kernel(points[b].distance(points[p]), self.radius)).sum();
            let free = |wall: &Collider| 1.0 - beyond_wall(depth(wall, points[p]), self.radius);
            [self.volume * sum, 1.0 - self.walls.iter().map(free).product::<f64>()]
        };
        (0..points.len()).into_par_iter().map(density).collect()
    }
}

/// Returns how far a point is from a wall, on the side of the matter [m].
fn depth(wall: &Collider, x: DVec3) -> f64 {
    let distance = wall.shape.signed_distance(x);
    if wall.inside { -distance } else { distance }
}

/// Points of which less than this fraction of the kernel lies beyond the surface are inside.
const INSIDE: f64 = 1e-3;

/// Least fraction of the points that must be inside for their mean to stand for the body.
const ENOUGH: f64 = 0.1;

/// Returns the mean of V sum W over the points inside; of a body without an inside that of all, with what lies beyond the surface counted
/// as filled.
fn mean(densities: &[[f64; 2]]) -> f64 {
    let over = |densities: &[[f64; 2]]| {
        let [sum, beyond] = densities.iter().fold([0.0, 0.0], |[s, w], [sum, beyond]| [s + sum, w + beyond]);
        let count = densities.len() as f64;
        sum / (count - beyond).max(0.1 * count)
    };
    let inside: Vec<[f64; 2]> = densities.iter().copied().filter(|[_, beyond]| *beyond < INSIDE).collect();
    let enough = inside.len() as f64 >= ENOUGH * densities.len() as f64;
    over(if enough { &inside } else { densities })
}

/// Moves randomly sampled `points` [m] of a body until their densities are about equal, all beyond its surface counted as filled
/// (position-based, Macklin and Mueller 2013): as a fluid would settle in a closed vessel of the shape. `radius` is that of the kernel
/// [m]. Points of lattices and files stay where they are.
pub fn evened(body: &Body, points: Vec<DVec3>, radius: f64) -> Vec<DVec3> {
    if points.is_empty() || matches!(body.sampling, Sampling::Lattice { .. }) {
        return points;
    }
    let of = Points::of(body, points.len(), radius);
    let volume = of.volume;
    let least = contact_radius(volume);
    let steepest = (volume * kernel_slope(0.5 * radius, radius) * radius).powi(2);
    // With the mean of the points in its place nothing would keep them from pairing.
    let rest = lattice_sum(volume, radius);
    let mut points = points;
    for _ in 0..ROUNDS {
        let near = Near::new(radius, &points);
        let densities = of.densities(&points, &near);
        let slope = |p: usize, b: usize| {
            let apart = points[b] - points[p];
            volume * kernel_slope(apart.length(), radius) * apart
        };
        let multiplier = |p: usize| {
            let (own, squares) = near.around(p).fold((DVec3::ZERO, 0.0), |(own, squares), b| {
                let slope = slope(p, b);
                (own + slope, squares + slope.length_squared())
            });
            let [sum, beyond] = densities[p];
            let excess = sum / rest + beyond - 1.0;
            rest * excess / (own.length_squared() + squares + SOFTENING * steepest)
        };
        let multipliers: Vec<f64> = (0..points.len()).into_par_iter().map(multiplier).collect();
        let moved = |p: usize| {
            let away: DVec3 = near.around(p).map(|b| (multipliers[p] + multipliers[b]) * slope(p, b)).sum();
            let there = points[p] - (RELAXATION * away).clamp_length_max(LONGEST * radius);
            of.walls.iter().fold(there, |there, wall| {
                let lacking = (least - depth(wall, there)).max(0.0);
                let inward = if wall.inside { -1.0 } else { 1.0 };
                if lacking > 0.0 { there + inward * lacking * wall.shape.normal(there) } else { there }
            })
        };
        points = (0..points.len()).into_par_iter().map(moved).collect();
    }
    points
}

/// Returns the mean of `V sum W` over points of a body [dimensionless].
pub fn mean_density(body: &Body, points: &[DVec3], radius: f64) -> f64 {
    let of = Points::of(body, points.len(), radius);
    mean(&of.densities(points, &Near::new(radius, points)))
}
