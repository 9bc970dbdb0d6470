//! Result of a comparison, as a table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::compare::Row;

/// Largest deviations of a model from a file.
#[derive(Debug)]
pub struct Report {
    /// Id and version.
    pub model: String,
    /// Library file.
    pub library: String,
    /// Name of the file of reference values.
    pub vectors: String,
    /// Choice that the file's `meta.model` made, as `parameter = word`.
    pub choice: Option<String>,
    /// `meta.model` of the file if it is another law.
    pub foreign: Option<String>,
    /// Number of items compared.
    pub compared: usize,
    /// Number of items without a logarithm.
    pub without_logarithm: usize,
    /// Deviations of the f64 functions.
    pub double: Vec<Row>,
    /// Result for the GLSL.
    pub device: DevicePart,
    /// Fault reported by one of the model's functions.
    pub fault: Option<String>,
}

/// Result of the part on a device.
#[derive(Debug)]
pub enum DevicePart {
    /// Name of the device, and the deviations.
    Compared(String, Vec<Row>),
    /// Not requested.
    Unwanted,
    /// No device, for this reason.
    Missing(String),
}

impl Report {
    /// Returns the number of fields above their tolerances.
    pub fn failures(&self) -> usize {
        let device: &[Row] = if let DevicePart::Compared(_, rows) = &self.device { rows } else { &[] };
        self.double.iter().chain(device).filter(|row| !row.passed()).count()
    }

    /// Formats the report for people.
    pub fn table(&self) -> String {
        let plural = if self.compared == 1 { "" } else { "s" };
        let mut text = format!("{} against {}: {} item{plural}", self.model, self.vectors, self.compared);
        if self.without_logarithm > 0 {
            let _ = write!(text, ", {} more have no logarithm", self.without_logarithm);
        }
        if let Some(choice) = &self.choice {
            let _ = write!(text, ", {choice}");
        }
        if let Some(law) = &self.foreign {
            let _ =
                write!(text, "\nits meta.model is \"{law}\", which is neither this model nor a choice of it");
        }
        let _ =
            write!(text, "\n{}\n\n  {:<26} {:>9} {:>9}  item\n", self.library, "", "deviation", "allowed");
        rows(&mut text, "f64", &self.double);
        match &self.device {
            DevicePart::Compared(name, list) => rows(&mut text, &format!("GLSL on {name}"), list),
            DevicePart::Unwanted => {}
            DevicePart::Missing(reason) => {
                let _ = writeln!(text, "GLSL not evaluated: {reason}");
            }
        }
        if let Some(fault) = &self.fault {
            let _ = writeln!(text, "fault: {fault}");
        }
        let _ = match self.failures() {
            0 if matches!(self.device, DevicePart::Compared(..)) => writeln!(text, "\nwithin all tolerances"),
            0 => writeln!(text, "\nf64 is within all tolerances"),
            1 => writeln!(text, "\n1 field is above its tolerance"),
            n => writeln!(text, "\n{n} fields are above their tolerances"),
        };
        text
    }

    /// Formats the report for programs. A deviation that is not finite is null.
    pub fn json(&self) -> Value {
        let list = |rows: &[Row]| {
            let row = |r: &Row| json!({ "field": r.field, "deviation": r.deviation, "allowed": r.allowed, "item": r.item, "passed": r.passed() });
            Value::from(rows.iter().map(row).collect::<Vec<_>>())
        };
        let device = match &self.device {
            DevicePart::Compared(name, rows) => json!({ "name": name, "fields": list(rows) }),
            DevicePart::Unwanted => Value::Null,
            DevicePart::Missing(reason) => json!({ "missing": reason }),
        };
        json!({
            "model": self.model,
            "library": self.library,
            "vectors": self.vectors,
            "choice": self.choice,
            "compared": self.compared,
            "without_logarithm": self.without_logarithm,
            "f64": list(&self.double),
            "device": device,
            "fault": self.fault,
            "passed": self.failures() == 0,
        })
    }
}

fn rows(text: &mut String, title: &str, rows: &[Row]) {
    let _ = writeln!(text, "{title}");
    for row in rows {
        let mark = if row.passed() { "" } else { "  <- above" };
        let _ = writeln!(
            text,
            "  {:<26} {:>9} {:>9}  {}{mark}",
            row.field,
            format!("{:.1e}", row.deviation),
            format!("{:.0e}", row.allowed),
            row.item
        );
    }
}
