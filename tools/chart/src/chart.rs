//! One diagram with axes, as SVG.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Size of a diagram [px at 96 per inch].
pub const SIZE: [f64; 2] = [560.0, 430.0];

/// Colors that can be told apart with any kind of color vision (Okabe and Ito), dark enough for lines on white.
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#999999"];

/// Color of lines that belong to no parameter set.
pub const BLACK: usize = 5;

/// Color of reference curves.
pub const GREY: usize = 6;

/// Dash patterns of the parameter sets.
const DASHES: [&str; 4] = ["", "8 4", "2 3", "10 3 2 3"];

/// Margins around the frame: left, right, top without a legend, bottom.
const MARGINS: [f64; 4] = [78.0, 22.0, 40.0, 58.0];

/// Height of a row in the legend, and length of the line sample in it.
const LEGEND: [f64; 2] = [19.0, 30.0];

/// A diagram.
#[derive(Debug, Default)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, later ones on top.
    pub curves: Vec<Curve>,
    /// Thin lines behind the curves, with a dot at the second end.
    pub arrows: Vec<[[f64; 2]; 2]>,
    /// Entry of the arrows in the legend.
    pub arrows_name: String,
    /// Note in the middle of the diagram; none if empty.
    pub note: String,
    /// Whether a curve ends early because the test cannot continue.
    pub ends_early: bool,
}

/// An axis.
#[derive(Debug, Default)]
pub struct Axis {
    /// Quantity, without its unit.
    pub label: String,
    /// Unit: `Pa` gets a prefix for large values, `-` is shown in percent if all values are below one half, counts have none.
    pub unit: &'static str,
    /// Whether the axis is logarithmic.
    pub log: bool,
}

/// A curve.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Entry in the legend; none if empty.
    pub name: String,
    /// Points in the units of the axes.
    pub points: Vec<[f64; 2]>,
    /// Index of the color.
    pub color: usize,
    /// Parameter set, which selects the dashes.
    pub set: usize,
    /// Whether the points are drawn as dots instead of joined by a line: measurements beside a theoretical curve.
    pub dots: bool,
}

impl Curve {
    /// Creates a curve drawn as a full line.
    pub fn line(name: &str, color: usize, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.to_owned(), points, color, set: 0, dots: false }
    }

    /// Creates a curve drawn as dots.
    pub fn dots(name: &str, color: usize, points: Vec<[f64; 2]>) -> Self {
        Self { dots: true, ..Self::line(name, color, points) }
    }
}

/// Returns the attributes of a curve's line.
pub fn stroke(color: usize, set: usize) -> String {
    let dashes = DASHES[set % DASHES.len()];
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    // Earlier colors are wider, so that they show beneath later ones where curves coincide.
    let width = if color < BLACK { 2.6 - 0.4 * color as f64 } else { 1.5 };
    format!("stroke=\"{}\" stroke-width=\"{width:.1}\"{dashes}", COLORS[color % COLORS.len()])
}

impl Chart {
    /// Returns whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.curves.iter().all(|curve| curve.points.len() < 2 && !curve.dots)
    }

    /// Draws the diagram alone, as an SVG element that can also be embedded in an HTML page. `id` distinguishes it from others on that
    /// page.
    pub fn document(&self, id: &str) -> String {
        document(SIZE, &self.svg([0.0; 2], id))
    }

    /// Draws the diagram at `origin`; `id` distinguishes it from others in the same file.
    pub fn svg(&self, origin: [f64; 2], id: &str) -> String {
        let rows = self.legend_rows();
        let [left, right, top, bottom] = MARGINS;
        let top = top + LEGEND[0] * rows.len() as f64;
        let frame = [left, top, SIZE[0] - left - right, SIZE[1] - top - bottom];
        let x = Scale::new(&self.x, self.range(0), frame[0], frame[2], 8);
        let y = Scale::new(&self.y, self.range(1), frame[1] + frame[3], -frame[3], 7);
        let mut svg = format!("<g transform=\"translate({} {})\">\n", origin[0], origin[1]);
        svg += &text([left, 24.0], "start", 16.0, &self.title);
        for (row, entries) in rows.iter().enumerate() {
            let mut at = left;
            for (name, mark) in entries {
                let y = 44.0 + LEGEND[0] * row as f64;
                let middle = y - 4.0;
                svg += &match mark {
                    Mark::Line(stroke) => {
                        format!("<path d=\"M{at:.1} {middle:.1}h{}\" fill=\"none\" {stroke}/>\n", LEGEND[1])
                    }
                    Mark::Dot(color) => dots([[at + 0.5 * LEGEND[1], middle]], color),
                    Mark::Arrow => arrow([at, middle], [at + LEGEND[1] - 4.0, middle]),
                    Mark::End => text([at + LEGEND[1], y], "end", 13.0, "\u{2026}"),
                };
                svg += &text([at + LEGEND[1] + 6.0, y], "start", 13.0, name);
                at += entry_width(name);
            }
        }
        self.grid(&mut svg, &x, &y, frame);
        let _ = writeln!(
            svg,
            "<clipPath id=\"frame{id}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
             <g clip-path=\"url(#frame{id})\">",
            frame[0] - 1.5,
            frame[1] - 1.5,
            frame[2] + 3.0,
            frame[3] + 3.0
        );
        for [from, to] in &self.arrows {
            svg += &arrow([x.at(from[0]), y.at(from[1])], [x.at(to[0]), y.at(to[1])]);
        }
        for curve in &self.curves {
            svg += &path(curve, &x, &y);
        }
        svg += "</g>\n";
        if !self.note.is_empty() {
            svg += &text([frame[0] + 0.5 * frame[2], frame[1] + 0.4 * frame[3]], "middle", 13.0, &self.note);
        }
        svg += "</g>\n";
        svg
    }

    /// Draws grid, frame, ticks and labels.
    fn grid(&self, svg: &mut String, x: &Scale, y: &Scale, [left, top, width, height]: [f64; 4]) {
        let bottom = top + height;
        for (position, label) in &x.ticks {
            let zero = if *position == x.zero() { "#888" } else { "#e2e2e2" };
            let _ = writeln!(svg, "<path d=\"M{position:.2} {top:.2}v{height:.2}\" stroke=\"{zero}\"/>");
            *svg += &text([*position, bottom + 18.0], "middle", 12.0, label);
        }
        for (position, label) in &y.ticks {
            let zero = if *position == y.zero() { "#888" } else { "#e2e2e2" };
            let _ = writeln!(svg, "<path d=\"M{left:.2} {position:.2}h{width:.2}\" stroke=\"{zero}\"/>");
            *svg += &text([left - 8.0, position + 4.0], "end", 12.0, label);
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" stroke=\"#333\"/>"
        );
        *svg += &text([left + 0.5 * width, bottom + 44.0], "middle", 14.0, &x.label);
        let middle = top + 0.5 * height;
        let _ = write!(svg, "<g transform=\"translate(20 {middle:.2}) rotate(-90)\">");
        *svg += &text([0.0, 0.0], "middle", 14.0, &y.label);
        *svg += "</g>\n";
    }

    /// Arranges the entries of the legend in rows that fit.
    fn legend_rows(&self) -> Vec<Vec<(&str, Mark)>> {
        let curves = self.curves.iter().filter(|curve| !curve.name.is_empty());
        let mut entries: Vec<_> = curves.map(|curve| (curve.name.as_str(), Mark::of(curve))).collect();
        if !self.arrows.is_empty() {
            entries.push((&self.arrows_name, Mark::Arrow));
        }
        if self.ends_early {
            entries.push(("ends where the stress has no stable balance", Mark::End));
        }
        let mut rows: Vec<Vec<_>> = Vec::new();
        let mut room = 0.0;
        for entry in entries {
            let width = entry_width(entry.0);
            match rows.last_mut().filter(|_| width <= room) {
                Some(row) => row.push(entry),
                None => {
                    rows.push(vec![entry]);
                    room = SIZE[0] - MARGINS[0];
                }
            }
            room -= width;
        }
        rows
    }

    /// Returns the minimum and maximum along an axis.
    pub fn range(&self, axis: usize) -> [f64; 2] {
        let values = self.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point[axis]));
        let finite = values.filter(|value| value.is_finite());
        finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    }
}

/// Returns an SVG element of `size` [px] with a white background around `body`.
pub fn document([width, height]: [f64; 2], body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Ubuntu, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif\" fill=\"#111\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Symbol in front of a name in the legend.
enum Mark {
    /// A line with these attributes.
    Line(String),
    /// A dot of this color.
    Dot(&'static str),
    /// A thin line with a dot.
    Arrow,
    /// A sign that a curve ends there.
    End,
}

impl Mark {
    fn of(curve: &Curve) -> Self {
        if curve.dots {
            Self::Dot(COLORS[curve.color % COLORS.len()])
        } else {
            Self::Line(stroke(curve.color, curve.set))
        }
    }
}

/// Maps values to positions on an axis.
struct Scale {
    log: bool,
    factor: f64,
    low: f64,
    per_unit: f64,
    start: f64,
    label: String,
    /// Positions and labels.
    ticks: Vec<(f64, String)>,
}

impl Scale {
    /// Maps values in `[low, high]` to an axis that starts at `start` and is `length` [px] long.
    fn new(axis: &Axis, [low, high]: [f64; 2], start: f64, length: f64, count: usize) -> Self {
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let (factor, unit) = unit(axis, low.abs().max(high.abs()));
        let (low, high) = (low * factor, high * factor);
        let (ticks, low, high) = if axis.log { decades(low, high) } else { steps(low, high, count) };
        let per_unit = length / (high - low);
        let mut scale = Self {
            log: axis.log,
            factor,
            low,
            per_unit,
            start,
            label: if unit.is_empty() { axis.label.clone() } else { format!("{} [{unit}]", axis.label) },
            ticks: Vec::new(),
        };
        scale.ticks = ticks.into_iter().map(|(value, label)| (scale.place(value), label)).collect();
        scale
    }

    /// Returns the position of a value given in the unit of the axis.
    fn at(&self, value: f64) -> f64 {
        let value = value * self.factor;
        self.place(if self.log { value.log10() } else { value })
    }

    fn place(&self, value: f64) -> f64 {
        self.start + (value - self.low) * self.per_unit
    }

    /// Returns the position of zero, which gets a darker line; NaN on a logarithmic axis.
    fn zero(&self) -> f64 {
        if self.log { f64::NAN } else { self.place(0.0) }
    }
}

/// Returns the factor and the name of the unit for values up to `most`.
fn unit(axis: &Axis, most: f64) -> (f64, &'static str) {
    match axis.unit {
        "Pa" if most >= 2e9 => (1e-9, "GPa"),
        "Pa" if most >= 2e6 => (1e-6, "MPa"),
        "Pa" if most >= 2e3 => (1e-3, "kPa"),
        "-" if most < 0.5 && !axis.log => (100.0, "%"),
        unit => (1.0, unit),
    }
}

/// Returns ticks at round values, and a range slightly larger than the data.
fn steps(low: f64, high: f64, count: usize) -> (Vec<(f64, String)>, f64, f64) {
    let size = low.abs().max(high.abs()).max(1e-30);
    let (low, high) = if high - low > 1e-6 * size { (low, high) } else { (low.min(0.0), high.max(0.0)) };
    let (low, high) = if high > low { (low, high) } else { (-1.0, 1.0) };
    let margin = 0.04 * (high - low);
    let (low, high) = (low - margin, high + margin);
    let raw = (high - low) / count as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= raw).unwrap_or(10.0);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    let tick = |n: i64| (n as f64 * step, minus(&format!("{:.digits$}", n as f64 * step)));
    ((first..=last).map(tick).collect(), low, high)
}

/// Returns ticks at 1, 2 and 5 times powers of ten over few decades, at powers of ten over many; values are logarithms.
fn decades(low: f64, high: f64) -> (Vec<(f64, String)>, f64, f64) {
    let (low, high) = (low.max(1e-12).log10() - 0.08, high.max(1e-12).log10() + 0.08);
    let factors: &[f64] = if high - low > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let mut ticks = Vec::new();
    for power in low.floor() as i32..=high.ceil() as i32 {
        for factor in factors {
            let value = f64::from(power) + factor.log10();
            if (low..=high).contains(&value) {
                ticks.push((value, number(factor * 10f64.powi(power))));
            }
        }
    }
    (ticks, low, high)
}

/// Formats a number for people: four digits, powers of ten if it is large or small.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    let text = if (1e-3..1e5).contains(&size) { rounded.to_string() } else { format!("{rounded:e}") };
    minus(&text)
}

/// Replaces the hyphen by a minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

fn entry_width(name: &str) -> f64 {
    LEGEND[1] + 24.0 + width(name, 13.0)
}

/// Estimates the width of a text [px].
pub fn width(text: &str, size: f64) -> f64 {
    0.54 * size * text.chars().count() as f64
}

/// Draws a text with its `anchor` (start, middle, end) at `at`.
pub fn text(at: [f64; 2], anchor: &str, size: f64, text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\">{text}</text>\n",
        at[0], at[1]
    )
}

/// Draws the line of a curve, omitting points too close together to be visible, or its dots.
fn path(curve: &Curve, x: &Scale, y: &Scale) -> String {
    if curve.dots {
        let places = curve.points.iter().map(|point| [x.at(point[0]), y.at(point[1])]);
        let finite = places.filter(|place| place.iter().all(|v| v.is_finite()));
        return dots(finite, COLORS[curve.color % COLORS.len()]);
    }
    let mut data = String::new();
    let mut last = [f64::NAN; 2];
    for (index, point) in curve.points.iter().enumerate() {
        let place = [x.at(point[0]), y.at(point[1])];
        let near = (place[0] - last[0]).abs() < 0.3 && (place[1] - last[1]).abs() < 0.3;
        if !place.iter().all(|v| v.is_finite()) || (near && index + 1 < curve.points.len()) {
            continue;
        }
        let command = if data.is_empty() { 'M' } else { 'L' };
        let _ = write!(data, "{command}{:.2} {:.2}", place[0], place[1]);
        last = place;
    }
    if data.is_empty() {
        return String::new();
    }
    format!(
        "<path d=\"{data}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n",
        stroke(curve.color, curve.set)
    )
}

/// Draws dots, one for each pixel: a chart of thousands of particles would otherwise fill megabytes.
fn dots(places: impl IntoIterator<Item = [f64; 2]>, color: &str) -> String {
    let mut drawn = BTreeSet::new();
    let mut text = format!("<g fill=\"{color}\" stroke=\"#fff\" stroke-width=\"0.8\">\n");
    for [x, y] in places {
        if drawn.insert([x, y].map(|v| v.round() as i64)) {
            let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.4\"/>");
        }
    }
    text + "</g>\n"
}

/// Draws a thin grey line with a dot at its end.
fn arrow(from: [f64; 2], to: [f64; 2]) -> String {
    format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#aaa\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"#777\"/>\n",
        from[0], from[1], to[0], to[1], to[0], to[1]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let (ticks, low, high) = steps(-0.13, 1.0, 8);
        let labels: Vec<_> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert!(low < -0.13 && high > 1.0);
        let (ticks, ..) = decades(0.9e-3, 1.1e3);
        let labels: Vec<_> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
        let (ticks, ..) = decades(30.0, 300.0);
        assert_eq!(ticks.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>(), ["50", "100", "200"]);
    }

    #[test]
    fn flat_and_empty_data_have_axes() {
        for (low, high) in [(0.0, 0.0), (5.0, 5.0), (-3.0, -3.0), (1e9, 1e9)] {
            let (ticks, from, to) = steps(low, high, 8);
            assert!(ticks.len() > 2 && from < low && to > high, "{low}");
        }
        assert!(Chart::default().svg([0.0; 2], "").contains("<rect"));
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.3, 353700.0, -0.005, 1.0e-5, 35.0, 1e5 / 3.0];
        let texts = numbers.map(number);
        assert_eq!(texts, ["0", "0.3", "3.537e5", "−0.005", "1e−5", "35", "33330"]);
    }
}
