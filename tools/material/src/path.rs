//! Paths of strains and stresses in CSV files.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use tuff_material::piece::COMPONENTS;

use crate::exit::Stop;

/// What a row prescribes for a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// Strain since the start \[-\].
    Strain(f64),
    /// Strain since the row before \[-\].
    Change(f64),
    /// Cauchy stress \[Pa\].
    Stress(f64),
}

/// A row of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// Number of increments.
    pub steps: u32,
    /// Targets of the components.
    pub targets: [Target; 6],
}

/// Quantity that a column prescribes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Strain,
    Change,
    Stress,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Time,
    Steps,
    Component(usize, Quantity),
}

/// Reads a path; `steps`: increments of rows that do not tell.
pub fn read(path: &Path, steps: u32) -> Result<Vec<Row>, Stop> {
    let wrong = |what: String| Stop::bad_input(format!("{}{what}", path.display()));
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .comment(Some(b'#'))
        .flexible(true)
        .from_path(path)
        .map_err(|error| wrong(format!(": {error}")))?;
    let unreadable = |error: csv::Error| {
        let line = error.position().map_or_else(String::new, |at| format!(":{}", at.line()));
        wrong(match error.kind() {
            csv::ErrorKind::Utf8 { .. } => format!("{line}: not UTF-8; save the table as CSV in UTF-8"),
            _ => format!("{line}: {error}"),
        })
    };
    let headers = reader.headers().map_err(unreadable)?.clone();
    let mut columns = Vec::new();
    for (index, name) in headers.iter().enumerate() {
        let column = column(name).map_err(|what| wrong(format!(": column {name:?}: {what}")))?;
        if columns.contains(&column) {
            return Err(wrong(format!(": column {} ({name}): there are two of it", index + 1)));
        }
        columns.push(column);
    }
    let mut rows: Vec<Row> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != headers.len() {
            let (cells, columns) = (record.len(), headers.len());
            return Err(wrong(format!(":{line}: {cells} cells, but the header has {columns}")));
        }
        let before = rows.last().map_or(0.0, |row| row.time);
        let row = row(&record, (&headers, &columns), before, steps);
        rows.push(Row { line, ..row.map_err(|what| wrong(format!(":{line}: {what}")))? });
    }
    if rows.is_empty() {
        return Err(wrong(": the path has no rows; see tuff material drive --help".to_owned()));
    }
    Ok(rows)
}

fn column(name: &str) -> Result<Column, String> {
    match name {
        "time" => return Ok(Column::Time),
        "steps" => return Ok(Column::Steps),
        _ => {}
    }
    let known = "known are time, steps, and strain_, dstrain_ or stress_ with xx, yy, zz, yz, xz or xy, separated by commas";
    let (kind, place) = name.split_once('_').ok_or(known)?;
    let long = match place {
        "x" | "y" | "z" => place.repeat(2),
        _ => place.to_owned(),
    };
    let component = COMPONENTS.iter().position(|component| *component == long).ok_or(known)?;
    let quantity = match kind {
        "strain" => Quantity::Strain,
        "dstrain" => Quantity::Change,
        "stress" => Quantity::Stress,
        _ => return Err(known.to_owned()),
    };
    Ok(Column::Component(component, quantity))
}

fn row(
    record: &StringRecord,
    (headers, columns): (&StringRecord, &[Column]),
    before: f64,
    steps: u32,
) -> Result<Row, String> {
    let (mut time, mut count, mut targets) = (before + 1.0, steps, [None; 6]);
    for ((cell, name), column) in record.iter().zip(headers).zip(columns) {
        if cell.is_empty() {
            continue;
        }
        let number = cell.parse::<f64>().ok().filter(|x| x.is_finite());
        let number = number.ok_or_else(|| format!("{name} = {cell:?} is not a finite number"))?;
        match *column {
            Column::Time if number <= before => {
                let hint =
                    if before == 0.0 { "; the path starts at rest at 0 s, without a row for it" } else { "" };
                return Err(format!(
                    "time = {number} must be later than {before} s, where the row begins{hint}"
                ));
            }
            Column::Time => time = number,
            Column::Steps if number.fract() != 0.0 || !(1.0..=1e6).contains(&number) => {
                return Err(format!("steps = {cell}: allowed are whole numbers from 1 to 1000000"));
            }
            Column::Steps => count = number as u32,
            Column::Component(component, quantity) => {
                let target = match quantity {
                    Quantity::Strain => Target::Strain(number),
                    Quantity::Change => Target::Change(number),
                    Quantity::Stress => Target::Stress(number),
                };
                if let Some((other, _)) = targets[component].replace((name, target)) {
                    return Err(format!("both {other} and {name} are given; leave one of the cells empty"));
                }
            }
        }
    }
    let mut all = [Target::Change(0.0); 6];
    for (index, target) in targets.into_iter().enumerate() {
        let component = COMPONENTS[index];
        match target {
            Some((_, target)) => all[index] = target,
            None if index < 3 => {
                return Err(format!(
                    "nothing is given for {component}: fill one of strain_{component}, dstrain_{component} and stress_{component}"
                ));
            }
            None => {}
        }
    }
    Ok(Row { line: 0, time, steps: count, targets: all })
}
