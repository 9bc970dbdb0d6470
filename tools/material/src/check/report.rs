//! Result of a check, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::findings::{Finding, Part, Place, Verdict};
use super::worker::Head;

/// Maximum number of parameter sets listed by name.
const LISTED: usize = 6;

/// All findings about a library.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was checked.
    pub head: Head,
    /// Findings in the order in which they were made.
    pub findings: Vec<Finding>,
    /// Reason why there was no device.
    pub no_device: Option<String>,
    /// Duration of the check \[s\].
    pub seconds: f64,
}

impl Report {
    /// Returns the number of broken laws.
    pub fn failures(&self) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count()
    }

    /// Formats the report for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in [&self.head.model, &self.head.library].into_iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "{line}");
        }
        for part in Part::ALL {
            let mut findings = self.findings.iter().filter(|finding| finding.part == part).peekable();
            if findings.peek().is_some() {
                let _ = writeln!(text, "\n{:<36} {:>9} {:>9}", part.name(), "deviation", "allowed");
            }
            findings.for_each(|finding| line(&mut text, finding));
        }
        if let Some(reason) = &self.no_device {
            let _ = writeln!(text, "\nGLSL not checked: {reason}");
        }
        let _ = match (self.failures(), &self.no_device) {
            (0, None) => writeln!(text, "\nno law is broken ({:.1} s)", self.seconds),
            (0, Some(_)) => writeln!(text, "\nno law is broken in f64 ({:.1} s)", self.seconds),
            (1, _) => writeln!(text, "\n1 check failed ({:.1} s)", self.seconds),
            (n, _) => writeln!(text, "\n{n} checks failed ({:.1} s)", self.seconds),
        };
        text
    }

    /// Formats the report for programs.
    pub fn json(&self) -> Value {
        json!({
            "model": self.head.model,
            "library": self.head.library,
            "passed": self.failures() == 0,
            "device_missing": self.no_device,
            "seconds": self.seconds,
            "findings": self.findings,
        })
    }
}

fn line(text: &mut String, finding: &Finding) {
    let verdict = match finding.verdict {
        Verdict::Ok => "ok",
        Verdict::Note => "note",
        Verdict::Skipped => "-",
        Verdict::Fail => "FAIL",
    };
    let (deviation, allowed) = match (finding.deviation, finding.allowed) {
        (Some(deviation), Some(allowed)) => (format!("{deviation:.1e}"), format!("{allowed:.0e}")),
        (None, Some(_)) => ("not finite".to_owned(), String::new()),
        _ => (String::new(), String::new()),
    };
    let is_brief = !matches!(finding.verdict, Verdict::Fail | Verdict::Note);
    let tail = if is_brief { finding.text.as_str() } else { "" };
    let row = format!("  {verdict:<5} {:<28} {deviation:>9} {allowed:>9}  {tail}", finding.check);
    let _ = writeln!(text, "{}", row.trim_end());
    if is_brief {
        return;
    }
    let _ = writeln!(text, "        {}", finding.text);
    if !finding.sets.is_empty() {
        let more = finding.sets.len().saturating_sub(LISTED);
        let listed = finding.sets.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
        let tail = if more > 0 { format!("; and {more} more") } else { String::new() };
        let _ = writeln!(text, "        with {listed}{tail}");
    }
    if let Some(place) = &finding.place {
        let _ = writeln!(text, "        at {}", shown(place));
    }
    for (part, answer) in &finding.answers {
        let quantities = answer.as_object().into_iter().flatten();
        let list: Vec<_> = quantities.map(|(name, value)| format!("{name} = {}", exact(value))).collect();
        let _ = writeln!(text, "        {part:<4} {}", list.join(", "));
    }
}

/// Formats a place as one line.
fn shown(place: &Place) -> String {
    let pairs = |map: &serde_json::Map<String, Value>| {
        map.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let hencky: Vec<_> = place.hencky.iter().map(ToString::to_string).collect();
    let state = if place.state.is_empty() { String::new() } else { format!("; {}", pairs(&place.state)) };
    let tensors: Vec<_> =
        place.tensors.iter().map(|(name, value)| format!("; {name} = {}", brief(value))).collect();
    let (hencky, tensors) = (hencky.join(", "), tensors.concat());
    format!("hencky = [{hencky}], dt = {}{state}{tensors}; {}", place.dt, pairs(&place.parameters))
}

/// Writes numbers with the digits of f32.
fn exact(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(exact).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |x| format!("{x:.7e}")),
        other => other.to_string(),
    }
}

/// Shortens lists of numbers to three digits: a tensor is long, and the JSON contains all of it.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(brief).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |x| match x.abs() {
            0.0 => "0".to_owned(),
            size if size < 1e-2 => format!("{x:.2e}"),
            _ => format!("{x:.3}"),
        }),
        other => other.to_string(),
    }
}
