//! Rectangles and lines of text on a picture.

use ab_glyph::{Font as _, FontRef, Glyph, PxScale, ScaleFont as _, point};

use super::picture::Picture;

/// A part of a picture to draw on, with places from its upper left corner [pixels].
pub(crate) struct Canvas<'a> {
    picture: &'a mut Picture,
    corner: [f32; 2],
    font: FontRef<'static>,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas whose corner is at this place of the picture; `None` if the program's own font cannot be read.
    pub fn new(picture: &'a mut Picture, corner: [f32; 2]) -> Option<Self> {
        let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()?;
        Some(Self { picture, corner, font })
    }

    /// Fills a rectangle. Pixels that it covers in part get a part of the color.
    pub fn fill(&mut self, [x, y]: [f32; 2], [width, height]: [f32; 2], color: [u8; 3], opacity: f32) {
        let (left, top) = (self.corner[0] + x, self.corner[1] + y);
        let (right, bottom) = (left + width, top + height);
        let share = |pixel: i32, low: f32, high: f32| {
            let pixel = pixel as f32;
            (high.min(pixel + 1.0) - low.max(pixel)).clamp(0.0, 1.0)
        };
        for row in top.floor() as i32..bottom.ceil() as i32 {
            for column in left.floor() as i32..right.ceil() as i32 {
                let covered = share(column, left, right) * share(row, top, bottom);
                self.blend([column, row], color, opacity * covered);
            }
        }
    }

    /// Writes a line in letters of this size [pixels per em] on a base line at height y. It begins at x, or with `centered` has its middle
    /// there.
    pub fn text(&mut self, [x, y]: [f32; 2], centered: bool, text: &str, size: f32, color: [u8; 3]) {
        let em = self.font.units_per_em().unwrap_or(1000.0);
        let scale = PxScale::from(size * self.font.height_unscaled() / em);
        let scaled = self.font.as_scaled(scale);
        let (mut width, mut last) = (0.0, None);
        let mut glyphs: Vec<Glyph> = Vec::new();
        for letter in text.chars() {
            let id = scaled.glyph_id(letter);
            width += last.map_or(0.0, |last| scaled.kern(last, id));
            glyphs.push(id.with_scale_and_position(scale, point(width, 0.0)));
            width += scaled.h_advance(id);
            last = Some(id);
        }
        let left = self.corner[0] + x - if centered { 0.5 * width } else { 0.0 };
        for mut glyph in glyphs {
            glyph.position = point(left + glyph.position.x, self.corner[1] + y);
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            let [column, row] = [bounds.min.x as i32, bounds.min.y as i32];
            outline.draw(|dx, dy, covered| {
                self.blend([column + dx as i32, row + dy as i32], color, covered);
            });
        }
    }

    /// Mixes a color into a pixel, if the picture has it.
    fn blend(&mut self, [column, row]: [i32; 2], color: [u8; 3], opacity: f32) {
        let (width, height) = (self.picture.width, self.picture.height);
        let (Ok(column), Ok(row)) = (u32::try_from(column), u32::try_from(row)) else { return };
        if column >= width || row >= height {
            return;
        }
        let at = 3 * (row as usize * width as usize + column as usize);
        for (below, over) in std::iter::zip(&mut self.picture.rgb[at..at + 3], color) {
            let mixed = f32::from(*below) + opacity.min(1.0) * (f32::from(over) - f32::from(*below));
            *below = mixed.round() as u8;
        }
    }
}
