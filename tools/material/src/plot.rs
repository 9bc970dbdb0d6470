//! `tuff material plot`.

use std::fmt::Write;

use tuff_material_sdk::descriptor::Variant;

use crate::args::{CurveKind, PlotArgs};
use crate::curves::{Diagrams, Tests, Wishes};
use crate::exit::{NOT_WRITTEN, Stop};
use crate::sets::{self, Set};
use crate::tensor_curves::TensorTests;
use crate::{find, note, print};
use tuff_chart::Chart;
use tuff_chart::Page;

/// Minimum and maximum number of diagrams side by side on an overview with two rows.
const COLUMNS: [usize; 2] = [3, 4];

/// Writes a picture of every curve and an overview, and prints their paths.
pub fn plot(args: &PlotArgs) -> Result<(), Stop> {
    let model = find::model(&args.model, &args.material_path)?;
    let first = sets::first(&model, args.preset.as_deref(), &args.params)?;
    let second = sets::second(&model, &first, args.compare_preset.as_deref(), &args.compare)?;
    let sets: Vec<&Set> = std::iter::once(&first).chain(&second).collect();
    let wishes = Wishes { rates: args.rates.clone(), pressure: args.pressure, strain: args.strain };
    let tests: Box<dyn Diagrams> = match model.descriptor().variant {
        Variant::Principal => Box::new(Tests::new(&model, &sets, wishes)),
        Variant::Tensor { .. } => Box::new(TensorTests::new(&model, &sets, wishes)),
    };
    let pictures = pictures(tests.as_ref(), &args.curves)?;

    let out = &args.out;
    std::fs::create_dir_all(out)
        .map_err(|error| Stop::new(NOT_WRITTEN, format!("cannot write {}: {error}", out.display())))?;
    let descriptor = model.descriptor();
    let title = format!("{} {}", descriptor.id, descriptor.version);
    let head = head(&model, &first, second.as_ref());
    let mut written = Vec::new();
    let mut write = |name: &str, charts: Vec<&Chart>, columns: usize| -> Result<(), Stop> {
        let page = Page { title: &title, head: &head, charts, columns };
        written.extend(page.write(out, &format!("{}_{name}", descriptor.id))?);
        Ok(())
    };
    for (name, charts) in &pictures {
        write(name, charts.iter().collect(), charts.len())?;
    }
    let all: Vec<_> = pictures.iter().flat_map(|(_, charts)| charts).collect();
    let columns = all.len().div_ceil(2).clamp(COLUMNS[0], COLUMNS[1]);
    write("overview", all, columns)?;
    let mut text = String::new();
    for file in written {
        let _ = writeln!(text, "{}", file.display());
    }
    print(&text)
}

/// Draws the wanted diagrams, by name; those that were not requested explicitly and cannot be drawn are left out with a remark.
fn pictures(tests: &dyn Diagrams, wanted: &[CurveKind]) -> Result<Vec<(&'static str, Vec<Chart>)>, Stop> {
    let mut kinds = if wanted.is_empty() { tests.kinds() } else { wanted.to_vec() };
    kinds.sort();
    kinds.dedup();
    let mut pictures = Vec::new();
    let mut refused = None;
    for kind in kinds {
        match tests.charts(kind) {
            Ok(charts) => pictures.push((kind.name(), charts)),
            Err(stop) if wanted.is_empty() => {
                note(&stop.message);
                refused = Some(stop);
            }
            Err(stop) => return Err(stop),
        }
    }
    match refused {
        Some(stop) if pictures.is_empty() => Err(Stop::silent(stop.code)),
        _ => Ok(pictures),
    }
}

/// Lists the parameters: all of one set, or those that two sets share and those in which they differ.
fn head(model: &tuff_plugin::Model, first: &Set, second: Option<&Set>) -> Vec<(Option<usize>, String)> {
    let origin = |set: &Set| set.origin.as_ref().map(|name| format!("preset {name}: ")).unwrap_or_default();
    let Some(second) = second else {
        return vec![(None, format!("{}{}", origin(first), sets::described(model, first, None)))];
    };
    let one_origin = first.origin == second.origin;
    let named = |letter: &str, set: &Set, other: &Set| {
        let origin = if one_origin { String::new() } else { origin(set) };
        format!("{letter}: {origin}{}", sets::described(model, set, Some(other)))
    };
    let common = if one_origin { origin(first) } else { String::new() };
    vec![
        (None, format!("both: {common}{}", sets::shared(model, first, second))),
        (Some(0), named("A", first, second)),
        (Some(1), named("B", second, first)),
    ]
}
