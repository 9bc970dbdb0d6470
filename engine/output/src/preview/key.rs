//! Key of a picture's colors, in its lower left corner: the names of the materials, or an attribute with its scale.

use std::fmt::Write;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::color::{self, Coloring};
use super::picture::Picture;

/// Minimum width of pictures with a key [pixels].
const MIN_WIDTH: u32 = 320;
/// Height of the letters relative to that of the picture, and their minimum height [pixels].
const LETTERS: (f64, f64) = (0.026, 11.0);
/// Maximum number of materials that are named; more are only counted.
const MAX_NAMES: usize = 8;
/// Maximum number of letters shown of a name.
const MAX_LETTERS: usize = 32;
/// Number of colors along a scale.
const STEPS: usize = 48;

/// Names of the colors.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    /// Names of the materials.
    pub materials: Vec<String>,
    /// The attribute with its unit.
    pub attribute: String,
}

/// Draws the key of `coloring` into a picture that has room for it. A single material needs no name.
pub(crate) fn stamp(picture: &mut Picture, coloring: &Coloring, labels: &Labels) {
    if picture.width < MIN_WIDTH {
        return;
    }
    let letters = (LETTERS.0 * f64::from(picture.height)).max(LETTERS.1);
    let drawn = match coloring.scale() {
        Some(range) => Some(scale(&labels.attribute, range, letters)),
        None if labels.materials.len() > 1 => Some(names(&labels.materials, letters)),
        None => None,
    };
    // A picture without a key is still usable.
    if let Some(pixels) = drawn.and_then(|svg| rasterized(&svg)) {
        blend(picture, &pixels, letters as u32);
    }
}

/// Draws names beside their colors.
fn names(materials: &[String], letters: f64) -> String {
    let mut lines: Vec<_> = materials
        .iter()
        .take(MAX_NAMES)
        .enumerate()
        .map(|(m, name)| (color::of_material(m), shown(name)))
        .collect();
    if materials.len() > MAX_NAMES {
        lines.push(("none".to_owned(), format!("and {} more", materials.len() - MAX_NAMES)));
    }
    let longest = lines.iter().map(|line| line.1.chars().count()).max().unwrap_or(0);
    let step = 1.5 * letters;
    let size = [(0.62 * longest as f64 + 3.0) * letters, step * lines.len() as f64 + 0.6 * letters];
    let mut body = String::new();
    for (i, (color, name)) in lines.iter().enumerate() {
        let y = step * i as f64 + 0.55 * letters;
        let _ = write!(
            body,
            "<rect x='{:.1}' y='{y:.1}' width='{letters:.1}' height='{letters:.1}' rx='2' fill='{color}'/>{}",
            0.6 * letters,
            text(2.1 * letters, y + 0.85 * letters, "start", name, letters)
        );
    }
    document(size, &body)
}

/// Draws an attribute above its colors, with the values at both ends and in the middle.
fn scale(attribute: &str, [low, high]: [f32; 2], letters: f64) -> String {
    let (width, left) = (16.0 * letters, 1.6 * letters);
    let size = [width + 2.0 * left, 4.6 * letters];
    let mut body = text(left, 1.3 * letters, "start", &shown(attribute), letters);
    let step = width / STEPS as f64;
    for i in 0..STEPS {
        let _ = write!(
            body,
            "<rect x='{:.2}' y='{:.1}' width='{:.2}' height='{letters:.1}' fill='{}'/>",
            left + step * i as f64,
            1.8 * letters,
            step + 0.5,
            color::of_scale((i as f32 + 0.5) / STEPS as f32)
        );
    }
    for part in [0.0, 0.5, 1.0] {
        let value = number(low + (high - low) * part as f32);
        body += &text(left + width * part, 4.0 * letters, "middle", &value, 0.9 * letters);
    }
    document(size, &body)
}

/// Formats a value with three digits.
fn number(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.2e}")
    } else {
        let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// Prepares a name for a picture: shortened, and without characters that cannot be drawn in a line.
fn shown(name: &str) -> String {
    let mut text: String = name.chars().filter(|c| !c.is_control()).take(MAX_LETTERS).collect();
    if name.chars().count() > MAX_LETTERS {
        text += "...";
    }
    text
}

fn text(x: f64, y: f64, anchor: &str, text: &str, size: f64) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}' font-size='{size:.1}' fill='#222'>{escaped}</text>"
    )
}

fn document([width, height]: [f64; 2], body: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0}' height='{height:.0}'>\
         <rect width='100%' height='100%' rx='4' fill='#fff' fill-opacity='0.72'/>{body}</svg>"
    )
}

/// Rasterizes a drawing with a font that is part of the program.
fn rasterized(svg: &str) -> Option<Pixmap> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next()?.families.first()?.0.clone();
    let options = Options { font_family: family, fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).ok()?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Some(pixels)
}

/// Lays `pixels` over the lower left corner, `margin` pixels from the edges.
fn blend(picture: &mut Picture, pixels: &Pixmap, margin: u32) {
    let top = picture.height.saturating_sub(pixels.height() + margin);
    for y in 0..pixels.height().min(picture.height - top) {
        for x in 0..pixels.width().min(picture.width.saturating_sub(margin)) {
            let Some(over) = pixels.pixel(x, y) else { continue };
            let at = 3 * ((top + y) as usize * picture.width as usize + (margin + x) as usize);
            let left = 255 - u32::from(over.alpha());
            for (below, over) in
                picture.rgb[at..at + 3].iter_mut().zip([over.red(), over.green(), over.blue()])
            {
                *below = (u32::from(over) + (u32::from(*below) * left + 127) / 255).min(255) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits() {
        let values =
            [(0.0, "0"), (0.9, "0.9"), (1.1, "1.1"), (1600.0, "1600"), (12.345, "12.3"), (-0.25, "-0.25")];
        for (value, text) in values {
            assert_eq!(number(value), text);
        }
        assert_eq!([number(1e-7), number(3.2e8)], ["1.00e-7", "3.20e8"]);
    }

    #[test]
    fn names_are_text_and_nothing_else() {
        let svg = names(&["a<b>&\u{1b}[31m".to_owned(), "x".repeat(400)], 12.0);
        assert!(svg.contains("a&lt;b&gt;&amp;[31m") && svg.contains(&format!("{}...", "x".repeat(32))));
        assert!(rasterized(&svg).is_some());
    }

    #[test]
    fn a_key_stands_in_the_corner_where_there_is_room() {
        let grey = |width, height| Picture { width, height, rgb: vec![90; (3 * width * height) as usize] };
        let labels = |materials: &[&str]| Labels {
            materials: materials.iter().map(|m| (*m).to_owned()).collect(),
            attribute: "speed [m/s]".to_owned(),
        };
        let changed = |picture: &Picture| {
            let pixels = picture.rgb.chunks_exact(3).enumerate().filter(|(_, p)| *p != [90; 3]);
            pixels.map(|(i, _)| (i as u32 % picture.width, i as u32 / picture.width)).collect::<Vec<_>>()
        };
        for (size, materials, drawn) in [
            ((640, 360), &["sand", "clay"][..], true),
            ((640, 360), &["sand"], false),
            ((200, 300), &["sand", "clay"], false),
        ] {
            let mut picture = grey(size.0, size.1);
            stamp(&mut picture, &Coloring::Material, &labels(materials));
            let changed = changed(&picture);
            assert_eq!(!changed.is_empty(), drawn, "{size:?} {materials:?}");
            assert!(changed.iter().all(|&(x, y)| x < size.0 / 2 && y > size.1 / 2));
        }
        let mut picture = grey(640, 360);
        stamp(
            &mut picture,
            &Coloring::new(Some(&tuff_scene::FrameAttribute::VolumeRatio), Vec::new(), 1.0, 1.0, 1),
            &labels(&["sand"]),
        );
        // The colors of both ends are present.
        for part in [0.0, 1.0] {
            let end = color::of_scale(part);
            let channel = |i: usize| u8::from_str_radix(&end[1 + 2 * i..3 + 2 * i], 16).unwrap();
            let near = |p: &[u8]| (0..3).all(|i| p[i].abs_diff(channel(i)) < 12);
            assert!(picture.rgb.chunks_exact(3).any(near), "{end}");
        }
    }
}
