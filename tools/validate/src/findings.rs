//! Findings of a card.

use serde::{Deserialize, Serialize};
use tuff_chart::Chart;

use crate::{Check, Deviation, Expected, Lab, Verdict};

/// Why momentum is not conserved to the last bit with default settings.
pub const BALANCE: &str = "newton_cg ends at an imbalance of 1 % of the first, and what is left of it has a sum and a moment, where sweeps of pairs have none";

/// Why flow with default settings is slower than without smoothing.
pub const SMOOTHING: &str = "velocities that no gradient explains are smoothed by default, a viscosity of 13.3 r^2/s, which falls with the resolution";

/// Why motions lose energy with default settings.
pub const DAMPING: &str = "implicit Euler damps what the step that is found does not resolve; the check holds at the card's own step";

/// Numbers, diagrams, pictures and remarks of a card.
#[derive(Debug, Serialize, Deserialize)]
pub struct Findings {
    /// Id of the card.
    pub card: String,
    /// Measured numbers with their expected values.
    pub checks: Vec<Check>,
    /// Diagrams as SVG.
    pub diagrams: Vec<String>,
    /// Pictures.
    pub images: Vec<Image>,
    /// Settings, explanations and evidence, one paragraph each.
    pub remarks: Vec<String>,
}

/// A picture.
#[derive(Debug, Serialize, Deserialize)]
pub struct Image {
    /// Description of the picture.
    pub caption: String,
    /// PNG in Base64.
    pub png: String,
}

impl Findings {
    /// Creates empty findings.
    pub fn new(card: &str) -> Self {
        Self {
            card: card.to_owned(),
            checks: Vec::new(),
            diagrams: Vec::new(),
            images: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds a number with its expected value.
    pub fn check(&mut self, what: impl Into<String>, unit: &str, measured: f64, expected: Expected) {
        let check = Check { what: what.into(), unit: unit.to_owned(), measured, expected, deviation: None };
        self.checks.push(check);
    }

    /// Adds a number that should be within `tolerance` (relative) of the reference.
    pub fn relative(
        &mut self,
        what: impl Into<String>,
        unit: &str,
        measured: f64,
        reference: f64,
        tolerance: f64,
    ) {
        self.check(what, unit, measured, Expected::Relative { reference, tolerance });
    }

    /// Adds a number for information only.
    pub fn record(&mut self, what: impl Into<String>, unit: &str, measured: f64) {
        self.check(what, unit, measured, Expected::Anything);
    }

    /// Gives the last number a reason to lie outside its expected range, and a wider range.
    pub fn known(&mut self, within: Expected, reason: &str) {
        if let Some(check) = self.checks.last_mut() {
            check.deviation = Some(Deviation { within, reason: reason.to_owned() });
        }
    }

    /// Like [`known`](Self::known), but only with default settings.
    pub fn known_by_default(&mut self, lab: &Lab, within: Expected, reason: &str) {
        if lab.by_default() {
            self.known(within, reason);
        }
    }

    /// Adds a setting, an explanation or a piece of evidence.
    pub fn remark(&mut self, text: impl Into<String>) {
        self.remarks.push(text.into());
    }

    /// Adds a diagram.
    pub fn diagram(&mut self, chart: &Chart) {
        let id = format!("{}_{}", self.card, self.diagrams.len());
        self.diagrams.push(chart.document(&id));
    }

    /// Adds a picture in PNG.
    pub fn image(&mut self, caption: impl Into<String>, png: &[u8]) {
        use base64::Engine as _;
        let png = base64::engine::general_purpose::STANDARD.encode(png);
        self.images.push(Image { caption: caption.into(), png });
    }

    /// Returns the worst verdict of all checks.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).max().unwrap_or(Verdict::Recorded)
    }
}
