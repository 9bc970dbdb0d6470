//! Color of a sample from the surfaces that its ray meets.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::color::linear;
use super::light::{Light, Sky};
use super::surface::{Hit, Plane};
use super::view::View;

const SUN: Vec3 = Vec3::new(1.16, 1.06, 0.92);
const SKY: Vec3 = Vec3::new(0.46, 0.51, 0.58);
/// Light that the surroundings reflect into shadows.
const BOUNCE: Vec3 = Vec3::new(0.13, 0.12, 0.105);
/// Height above cloth at which its light is looked up, in radii of the spheres as which it casts shadows: outside of them.
const CLOTH_LIFT: f32 = 1.2;
/// Weight of the matter's surface in a particle's normal; the rest is the normal of its own sphere.
const SURFACE_PART: f32 = 0.55;
/// Transparency of a fully faded solid.
const SEEN_THROUGH: f32 = 0.75;
/// Opacity of the line along an edge of a container.
const EDGE_COVER: f32 = 0.75;
/// Number of texels along an edge of a plane's map of sky light.
const GROUND_TEXELS: usize = 112;

/// Shades the samples of one frame.
pub(crate) struct Shader<'a> {
    view: &'a View,
    /// The light of the frame.
    pub light: &'a Light,
    up: Vec3,
    reach: f32,
    grid: f64,
    planes: Vec<(Plane, GroundLight)>,
    /// Fading of each collider, from 0 to 1.
    pub fade: Vec<f32>,
    colors: Colors,
}

struct Colors {
    horizon: Vec3,
    zenith: Vec3,
    ground: Vec3,
    solid: Vec3,
    glass: Vec3,
    edge: Vec3,
}

impl<'a> Shader<'a> {
    /// Creates a shader. `reach` [m] is the radius of the relevant part of the scene around the view's origin. No collider is faded yet.
    pub fn new(view: &'a View, light: &'a Light, up: Vec3, reach: f32, planes: Vec<Plane>) -> Self {
        let planes = planes.into_iter().map(|p| (p, GroundLight::new(&p, light, 1.5 * reach))).collect();
        let colors = Colors {
            horizon: linear(0xe4_e8_ec),
            zenith: linear(0xa9_bb_cd),
            ground: linear(0xc2_c0_bc),
            solid: linear(0x9a_9d_a3),
            glass: linear(0xc8_dc_e6),
            edge: linear(0x5d_7a_8c),
        };
        Self {
            view,
            light,
            up,
            reach,
            grid: nice_spacing(f64::from(0.25 * reach)),
            planes,
            fade: Vec::new(),
            colors,
        }
    }

    /// Returns the light from a particle with the sphere normal `normal`.
    pub fn particle(&self, albedo: Vec3, normal: Vec3, sun: f32, sky: Sky) -> Vec3 {
        let surface = sky.open.normalize_or(normal);
        let normal = normal.lerp(surface, SURFACE_PART).normalize_or(normal);
        let facing = normal.dot(self.light.sun_direction).max(0.0);
        let dome = sky.visible * (0.75 + 0.25 * normal.dot(self.up));
        let bounce = 0.4 + 0.6 * sky.visible + 0.8 * (-normal.dot(self.up)).max(0.0);
        albedo * (SUN * (facing * sun) + SKY * dome + BOUNCE * bounce)
    }

    /// Returns the light along `ray`, given the number of the sample in its pixel, the light from the nearest particle with its
    /// depth [m], and the colliders that the ray meets, nearest first.
    pub fn sample(&self, ray: Vec3, sample: usize, particle: Option<(f32, Vec3)>, hits: [&[Hit]; 2]) -> Vec3 {
        let (mut depth, mut color) = particle.unwrap_or((f32::INFINITY, Vec3::NAN));
        let mut ground = None;
        for plane in &self.planes {
            if let Some(d) = plane.0.depth(self.view, ray).filter(|&d| d < depth) {
                (depth, ground) = (d, Some(plane));
            }
        }
        let mut solid = None;
        for hit in hits.into_iter().flatten().filter(|h| !self.is_pane(h)) {
            if hit.depth < depth {
                (depth, solid) = (hit.depth, Some(hit));
            }
        }
        if let Some(hit) = solid {
            color = self.solid(ray, sample, hit);
        } else if let Some((plane, light)) = ground {
            color = self.ground(ray, sample, depth, plane, light);
        } else if depth == f32::INFINITY {
            color = self.background(ray);
        }
        // The panes in front, from back to front; the two lists are ordered and short.
        let pane = |hit: &&Hit| self.is_pane(hit) && hit.depth < depth;
        if hits.into_iter().flatten().any(|hit| pane(&hit)) {
            let mut layers: Vec<&Hit> = hits.into_iter().flatten().filter(pane).collect();
            layers.sort_by(|a, b| b.depth.total_cmp(&a.depth));
            for hit in layers {
                color = if hit.glass {
                    self.glass(ray, hit, color)
                } else {
                    self.solid(ray, sample, hit).lerp(color, SEEN_THROUGH * self.fade[hit.collider as usize])
                };
            }
        }
        color
    }

    /// Returns true if something behind the hit shows through.
    fn is_pane(&self, hit: &Hit) -> bool {
        hit.glass || self.fade[hit.collider as usize] > 0.0
    }

    fn background(&self, ray: Vec3) -> Vec3 {
        let height = (ray.normalize().dot(self.up) * 2.2).clamp(0.0, 1.0);
        self.colors.horizon.lerp(self.colors.zenith, height * height * (3.0 - 2.0 * height))
    }

    fn ground(&self, ray: Vec3, sample: usize, depth: f32, plane: &Plane, light: &GroundLight) -> Vec3 {
        let point = self.view.eye + ray * depth;
        let unit = ray.normalize();
        let footprint = depth / self.view.focal / (-unit.dot(plane.normal)).max(0.03);
        let albedo = self.colors.ground * self.grid_shade(plane, point, footprint);
        let facing = plane.normal.dot(self.light.sun_direction).max(0.0);
        let sun = if facing > 0.0 { self.light.sun_on_surface(point, sample) } else { 0.0 };
        let sky = light.at(plane, point);
        let lit = albedo * (SUN * (facing * sun) + SKY * sky + BOUNCE * (0.5 + 0.5 * sky));
        // Fades into haze with the distance from the scene's center.
        let away = ((point.length() / self.reach - 1.2) / 5.0).max(0.0);
        let haze = 1.0 - (-away * away * 6.0).exp();
        if haze > 0.0 { lit.lerp(self.background(ray), haze) } else { lit }
    }

    /// Returns a subtle checker with lines between its squares; 1 on a bright square.
    fn grid_shade(&self, plane: &Plane, point: Vec3, footprint: f32) -> f32 {
        let spacing = self.grid as f32;
        let mut line = 0.0_f32;
        let mut parity = 0.0;
        for axis in 0..2 {
            // The large part is reduced in double precision, as the grid may lie far from its own origin.
            let base = plane.offset[axis].rem_euclid(2.0 * self.grid) as f32;
            let along = (base + plane.axes[axis].dot(point)) / spacing;
            parity += along.floor();
            let distance = (along - along.round()).abs() * spacing;
            let half = 0.008 * spacing;
            let covered = ((half + 0.5 * footprint - distance) / footprint).clamp(0.0, 1.0);
            line = line.max(covered * (2.0 * half / footprint).min(1.0));
        }
        let sharp = (1.0 - 2.0 * footprint / spacing).clamp(0.0, 1.0);
        let dark = parity.rem_euclid(2.0) * 0.05 + line * 0.22;
        1.0 - dark * sharp
    }

    /// Returns the light from cloth at `point`, whose vertices cast shadows as spheres of this `radius` [m].
    pub fn cloth(&self, albedo: Vec3, point: Vec3, normal: Vec3, radius: f32, sample: usize) -> Vec3 {
        let facing = normal.dot(self.light.sun_direction).max(0.0);
        let lifted = point + CLOTH_LIFT * radius * normal;
        let sun = if facing > 0.0 { self.light.sun_on_surface(lifted, sample) } else { 0.0 };
        let dome = self.light.sky_on_surface(lifted, normal) * (0.65 + 0.35 * normal.dot(self.up));
        albedo * (SUN * (facing * sun) + SKY * dome + BOUNCE)
    }

    fn solid(&self, ray: Vec3, sample: usize, hit: &Hit) -> Vec3 {
        let point = self.view.eye + ray * hit.depth;
        let facing = hit.normal.dot(self.light.sun_direction).max(0.0);
        let sun = if facing > 0.0 { self.light.sun_on_solid(point, hit.normal, sample) } else { 0.0 };
        let sky = self.light.sky_on_solid(point, hit.normal);
        let dome = sky * (0.65 + 0.35 * hit.normal.dot(self.up));
        let half = (self.light.sun_direction - ray.normalize()).normalize_or(hit.normal);
        let gloss = 0.25 * hit.normal.dot(half).max(0.0).powi(40) * sun;
        self.colors.solid * (SUN * (facing * sun) + SKY * dome + BOUNCE) + SUN * gloss
    }

    /// Returns the light through a pane in front of `behind`: nearly clear face on, milky at grazing angles, with a highlight,
    /// and dark along its edges.
    fn glass(&self, ray: Vec3, hit: &Hit, behind: Vec3) -> Vec3 {
        let unit = ray.normalize();
        let facing = hit.normal.dot(unit).abs();
        let cover = 0.10 + 0.6 * (1.0 - facing).powi(3);
        let normal = if hit.normal.dot(unit) < 0.0 { hit.normal } else { -hit.normal };
        let half = (self.light.sun_direction - unit).normalize_or(normal);
        let gloss = 0.5 * normal.dot(half).max(0.0).powi(90);
        let pane = behind.lerp(self.colors.glass, cover) + SUN * gloss;
        pane.lerp(self.colors.edge, EDGE_COVER * hit.edge)
    }
}

/// Returns the largest of 1, 2, 5 times a power of ten that is at most `length` [m].
fn nice_spacing(length: f64) -> f64 {
    let power = 10.0_f64.powf(length.max(1e-12).log10().floor());
    let step = [5.0, 2.0].into_iter().find(|s| s * power <= length * (1.0 + 1e-9)).unwrap_or(1.0);
    step * power
}

/// Sky light over a square of a plane around the foot of the view's origin.
struct GroundLight {
    texels_per_meter: f32,
    values: Vec<f32>,
}

impl GroundLight {
    fn new(plane: &Plane, light: &Light, half: f32) -> Self {
        let foot = plane.normal * plane.normal.dot(plane.point);
        let texels_per_meter = 0.5 * GROUND_TEXELS as f32 / half;
        let values = (0..GROUND_TEXELS * GROUND_TEXELS)
            .into_par_iter()
            .map(|i| {
                let texel = Vec2::new((i % GROUND_TEXELS) as f32 + 0.5, (i / GROUND_TEXELS) as f32 + 0.5);
                let at = (texel - 0.5 * GROUND_TEXELS as f32) / texels_per_meter;
                light.sky_on_surface(foot + plane.axes[0] * at.x + plane.axes[1] * at.y, plane.normal)
            })
            .collect();
        Self { texels_per_meter, values }
    }

    fn at(&self, plane: &Plane, point: Vec3) -> f32 {
        let along = Vec2::new(plane.axes[0].dot(point), plane.axes[1].dot(point));
        let at = along * self.texels_per_meter + 0.5 * GROUND_TEXELS as f32 - 0.5;
        let last = (GROUND_TEXELS - 1) as f32;
        // The border's light continues beyond it: there is nothing to cast a shadow.
        let at = at.clamp(Vec2::ZERO, Vec2::splat(last - 1e-3));
        let (x, y) = (at.x as usize, at.y as usize);
        let (fx, fy) = (at.x - x as f32, at.y - y as f32);
        let value = |x: usize, y: usize| self.values[y * GROUND_TEXELS + x];
        let top = value(x, y) * (1.0 - fx) + value(x + 1, y) * fx;
        let bottom = value(x, y + 1) * (1.0 - fx) + value(x + 1, y + 1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}

#[cfg(test)]
mod tests {
    use super::nice_spacing;

    #[test]
    fn grid_spacings_are_round_numbers() {
        for (length, spacing) in [(0.1, 0.1), (0.3, 0.2), (0.07, 0.05), (9.9, 5.0), (1.0, 1.0), (2.0, 2.0)] {
            let found = nice_spacing(length);
            assert!((found / spacing - 1.0).abs() < 1e-9, "{length}: {found}");
        }
    }
}
