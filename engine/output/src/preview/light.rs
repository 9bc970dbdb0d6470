//! Sun shadows and sky light, from depth maps of the particles.
//!
//! The sky is a set of directions; a point sees a direction if no particle stands higher in the depth map drawn from there. The
//! mean over the directions is soft occlusion that does not depend on the camera, and the mean of the visible directions is a
//! smooth surface normal.

use glam::Vec3;
use rayon::prelude::*;

/// Number of directions over the upper hemisphere.
const SKY_DIRECTIONS: usize = 36;
/// Edge of a sky map [texels].
const SKY_SIZE: usize = 176;
/// Edge of the sun map [texels].
const SUN_SIZE: usize = 1024;

/// Offset from a solid's surface of the point at which its light is looked up [texels]: otherwise a map seen at a grazing angle
/// would make the surface shade itself. Planes are in no map.
const LIFT: f32 = 1.6;
/// Same offset for the sun, whose filter covers more texels.
const SUN_LIFT: f32 = 2.4;

/// Offsets of a filter over 4 x 4 texels [texels].
const BOX_FILTER: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// Same filter for the four samples of a pixel, two offsets each.
const SAMPLE_FILTER: [[[f32; 2]; 2]; 4] = [
    [[-1.3, -0.4], [0.4, 1.3]],
    [[1.3, 0.4], [-0.4, -1.3]],
    [[-0.6, 0.6], [1.2, -1.2]],
    [[0.6, -0.6], [-1.2, 1.2]],
];

/// Light that reaches points among and around the particles. All positions are local [m].
pub(crate) struct Light {
    /// Unit vector to the sun.
    pub sun_direction: Vec3,
    up: Vec3,
    sun: DepthMap,
    sky: Vec<DepthMap>,
    grain: f32,
}

/// Sky light at a point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sky {
    /// Visible fraction of the sky [dimensionless].
    pub visible: f32,
    /// Mean of the visible directions, not normalized; points out of the matter.
    pub open: Vec3,
}

impl Light {
    /// Draws the maps of the `casters`, spheres as (center, radius); those farther than `reach` from the origin cast no shadow.
    /// `grain` is the radius of a particle.
    pub fn new(casters: &[(Vec3, f32)], grain: f32, reach: f32, up: Vec3, sun_direction: Vec3) -> Self {
        let near = |p: &Vec3| p.is_finite() && p.abs().max_element() <= reach;
        let centers = || casters.iter().map(|c| c.0).filter(|p| near(p));
        let low = centers().reduce(Vec3::min).unwrap_or(Vec3::ZERO);
        let high = centers().reduce(Vec3::max).unwrap_or(Vec3::ZERO);
        let center = 0.5 * (low + high);
        let extent = 0.5 * (high - low).length() + 2.0 * grain.max(1e-6);
        let draw = |direction: Vec3, size: usize| {
            let mut map = DepthMap::new(direction, center, extent, size);
            for &(p, r) in casters {
                if near(&p) {
                    map.splat(p, r);
                }
            }
            map
        };
        let directions: Vec<Vec3> = sky_directions(up);
        let mut maps: Vec<DepthMap> = (0..=SKY_DIRECTIONS)
            .into_par_iter()
            .map(|i| if i == 0 { draw(sun_direction, SUN_SIZE) } else { draw(directions[i - 1], SKY_SIZE) })
            .collect();
        let sky = maps.split_off(1);
        Self { sun_direction, up, sun: maps.remove(0), sky, grain }
    }

    /// Returns the fraction of the sun's disc that a particle at `point` sees [dimensionless].
    pub fn sun(&self, point: Vec3) -> f32 {
        1.0 - self.sun.occlusion_filtered(point, &BOX_FILTER, 1.2 * self.grain, 0.8 * self.grain)
    }

    /// Returns the fraction of the sun's disc that a sample of a solid's surface with normal `normal` sees.
    pub fn sun_on_solid(&self, point: Vec3, normal: Vec3, sample: usize) -> f32 {
        self.sun_on_surface(point + normal * (SUN_LIFT / self.sun.texels_per_meter), sample)
    }

    /// Returns the fraction of the sun's disc that a sample of a surface sees; four consecutive samples together make a smooth
    /// edge.
    pub fn sun_on_surface(&self, point: Vec3, sample: usize) -> f32 {
        let offsets = &SAMPLE_FILTER[sample % SAMPLE_FILTER.len()];
        1.0 - self.sun.occlusion_filtered(point, offsets, 0.1 * self.grain, 0.5 * self.grain)
    }

    /// Returns the sky light at `point`.
    pub fn sky(&self, point: Vec3) -> Sky {
        let mut sky = Sky::default();
        for map in &self.sky {
            let seen = 1.0 - map.occlusion(point, 1.5 * self.grain, 2.5 * self.grain);
            sky.visible += seen;
            sky.open += seen * map.direction;
        }
        let scale = 1.0 / self.sky.len() as f32;
        Sky { visible: sky.visible * scale, open: sky.open * scale }
    }

    /// Returns the cosine-weighted fraction of the sky that the surface of a solid with normal `normal` at `point` sees.
    pub fn sky_on_solid(&self, point: Vec3, normal: Vec3) -> f32 {
        self.sky_from(point, normal, LIFT)
    }

    /// Returns the cosine-weighted fraction of the sky that a surface with normal `normal` at `point` sees.
    pub fn sky_on_surface(&self, point: Vec3, normal: Vec3) -> f32 {
        self.sky_from(point, normal, 0.0)
    }

    /// Returns the same from a point `lift` texels above the surface.
    fn sky_from(&self, point: Vec3, normal: Vec3, lift: f32) -> f32 {
        let (mut seen, mut total) = (0.0, 1e-6);
        for map in &self.sky {
            let weight = normal.dot(map.direction).max(0.0);
            total += weight;
            if weight > 0.0 {
                let lifted = point + normal * (lift / map.texels_per_meter);
                seen += weight * (1.0 - map.occlusion(lifted, 0.3 * self.grain, 1.5 * self.grain));
            }
        }
        seen / total * (0.6 + 0.4 * normal.dot(self.up))
    }
}

/// Returns directions spread evenly over the upper hemisphere (a Fibonacci spiral).
fn sky_directions(up: Vec3) -> Vec<Vec3> {
    let (a, b) = up.any_orthonormal_pair();
    let golden = std::f32::consts::PI * (3.0 - 5.0_f32.sqrt());
    (0..SKY_DIRECTIONS)
        .map(|i| {
            let height = (i as f32 + 0.5) / SKY_DIRECTIONS as f32;
            let (sin, cos) = (golden * i as f32).sin_cos();
            (1.0 - height * height).sqrt() * (cos * a + sin * b) + height * up
        })
        .collect()
}

/// Heights of spheres along one direction, in parallel projection.
struct DepthMap {
    direction: Vec3,
    axes: [Vec3; 2],
    center: Vec3,
    texels_per_meter: f32,
    size: usize,
    height: Vec<f32>,
}

impl DepthMap {
    fn new(direction: Vec3, center: Vec3, extent: f32, size: usize) -> Self {
        let (a, b) = direction.any_orthonormal_pair();
        // Two texels of margin keep the filter inside the map.
        let texels_per_meter = (0.5 * size as f32 - 2.0) / extent;
        let height = vec![f32::NEG_INFINITY; size * size];
        Self { direction, axes: [a, b], center, texels_per_meter, size, height }
    }

    /// Returns texel coordinates (texel centers at half integers) and height of a point.
    fn locate(&self, point: Vec3) -> [f32; 3] {
        let d = point - self.center;
        let [u, v] = self.axes.map(|axis| 0.5 * self.size as f32 + self.texels_per_meter * axis.dot(d));
        [u, v, self.direction.dot(d)]
    }

    fn splat(&mut self, point: Vec3, radius: f32) {
        let [u, v, height] = self.locate(point);
        let texels = (radius * self.texels_per_meter).max(0.71);
        let range = |c: f32| {
            let last = self.size as f32;
            ((c - texels - 0.5).ceil().clamp(0.0, last)) as usize
                ..((c + texels + 0.5).floor().clamp(0.0, last)) as usize
        };
        for y in range(v) {
            for x in range(u) {
                let (a, b) = ((x as f32 + 0.5 - u) / texels, (y as f32 + 0.5 - v) / texels);
                let inside = 1.0 - a * a - b * b;
                if inside >= 0.0 {
                    let texel = &mut self.height[y * self.size + x];
                    *texel = texel.max(height + radius * inside);
                }
            }
        }
    }

    /// Returns 0 if nothing stands more than `bias` above the point, 1 if something stands `soft` higher than that; bilinear
    /// between texels.
    fn occlusion(&self, point: Vec3, bias: f32, soft: f32) -> f32 {
        let [u, v, height] = self.locate(point);
        self.bilinear(u, v, height + bias, soft)
    }

    /// Averages [`Self::occlusion`] over some offsets [texels].
    fn occlusion_filtered(&self, point: Vec3, offsets: &[[f32; 2]], bias: f32, soft: f32) -> f32 {
        let [u, v, height] = self.locate(point);
        let sum: f32 = offsets.iter().map(|[x, y]| self.bilinear(u + x, v + y, height + bias, soft)).sum();
        sum / offsets.len() as f32
    }

    fn bilinear(&self, u: f32, v: f32, level: f32, soft: f32) -> f32 {
        let (u, v) = (u - 0.5, v - 0.5);
        let last = (self.size - 1) as f32;
        if !(u >= 0.0 && v >= 0.0 && u < last && v < last) {
            return 0.0;
        }
        let (x, y) = (u as usize, v as usize);
        let (fx, fy) = (u - x as f32, v - y as f32);
        let at = |x: usize, y: usize| ((self.height[y * self.size + x] - level) / soft).clamp(0.0, 1.0);
        let top = at(x, y) * (1.0 - fx) + at(x + 1, y) * fx;
        let bottom = at(x, y + 1) * (1.0 - fx) + at(x + 1, y + 1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solid square slab of particles at height 0, 1 m wide.
    fn slab() -> Vec<(Vec3, f32)> {
        (0..10_000)
            .map(|i| (Vec3::new((i % 100) as f32 * 0.01 - 0.5, 0.0, (i / 100) as f32 * 0.01 - 0.5), 0.006))
            .collect()
    }

    #[test]
    fn a_slab_shades_what_is_below_and_not_what_is_above_or_aside() {
        let slab = slab();
        let light = Light::new(&slab, 0.006, 10.0, Vec3::Y, Vec3::Y);
        assert_eq!(light.sun(Vec3::new(0.0, -0.2, 0.0)), 0.0);
        assert_eq!(light.sun(Vec3::new(0.0, 0.2, 0.0)), 1.0);
        assert_eq!(light.sun(Vec3::new(0.8, -0.2, 0.0)), 1.0);
        assert_eq!(light.sky(Vec3::new(0.0, 0.1, 0.0)).visible, 1.0);
        let top = light.sky(slab[5050].0);
        assert!(top.visible > 0.7 && top.open.normalize().y > 0.98, "{} {}", top.visible, top.open);
        // Below the middle, elevations up to atan(0.1) (sides) and atan(0.07) (corners) are open.
        let below = light.sky(Vec3::new(0.0, -0.05, 0.0)).visible;
        assert!((0.05..0.13).contains(&below), "{below}");
        let edge = light.sky_on_surface(Vec3::new(0.5, -0.02, 0.0), Vec3::Y);
        assert!((0.3..0.7).contains(&edge), "half of the sky at the edge of a slab: {edge}");
    }
}
