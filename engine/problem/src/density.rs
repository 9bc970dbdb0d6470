//! Rest density of matter, for the position correction by density and for the volume of flowing matter.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;
use tuff_scene::{Particles, PositionCorrection};

use crate::{Frame, Grid, Pores, Problem, grid_for};

/// `W(d) = 21 / (16 pi r^3) (1 - q/2)^4 (1 + 2 q)`, `q = d / r` in [0, 2] [1/m^3].
///
/// `distance` and `radius` r in [m]; the support is 2 r and the integral over space is 1
/// (Wendland 1995, scaled).
#[inline]
pub fn kernel(distance: f64, radius: f64) -> f64 {
    let q = distance / radius;
    let u = (1.0 - 0.5 * q).max(0.0);
    21.0 / (16.0 * PI * radius.powi(3)) * u.powi(4) * (1.0 + 2.0 * q)
}

/// `-W'(d) / d` of [`kernel`] [1/m^5].
#[inline]
pub fn kernel_slope(distance: f64, radius: f64) -> f64 {
    let u = (1.0 - 0.5 * distance / radius).max(0.0);
    105.0 / (16.0 * PI * radius.powi(5)) * u * u * u
}

/// Returns the density of every body above which the correction acts [dimensionless]: `(1 + threshold) rho0`, shape [body_count];
/// empty if the scene has no correction by density.
///
/// rho0 is the larger of two sums `sum V0 W` with the body's rest volume V0 per particle: the sum in a cubic lattice of cells V0,
/// and the largest sum in the body as sampled, without other bodies. So nothing is pushed in a body at rest, however it is
/// sampled.
pub fn density_limits(problem: &Problem) -> Vec<f64> {
    let PositionCorrection::Density { threshold } = problem.scene.solver.position_correction else {
        return Vec::new();
    };
    let radius = problem.scene.solver.kernel_radius;
    let particles = &problem.particles_at_rest();
    let mut rest = vec![0.0_f64; problem.scene.bodies.len()];
    for (&body, &volume) in std::iter::zip(&particles.body, &particles.rest_volume) {
        let limit = &mut rest[body as usize];
        if !problem.classes.class(body).in_kernels() {
            *limit = f64::INFINITY;
        } else if *limit == 0.0 {
            *limit = lattice_density(volume, radius);
        }
    }
    let all: Vec<usize> = (0..particles.len()).collect();
    let densities = sampled_densities(particles, radius, &all);
    for (density, &body) in std::iter::zip(densities, &particles.body) {
        let limit = &mut rest[body as usize];
        *limit = limit.max(density);
    }
    rest.iter().map(|density| (1.0 + threshold) * density).collect()
}

/// `V0 sum W` in a cubic lattice of cells of `volume` V0 [m^3].
fn lattice_density(volume: f64, radius: f64) -> f64 {
    let edge = volume.cbrt();
    let reach = (2.0 * radius / edge) as i32;
    let axis = || -reach..=reach;
    let points = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
    let distance = |p: [i32; 3]| edge * f64::from(p.iter().map(|c| c * c).sum::<i32>()).sqrt();
    volume * points.map(|p| kernel(distance(p), radius)).sum::<f64>()
}

/// Rest density of disordered matter relative to a cubic lattice, averaged over the denser half: Poisson-disk points have 0.90
/// with a spread of 0.08.
const SCATTERED: f64 = 0.96;

/// Maximum number of particles per body whose densities are computed.
const LOOKED_AT: usize = 8192;

/// Returns the density `sum V0 W` of every body above which matter is packed more densely than at rest [dimensionless], shape
/// [body_count]: the mean of the denser half of the body as sampled, but at least 0.96 of a cubic lattice of cells of its rest
/// volume.
pub fn packing_limits(problem: &Problem) -> Vec<f64> {
    let radius = problem.scene.solver.kernel_radius;
    let particles = &problem.particles_at_rest();
    let mut looked_at = Vec::new();
    let mut first = 0;
    for same in particles.body.chunk_by(|a, b| a == b) {
        looked_at.extend((first..first + same.len()).step_by(same.len().div_ceil(LOOKED_AT)));
        first += same.len();
    }
    let densities = sampled_densities(particles, radius, &looked_at);
    let mut of_body = vec![Vec::new(); problem.scene.bodies.len()];
    for (&p, &density) in looked_at.iter().zip(&densities) {
        of_body[particles.body[p] as usize].push((density, particles.rest_volume[p]));
    }
    let limit = |found: &mut Vec<(f64, f64)>| {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let denser = &found[found.len() / 2..];
        let mean = denser.iter().map(|f| f.0).sum::<f64>() / denser.len().max(1) as f64;
        let scattered = denser.first().map_or(1.0, |f| SCATTERED * lattice_density(f.1, radius));
        mean.max(scattered)
    };
    let packs = |body: u32| problem.classes.class(body).in_kernels();
    (0..)
        .zip(&mut of_body)
        .map(|(body, found)| if packs(body) { limit(found) } else { f64::INFINITY })
        .collect()
}

/// Returns `sum V0 W` over each of the `chosen` particles and the others of its body, at the initial positions.
fn sampled_densities(particles: &Particles, radius: f64, chosen: &[usize]) -> Vec<f64> {
    let near = Near::new(radius, &particles.position);
    let of_body = |p: usize| {
        let body = particles.body[p];
        near.sum(radius, &particles.rest_volume, p, |b| particles.body[b] == body)
    };
    chosen.iter().map(|&p| of_body(p)).collect()
}

/// Returns the density `sum V0 W` of a frame's particles relative to that of their body at `rest` ([`packing_limits`], shape
/// [body_count]) [dimensionless]: 1 inside matter packed as at first, less at surfaces. Fluids in the pores of grains do not count among the
/// grains, and these count among the fluid with the part that it cannot take.
pub fn packing(problem: &Problem, rest: &[f64], frame: &Frame) -> Vec<f32> {
    let position: Vec<DVec3> = frame.position.iter().map(|x| DVec3::from_array(*x)).collect();
    let near = Near::new(problem.scene.solver.kernel_radius, &position);
    let radius = problem.scene.solver.kernel_radius;
    let rest_volume: Vec<f64> = frame.rest_volume.iter().map(|volume| f64::from(*volume)).collect();
    let packing = |p: usize| {
        let among = |fluid: usize, grains: usize| {
            problem.mixtures.find(frame.material[fluid], frame.material[grains])
        };
        let others = near.sum(radius, &rest_volume, p, |b| among(p, b).is_none() && among(b, p).is_none());
        let solid = |pores: &Pores| {
            pores.solid * near.sum(radius, &rest_volume, p, |b| b != p && frame.material[b] == pores.grains)
        };
        let own = problem.mixtures.all().iter().filter(|pores| pores.fluid == frame.material[p]);
        ((others + own.map(solid).sum::<f64>()) / rest[frame.body[p] as usize]) as f32
    };
    (0..position.len()).into_par_iter().map(packing).collect()
}

/// Particles sorted by cell.
pub struct Near<'a> {
    position: &'a [DVec3],
    grid: Grid,
    /// Cell and particle, sorted.
    order: Vec<(u32, usize)>,
    /// Index in `order` of the first particle of each cell, and the end of the last; shape [cell_count + 1].
    first: Vec<usize>,
}

impl<'a> Near<'a> {
    /// Sorts particles at `position` [m] for sums within 2 `radius` [m].
    pub fn new(radius: f64, position: &'a [DVec3]) -> Self {
        let far = |by: fn(DVec3, DVec3) -> DVec3| {
            position.iter().copied().reduce(by).unwrap_or_default().to_array()
        };
        let grid = grid_for(far(DVec3::min), far(DVec3::max), radius, position.len());
        let cell = |x: &DVec3| grid.index(grid.coordinates(x.as_vec3().to_array()));
        let mut order: Vec<_> = position.iter().enumerate().map(|(p, x)| (cell(x), p)).collect();
        order.sort_unstable();
        let first = (0..=grid.cell_count()).map(|cell| order.partition_point(|o| o.0 < cell)).collect();
        Self { position, grid, order, first }
    }

    /// Returns the particles in the cells around p, itself included.
    pub fn around(&self, p: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.grid.coordinates(self.position[p].as_vec3().to_array());
        let cells =
            (0..27).map(move |i| self.grid.index([x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]) as usize);
        cells.flat_map(|cell| &self.order[self.first[cell]..self.first[cell + 1]]).map(|o| o.1)
    }

    /// Returns `sum V0 W` over the particles near p, itself included, that `counted` accepts.
    pub(crate) fn sum(
        &self,
        radius: f64,
        rest_volume: &[f64],
        p: usize,
        counted: impl Fn(usize) -> bool,
    ) -> f64 {
        let near = self.around(p).filter(|&b| counted(b));
        near.map(|b| rest_volume[b] * kernel(self.position[b].distance(self.position[p]), radius)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fine_lattice_has_the_density_one() {
        // The sum approaches the kernel's integral.
        assert!((lattice_density(0.2_f64.powi(3), 1.0) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_lattice_at_the_kernel_radius_is_summed_shell_by_shell() {
        // W(0) and the shells at r, sqrt(2) r and sqrt(3) r of 6, 12 and 8 neighbors; the next is at 2 r.
        let shell = |q: f64| (1.0 - 0.5 * q).powi(4) * (1.0 + 2.0 * q);
        let sum = 1.0 + 6.0 * shell(1.0) + 12.0 * shell(2.0_f64.sqrt()) + 8.0 * shell(3.0_f64.sqrt());
        assert!((lattice_density(1e-6, 0.01) - 21.0 / (16.0 * PI) * sum).abs() < 1e-12);
    }
}
