//! Particles as spheres in a depth buffer, cloth as triangles.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;

use super::sheet::{self, Fragment};
use super::view::{View, samples};

/// Rows per band; bands are drawn in parallel.
const BAND: usize = 32;
/// Value of a pixel without a particle.
pub(crate) const NO_PARTICLE: u32 = u32::MAX;
/// Smallest drawn radius [pixels], so that no particle falls between pixel centers.
const MIN_RADIUS: f32 = 0.71;

/// Particles visible at every pixel, without colliders.
pub(crate) struct Splats {
    /// Depth along the view [m], shape [height, width].
    pub depth: Vec<f32>,
    /// Particle index, shape [height, width].
    pub particle: Vec<u32>,
    projected: Vec<Disc>,
    /// What samples show of cloth, shape [height, width]; empty without cloth.
    cloth: Vec<Fragment>,
}

#[derive(Clone, Copy)]
struct Disc {
    x: f32,
    y: f32,
    z: f32,
    pixels: f32,
}

impl Splats {
    /// Draws spheres at local `position` [m] with `radius` [m], those of radius 0 not at all, and triangles between them. At equal depths
    /// the lower id wins, so the picture does not depend on threads.
    pub fn draw(view: &View, position: &[Vec3], radius: &[f32], triangles: &[[u32; 3]]) -> Self {
        let [width, height] = view.size;
        let projected: Vec<Disc> = (position, radius)
            .into_par_iter()
            .map(|(&p, &r)| match view.project(p) {
                Some(s) if s.is_finite() && r > 0.0 => {
                    Disc { x: s.x, y: s.y, z: s.z, pixels: (r * view.focal / s.z).max(MIN_RADIUS) }
                }
                _ => Disc { x: 0.0, y: 0.0, z: -1.0, pixels: 0.0 },
            })
            .collect();

        let mut bands: Vec<Vec<u32>> = vec![Vec::new(); height.div_ceil(BAND)];
        for (id, disc) in projected.iter().enumerate() {
            let outside = disc.x + disc.pixels < 0.0 || disc.x - disc.pixels > width as f32;
            if disc.z <= 0.0 || outside || disc.y + disc.pixels < 0.0 || disc.y - disc.pixels >= height as f32
            {
                continue;
            }
            let first = ((disc.y - disc.pixels).max(0.0) as usize) / BAND;
            let last = ((disc.y + disc.pixels) as usize / BAND).min(bands.len() - 1);
            for band in &mut bands[first..=last] {
                band.push(id as u32);
            }
        }

        let mut depth = vec![f32::INFINITY; width * height];
        let mut particle = vec![NO_PARTICLE; width * height];
        let rows = BAND * width;
        depth.par_chunks_mut(rows).zip(particle.par_chunks_mut(rows)).zip(&bands).enumerate().for_each(
            |(band, ((depth, particle), ids))| {
                for &id in ids {
                    let radius = radius[id as usize];
                    draw_disc(&projected[id as usize], id, radius, band * BAND, width, depth, particle);
                }
            },
        );
        let cloth = sheet::draw(view, position, triangles, BAND);
        for (fragment, (depth, particle)) in std::iter::zip(&cloth, std::iter::zip(&mut depth, &mut particle))
        {
            if fragment.depth < *depth {
                (*depth, *particle) = (fragment.depth, fragment.particle);
            }
        }
        Self { depth, particle, projected, cloth }
    }

    /// Returns the cloth that is visible at a pixel.
    pub fn cloth(&self, pixel: usize) -> Option<&Fragment> {
        self.cloth
            .get(pixel)
            .filter(|fragment| fragment.depth.is_finite() && fragment.depth <= self.depth[pixel])
    }

    /// Returns the outward normal of the sphere of `id` at the center of a pixel.
    pub fn normal(&self, view: &View, id: u32, x: usize, y: usize) -> Vec3 {
        let disc = &self.projected[id as usize];
        let a = (x as f32 + 0.5 - disc.x) / disc.pixels;
        let b = (y as f32 + 0.5 - disc.y) / disc.pixels;
        let depth = (1.0 - a * a - b * b).max(0.0).sqrt();
        (view.right * a - view.up * b - view.forward * depth).normalize_or(-view.forward)
    }
}

fn draw_disc(
    disc: &Disc,
    id: u32,
    radius: f32,
    first_row: usize,
    width: usize,
    depth: &mut [f32],
    particle: &mut [u32],
) {
    let rows = depth.len() / width;
    let around = |c: f32, within: Range<usize>| samples(c - disc.pixels, c + disc.pixels, within);
    for y in around(disc.y, first_row..first_row + rows) {
        let b = (y as f32 + 0.5 - disc.y) / disc.pixels;
        for x in around(disc.x, 0..width) {
            let a = (x as f32 + 0.5 - disc.x) / disc.pixels;
            let inside = 1.0 - a * a - b * b;
            if inside < 0.0 {
                continue;
            }
            let z = disc.z - radius * inside.sqrt();
            let pixel = (y - first_row) * width + x;
            if z < depth[pixel] {
                depth[pixel] = z;
                particle[pixel] = id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn a_sphere_covers_its_disc_and_the_nearer_one_wins() {
        let view =
            View::new(DVec3::new(0.0, 0.0, 10.0), DVec3::ZERO, 40.0, DVec3::Y, DVec3::ZERO, [200, 100]);
        let position = [Vec3::ZERO, Vec3::Z, -2.0 * Vec3::Z, Vec3::NAN, 20.0 * Vec3::Z];
        let splats = Splats::draw(&view, &position, &[1.0, 0.2, 0.2, 1.0, 1.0], &[]);
        let pixels = view.focal / 10.0;
        let covered = splats.particle.iter().filter(|&&id| id != NO_PARTICLE).count() as f32;
        assert!((covered / (std::f32::consts::PI * pixels * pixels) - 1.0).abs() < 0.05, "{covered}");
        assert_eq!(splats.particle[50 * 200 + 100], 1);
        assert!((splats.depth[50 * 200 + 100] - 8.8).abs() < 0.01);
        assert!(
            splats.particle.iter().all(|&id| ![2, 3, 4].contains(&id)),
            "hidden, not finite, behind the eye"
        );
        assert!(splats.normal(&view, 0, 100, 50).dot(Vec3::Z) > 0.99);
        assert!(splats.normal(&view, 0, 100, 50 - pixels as usize + 1).y > 0.8);
    }
}
