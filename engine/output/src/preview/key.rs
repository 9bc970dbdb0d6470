//! Key of a picture's colors, in its lower left corner: the names of the materials, or an attribute with its scale.

use super::canvas::Canvas;
use super::color::{self, Coloring};
use super::picture::Picture;

/// Minimum width of pictures with a key [pixels].
const MIN_WIDTH: u32 = 320;
/// Height of the letters relative to that of the picture, and their minimum height [pixels].
const LETTERS: (f32, f32) = (0.026, 11.0);
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

/// Color of the letters.
const INK: [u8; 3] = [0x22; 3];
/// Opacity of the paper behind the key.
const PAPER: f32 = 0.72;

/// Draws the key of `coloring` into a picture that has room for it. A single material needs no name.
pub(crate) fn stamp(picture: &mut Picture, coloring: &Coloring, labels: &Labels) {
    if picture.width < MIN_WIDTH {
        return;
    }
    let letters = (LETTERS.0 * picture.height as f32).max(LETTERS.1);
    // A picture without a key is still usable.
    let _ = match coloring.scale() {
        Some(range) => scale(picture, &labels.attribute, range, letters),
        None if labels.materials.len() > 1 => names(picture, &labels.materials, letters),
        None => None,
    };
}

/// Lays paper of this size over the lower left corner, as far from the edges as a letter is high.
fn paper(picture: &mut Picture, size: [f32; 2], letters: f32) -> Option<Canvas<'_>> {
    let top = (picture.height as f32 - size[1] - letters).max(0.0);
    let mut canvas = Canvas::new(picture, [letters.round(), top.round()])?;
    canvas.fill([0.0; 2], size.map(f32::round), [255; 3], PAPER);
    Some(canvas)
}

/// Draws names beside their colors.
fn names(picture: &mut Picture, materials: &[String], letters: f32) -> Option<()> {
    let mut lines: Vec<_> = materials
        .iter()
        .take(MAX_NAMES)
        .enumerate()
        .map(|(m, name)| (Some(color::of_material(m)), shown(name)))
        .collect();
    if materials.len() > MAX_NAMES {
        lines.push((None, format!("and {} more", materials.len() - MAX_NAMES)));
    }
    let longest = lines.iter().map(|line| line.1.chars().count()).max().unwrap_or(0);
    let step = 1.5 * letters;
    let size = [(0.62 * longest as f32 + 3.0) * letters, step * lines.len() as f32 + 0.6 * letters];
    let mut canvas = paper(picture, size, letters)?;
    for (i, (color, name)) in lines.iter().enumerate() {
        let y = step * i as f32 + 0.55 * letters;
        if let Some(color) = *color {
            canvas.fill([0.6 * letters, y], [letters; 2], color, 1.0);
        }
        canvas.text([2.1 * letters, y + 0.85 * letters], false, name, letters, INK);
    }
    Some(())
}

/// Draws an attribute above its colors, with the values at both ends and in the middle.
fn scale(picture: &mut Picture, attribute: &str, [low, high]: [f32; 2], letters: f32) -> Option<()> {
    let (width, left) = (16.0 * letters, 1.6 * letters);
    let mut canvas = paper(picture, [width + 2.0 * left, 4.6 * letters], letters)?;
    canvas.text([left, 1.3 * letters], false, &shown(attribute), letters, INK);
    let step = width / STEPS as f32;
    for i in 0..STEPS {
        let color = color::of_scale((i as f32 + 0.5) / STEPS as f32);
        canvas.fill([left + step * i as f32, 1.8 * letters], [step + 0.5, letters], color, 1.0);
    }
    for part in [0.0, 0.5, 1.0] {
        let value = number(low + (high - low) * part);
        canvas.text([left + width * part, 4.0 * letters], true, &value, 0.9 * letters, INK);
    }
    Some(())
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
    fn names_are_shown_without_control_characters_and_not_too_long() {
        assert_eq!(shown("a<b>&\u{1b}[31m"), "a<b>&[31m");
        assert_eq!(shown(&"x".repeat(400)), format!("{}...", "x".repeat(32)));
        let mut picture = Picture { width: 400, height: 300, rgb: vec![90; 3 * 400 * 300] };
        assert!(names(&mut picture, &["\u{fffd}\u{1f3d6}".to_owned(), "x".repeat(400)], 12.0).is_some());
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
            let near = |p: &[u8]| (0..3).all(|i| p[i].abs_diff(end[i]) < 12);
            assert!(picture.rgb.chunks_exact(3).any(near), "{end:?}");
        }
    }
}
