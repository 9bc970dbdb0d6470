//! USD frames (`.usda`): UsdGeomPoints with one time sample each.
//!
//! Written by hand as text: the crates that write binary USD need a newer compiler or produce files that Pixar's reader rejects.

use std::fmt::Write as _;
use std::io::{self, Write};

use tuff_problem::Frame;
use tuff_scene::{AttributeKind, FrameAttribute};

use crate::columns::{Column, FrameLayout};

/// Name of the points prim in every frame file.
pub(crate) const POINTS: &str = "particles";

impl FrameLayout {
    /// Writes `frame` as a complete `.usda` file.
    pub(crate) fn write_usd(&self, frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
        let code = frame.index;
        write!(
            out,
            "#usda 1.0\n(\n    defaultPrim = \"{POINTS}\"\n    startTimeCode = {code}\n    endTimeCode = {code}\n    metersPerUnit = 1\n{}\
             )\n\ndef Points \"{POINTS}\"\n{{\n",
            self.up_axis()
        )?;
        let count = frame.position.len();
        let vectors = |v: &[f32]| format!("({}, {}, {})", number(v[0]), number(v[1]), number(v[2]));
        sampled(out, code, "point3f[] points", count, &|p| vectors(&frame.position[p].map(|x| x as f32)))?;
        sampled(out, code, "vector3f[] velocities", count, &|p| vectors(&frame.velocity[p]))?;
        sampled(out, code, "int64[] ids", count, &|p| frame.id(p).to_string())?;
        let width = |p: usize| frame.rest_volume.get(p).map_or(0.0, |volume| volume.cbrt());
        sampled(out, code, "float[] widths", count, &|p| number(width(p)))?;
        for column in self.primvars() {
            let value = |p: usize| {
                if column.is_index() {
                    return column.index(frame, p, frame.id(p)).to_string();
                }
                let mut one = [0.0];
                let v = column.numbers(frame, p, &mut one);
                let rows = |at: [usize; 9]| {
                    // The shortest text of an f32 parses to a different f64.
                    let value = |i: usize| number(f64::from(v[at[i]]));
                    let row =
                        |r: usize| format!("({}, {}, {})", value(3 * r), value(3 * r + 1), value(3 * r + 2));
                    format!("({}, {}, {})", row(0), row(1), row(2))
                };
                match column.attribute.kind() {
                    AttributeKind::Scalar | AttributeKind::Index => number(v[0]),
                    AttributeKind::Vector => vectors(v),
                    AttributeKind::Symmetric => rows([0, 5, 4, 5, 1, 3, 4, 3, 2]),
                    AttributeKind::Tensor => rows([0, 1, 2, 3, 4, 5, 6, 7, 8]),
                }
            };
            let declaration = declaration(column);
            writeln!(out, "    {declaration} (\n        interpolation = \"vertex\"\n    )")?;
            sampled(out, code, &declaration, count, &value)?;
        }
        out.write_all(b"}\n")
    }

    /// Returns attribute declarations without values, for the stage.
    pub(crate) fn declarations(&self, indent: &str) -> String {
        let mut text = String::new();
        for fixed in ["point3f[] points", "vector3f[] velocities", "int64[] ids", "float[] widths"] {
            let _ = writeln!(text, "{indent}{fixed}");
        }
        for column in self.primvars() {
            let _ = writeln!(
                text,
                "{indent}{} (\n{indent}    interpolation = \"vertex\"\n{indent})",
                declaration(column)
            );
        }
        text
    }

    /// Iterates over the columns for which UsdGeomPoints has no attribute.
    fn primvars(&self) -> impl Iterator<Item = &Column> {
        let own =
            |column: &&Column| !matches!(column.attribute, FrameAttribute::Velocity | FrameAttribute::Id);
        self.columns.iter().filter(own)
    }

    fn up_axis(&self) -> &'static str {
        if self.comments.iter().any(|comment| comment == "up z") {
            "    upAxis = \"Z\"\n"
        } else {
            "    upAxis = \"Y\"\n"
        }
    }
}

/// Returns type and name of a primvar.
fn declaration(column: &Column) -> String {
    let kind = match column.attribute.kind() {
        AttributeKind::Scalar => "float[]",
        AttributeKind::Index => "int[]",
        AttributeKind::Vector => "vector3f[]",
        AttributeKind::Symmetric | AttributeKind::Tensor => "matrix3d[]",
    };
    format!("{kind} primvars:{}", column.attribute.name())
}

/// Writes an attribute with the values of `count` particles at one time code.
fn sampled(
    out: &mut dyn Write,
    code: u32,
    declaration: &str,
    count: usize,
    value: &dyn Fn(usize) -> String,
) -> io::Result<()> {
    write!(out, "    {declaration}.timeSamples = {{\n        {code}: [")?;
    for p in 0..count {
        write!(out, "{}{}", if p > 0 { ", " } else { "" }, value(p))?;
    }
    out.write_all(b"]\n    }\n")
}

/// Formats a number with the fewest digits that round-trip.
fn number(value: impl std::fmt::Display) -> String {
    let text = value.to_string();
    if text == "NaN" { "nan".to_owned() } else { text }
}
