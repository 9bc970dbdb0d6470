//! A page of diagrams, as SVG and as PNG.
//!
//! Pages are written as SVG here and rasterized by `resvg`, with a font embedded in the program: one drawing serves both formats, text
//! appears even where no font is installed, and dashed curves are smooth, which the bitmaps of the established plotting crate
//! (`plotters`) are not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::chart::{self, BLACK, Chart, SIZE, stroke, text};

/// Error that keeps a page from being written.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The drawing could not be rasterized: a bug in this program.
    #[error("the picture {stem}: {reason}")]
    Drawing {
        /// Name of the page.
        stem: String,
        /// Reason.
        reason: String,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Error of the file system.
        source: std::io::Error,
    },
}

/// Pixels of the PNG per pixel of the SVG.
const PIXELS: f32 = 2.0;

/// Blank margin [px].
const EDGE: f64 = 14.0;

/// Height of a line in the header [px], and font size.
const LINE: [f64; 2] = [19.0, 13.0];

/// Diagrams beneath a header.
#[derive(Debug)]
pub struct Page<'a> {
    /// Common title of all diagrams.
    pub title: &'a str,
    /// Lines beneath the title; the number is the parameter set whose dashes are shown before the line.
    pub head: &'a [(Option<usize>, String)],
    /// The diagrams.
    pub charts: Vec<&'a Chart>,
    /// Number of diagrams side by side.
    pub columns: usize,
}

impl Page<'_> {
    /// Writes `<stem>.svg` and `<stem>.png` into a folder and returns their paths.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path, stem: &str) -> Result<[PathBuf; 2], PageError> {
        let svg = self.svg();
        let png = png(&svg).map_err(|reason| PageError::Drawing { stem: stem.to_owned(), reason })?;
        let files = [folder.join(format!("{stem}.svg")), folder.join(format!("{stem}.png"))];
        for (file, bytes) in files.iter().zip([svg.as_bytes(), &png]) {
            std::fs::write(file, bytes).map_err(|source| PageError::Write { file: file.clone(), source })?;
        }
        Ok(files)
    }

    /// Draws the page as one SVG element, which can also be embedded in an HTML page.
    pub fn svg(&self) -> String {
        let columns = self.columns.min(self.charts.len()).max(1);
        let width = 2.0 * EDGE + SIZE[0] * columns as f64;
        let mut body = text([EDGE + 10.0, EDGE + 20.0], "start", 20.0, self.title);
        let mut y = EDGE + 26.0;
        for (set, line) in self.head {
            let indent = if set.is_some() { 44.0 } else { 10.0 };
            for (index, part) in wrapped(line, width - 2.0 * EDGE - indent).iter().enumerate() {
                y += LINE[0];
                if let (Some(set), 0) = (set, index) {
                    let line =
                        format!("<path d=\"M{} {:.1}h28\" {}/>\n", EDGE + 10.0, y - 4.0, stroke(BLACK, *set));
                    body += &line;
                }
                body += &text([EDGE + indent, y], "start", LINE[1], part);
            }
        }
        let top = y + 12.0;
        for (index, chart) in self.charts.iter().enumerate() {
            let (column, row) = (index % columns, index / columns);
            body +=
                &chart.svg([EDGE + SIZE[0] * column as f64, top + SIZE[1] * row as f64], &index.to_string());
        }
        let height = top + SIZE[1] * self.charts.len().div_ceil(columns) as f64 + EDGE;
        chart::document([width, height], &body)
    }
}

/// Breaks a line at commas into parts that fit.
fn wrapped(line: &str, room: f64) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in line.split_inclusive(", ") {
        match parts.last_mut().filter(|part| chart::width(&format!("{part}{piece}"), LINE[1]) <= room) {
            Some(part) => part.push_str(piece),
            None => parts.push(piece.to_owned()),
        }
    }
    parts
}

fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    let family = family.ok_or("the font cannot be read")?;
    fonts.set_sans_serif_family(&family);
    let options = Options { font_family: family, fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(PIXELS).ok_or("it has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
