//! Colors: palette, color map, tone curve.

use glam::Vec3;
use tuff_problem::Frame;
use tuff_scene::FrameAttribute;

use crate::columns::state_value;

/// Colors of materials, sRGB.
const PALETTE: [u32; 8] =
    [0xd8_ae_76, 0xc4_62_45, 0x4f_8a_b5, 0x86_a9_5c, 0x96_70_b2, 0xe3_bc_45, 0x46_a1_96, 0xd3_86_97];

/// Blue over green and yellow to red, light enough to show shading, sRGB.
const COLOR_MAP: [u32; 7] =
    [0x35_5c_9e, 0x2f_8c_b4, 0x43_b2_9c, 0x9c_ca_68, 0xee_cf_58, 0xee_97_48, 0xd6_50_3e];

/// Brightness of the bodies of one material, repeated.
const BODY_SHADE: [f32; 4] = [1.0, 0.80, 1.10, 0.90];

/// Source of the particles' colors.
#[derive(Debug, Clone)]
pub(crate) enum Coloring {
    /// The palette's color of the material, shaded by body.
    Material,
    /// The color map over a value.
    Value { value: Value, range: Range },
}

/// A value per particle.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Speed,
    Id,
    VolumeRatio,
    Density,
    Packing,
    Body,
    Pressure,
    VonMises,
    State(Vec<Option<usize>>),
}

/// Values at the two ends of the color map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Range {
    /// The same for all frames.
    Fixed(f32, f32),
    /// All values seen since the first frame.
    Seen(f32, f32),
}

impl Coloring {
    /// Creates the coloring by `attribute`. `top_speed` [m/s], 0 where nothing falls, and `rest_density` [kg/m^3] scale the maps
    /// of velocity and density; `words` holds the position of a state word in each material.
    pub fn new(
        attribute: Option<&FrameAttribute>,
        words: Vec<Option<usize>>,
        top_speed: f32,
        rest_density: f32,
        particle_count: usize,
    ) -> Self {
        let fixed = |value, low, high| Self::Value { value, range: Range::Fixed(low, high) };
        let seen = |value| Self::Value { value, range: Range::Seen(f32::INFINITY, f32::NEG_INFINITY) };
        match attribute {
            None | Some(FrameAttribute::Material) => Self::Material,
            Some(FrameAttribute::Velocity) if top_speed > 0.0 => fixed(Value::Speed, 0.0, top_speed),
            Some(FrameAttribute::Velocity) => {
                Self::Value { value: Value::Speed, range: Range::Seen(0.0, 0.0) }
            }
            Some(FrameAttribute::Id) => fixed(Value::Id, 0.0, particle_count as f32),
            Some(FrameAttribute::VolumeRatio) => fixed(Value::VolumeRatio, 0.9, 1.1),
            Some(FrameAttribute::Density) => fixed(Value::Density, 0.9 * rest_density, 1.1 * rest_density),
            Some(FrameAttribute::Packing) => fixed(Value::Packing, 0.5, 1.5),
            Some(FrameAttribute::Body) => seen(Value::Body),
            Some(FrameAttribute::Pressure) => seen(Value::Pressure),
            Some(FrameAttribute::VonMises) => seen(Value::VonMises),
            Some(FrameAttribute::State(_)) => seen(Value::State(words)),
            // No color shows a tensor; scenes that ask for one are rejected.
            Some(FrameAttribute::Strain | FrameAttribute::Stress | FrameAttribute::Deformation) => {
                Self::Material
            }
        }
    }

    /// Returns the values at the ends of the scale; `None` if colors stand for materials, or no value was seen.
    pub fn scale(&self) -> Option<[f32; 2]> {
        match self {
            Self::Material => None,
            Self::Value { range: Range::Fixed(low, high) | Range::Seen(low, high), .. } => {
                (low <= high).then_some([*low, *high])
            }
        }
    }

    /// Returns true if the scale follows the values seen.
    pub fn follows(&self) -> bool {
        matches!(self, Self::Value { range: Range::Seen(..), .. })
    }

    /// Widens a range that follows the data.
    pub fn see(&mut self, frame: &Frame) {
        if let Self::Value { value, range: Range::Seen(low, high) } = self {
            for particle in 0..frame.position.len() {
                let v = value.of(frame, particle);
                if v.is_finite() {
                    *low = low.min(v);
                    *high = high.max(v);
                }
            }
        }
    }

    /// Returns the linear color of a particle.
    pub fn albedo(&self, frame: &Frame, particle: usize, body: u32) -> Vec3 {
        match self {
            Self::Material => {
                let base = linear(PALETTE[frame.material[particle] as usize % PALETTE.len()]);
                base * BODY_SHADE[body as usize % BODY_SHADE.len()] * grain(frame.id(particle))
            }
            Self::Value { value, range: Range::Fixed(low, high) | Range::Seen(low, high) } => {
                let width = (high - low).max(f32::MIN_POSITIVE);
                color_map((value.of(frame, particle) - low) / width)
            }
        }
    }
}

impl Value {
    fn of(&self, frame: &Frame, particle: usize) -> f32 {
        match self {
            Self::Speed => Vec3::from_array(frame.velocity[particle]).length(),
            Self::Id => frame.id(particle) as f32,
            Self::VolumeRatio => frame.volume_ratio[particle],
            Self::Density => frame.density[particle],
            Self::Packing => frame.packing[particle],
            Self::Body => frame.body[particle] as f32,
            Self::Pressure => frame.pressure[particle],
            Self::VonMises => frame.von_mises[particle],
            Self::State(words) => state_value(frame, particle, words),
        }
    }
}

/// Returns the color of material number `m`.
pub(crate) fn of_material(m: usize) -> [u8; 3] {
    let [_, r, g, b] = PALETTE[m % PALETTE.len()].to_be_bytes();
    [r, g, b]
}

/// Returns the color at `t` in [0, 1] of the scale.
pub(crate) fn of_scale(t: f32) -> [u8; 3] {
    encode(color_map(t))
}

/// Returns the brightness of a single grain, about 1.
fn grain(id: u32) -> f32 {
    let mut hash = id.wrapping_mul(0x9e37_79b9);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    0.94 + 0.12 * (hash >> 8) as f32 / (1 << 24) as f32
}

/// Returns the linear color at `t` in [0, 1] of the color map; NaN is magenta.
fn color_map(t: f32) -> Vec3 {
    if t.is_nan() {
        return Vec3::new(1.0, 0.0, 1.0);
    }
    let steps = (COLOR_MAP.len() - 1) as f32;
    let at = t.clamp(0.0, 1.0) * steps;
    let step = (at as usize).min(COLOR_MAP.len() - 2);
    linear(COLOR_MAP[step]).lerp(linear(COLOR_MAP[step + 1]), at - step as f32)
}

/// Converts an sRGB color 0xRRGGBB to linear light.
pub(crate) fn linear(srgb: u32) -> Vec3 {
    let channel = |shift: u32| {
        let c = (srgb >> shift & 0xff) as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

/// Converts linear light to 8-bit sRGB, with a shoulder that keeps highlights from clipping.
pub(crate) fn encode(light: Vec3) -> [u8; 3] {
    light.to_array().map(|c| {
        let c = shoulder(c.max(0.0));
        let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded.clamp(0.0, 1.0) + 0.5) as u8
    })
}

/// Identity up to 0.6, then rising smoothly towards 1.
fn shoulder(c: f32) -> f32 {
    const KNEE: f32 = 0.6;
    let over = (c - KNEE) / (1.0 - KNEE);
    if over <= 0.0 { c } else { KNEE + (1.0 - KNEE) * (1.0 - (-over).exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_below_the_shoulder_survive_encoding() {
        for color in [0x44_39_83_u32, 0x80_80_80, 0x00_00_00, 0xb0_62_45] {
            let [_, r, g, b] = color.to_be_bytes();
            assert_eq!(encode(linear(color)), [r, g, b]);
        }
        let bright = encode(Vec3::splat(1.0))[0];
        assert!(bright < 255 && encode(Vec3::splat(2.0))[0] > bright && encode(Vec3::splat(1e9))[0] == 255);
    }

    #[test]
    fn the_color_map_ends_where_it_should() {
        assert_eq!(color_map(-1.0), linear(COLOR_MAP[0]));
        assert_eq!(color_map(2.0), linear(COLOR_MAP[6]));
        assert!(color_map(0.5).distance(linear(COLOR_MAP[3])) < 1e-6);
    }
}
