//! Compares measured numbers with expected ones.

use serde::{Deserialize, Serialize};
use tuff_chart::number as text_of;

/// A measured number and its expected value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Check {
    /// Description of the measured quantity.
    pub what: String,
    /// Unit; empty if there is none.
    pub unit: String,
    /// Measured number.
    #[serde(with = "number")]
    pub measured: f64,
    /// Expected value.
    pub expected: Expected,
    /// Deviation with a known cause.
    pub deviation: Option<Deviation>,
}

/// Expected value of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Within `tolerance` (relative) of the reference.
    Relative {
        /// Reference.
        reference: f64,
        /// Largest |measured / reference - 1|.
        tolerance: f64,
    },
    /// Within `tolerance` (in the unit of the number) of the reference.
    Absolute {
        /// Reference.
        reference: f64,
        /// Largest |measured - reference|.
        tolerance: f64,
    },
    /// Inside a range, ends included.
    Between(f64, f64),
    /// Not above.
    AtMost(f64),
    /// Not below.
    AtLeast(f64),
    /// Recorded for information only.
    Anything,
}

/// Reason why a number misses its expected value, and the range that the reason explains.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Deviation {
    /// Wider range that the cause explains.
    pub within: Expected,
    /// Cause and evidence, in a sentence or two.
    pub reason: String,
}

/// Verdict of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Recorded for information only.
    Recorded,
    /// As expected.
    Passed,
    /// Not as expected, for a known reason and within the range that it explains.
    Deviates,
    /// Not as expected, without explanation.
    Failed,
}

impl Expected {
    /// Returns whether a number is as expected; a number that is not finite never is.
    pub fn holds(&self, measured: f64) -> bool {
        measured.is_finite()
            && match *self {
                Self::Relative { reference, tolerance } => (measured / reference - 1.0).abs() <= tolerance,
                Self::Absolute { reference, tolerance } => (measured - reference).abs() <= tolerance,
                Self::Between(low, high) => (low..=high).contains(&measured),
                Self::AtMost(limit) => measured <= limit,
                Self::AtLeast(limit) => measured >= limit,
                Self::Anything => true,
            }
    }

    /// Formats the reference and the tolerance; `unit` starts with a space or is empty.
    pub fn words(&self, unit: &str) -> (String, String) {
        let bare = |text: String| (text, String::new());
        match *self {
            Self::Relative { reference, tolerance } => {
                (text_of(reference) + unit, format!("{} %", text_of(100.0 * tolerance)))
            }
            Self::Absolute { reference, tolerance } => (text_of(reference) + unit, text_of(tolerance) + unit),
            Self::Between(low, high) => bare(format!("{} to {}{unit}", text_of(low), text_of(high))),
            Self::AtMost(limit) => bare(format!("at most {}{unit}", text_of(limit))),
            Self::AtLeast(limit) => bare(format!("at least {}{unit}", text_of(limit))),
            Self::Anything => Default::default(),
        }
    }
}

impl Check {
    /// Formats the measured number and its expected value in one line of plain text.
    pub fn line(&self) -> String {
        let unit = self.unit_after();
        let (reference, tolerance) = self.expected.words(&unit);
        let within = if tolerance.is_empty() { String::new() } else { format!(" within {tolerance}") };
        // Six digits: the number is shown next to a bound that it may barely miss.
        let measured = match self.measured.abs() {
            0.0 => "0".to_owned(),
            1e-3..1e6 => format!("{:.6}", self.measured),
            _ => format!("{:.5e}", self.measured),
        };
        let line = match self.expected {
            Expected::Anything => format!("{} = {measured}{unit}", self.what),
            _ => format!("{} = {measured}{unit}, not {reference}{within}", self.what),
        };
        line.replace('\u{2212}', "-")
    }

    /// Returns the unit in the form that follows a number.
    pub fn unit_after(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        if self.expected.holds(self.measured) {
            return if self.expected == Expected::Anything { Verdict::Recorded } else { Verdict::Passed };
        }
        match &self.deviation {
            Some(deviation) if deviation.within.holds(self.measured) => Verdict::Deviates,
            _ => Verdict::Failed,
        }
    }

    /// Returns the distance from the reference if there is one: relative, or in the unit of the number.
    pub fn error(&self) -> Option<f64> {
        match self.expected {
            Expected::Relative { reference, .. } => Some(self.measured / reference - 1.0),
            Expected::Absolute { reference, .. } => Some(self.measured - reference),
            _ => None,
        }
    }
}

impl Verdict {
    /// Returns the word for the verdict.
    pub fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Passed => "passed",
            Self::Deviates => "deviates",
            Self::Failed => "FAILED",
        }
    }
}

/// Numbers in JSON, which has neither NaN nor infinity: both become `null`, which is read as NaN.
mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_kept_as_such() {
        for measured in [1.5, f64::NAN, f64::INFINITY] {
            let kept = serde_json::to_string(&check(measured, Expected::AtMost(2.0))).unwrap();
            let read: Check = serde_json::from_str(&kept).unwrap();
            assert_eq!(read.measured.is_finite(), measured.is_finite());
            assert_eq!(read.verdict(), check(measured, Expected::AtMost(2.0)).verdict());
        }
    }

    #[test]
    fn a_line_says_what_was_expected() {
        let line = |measured, expected| check(measured, expected).line();
        let relative = Expected::Relative { reference: -2.0, tolerance: 0.05 };
        assert_eq!(line(1.3502, Expected::AtMost(1.35)), " = 1.350200, not at most 1.35");
        assert_eq!(line(-1.0, relative), " = -1.000000, not -2 within 5 %");
        assert_eq!(line(1.5e-8, Expected::AtMost(1e-8)), " = 1.50000e-8, not at most 1e-8");
        assert_eq!(line(f64::NAN, Expected::Anything), " = NaN");
    }

    fn check(measured: f64, expected: Expected) -> Check {
        Check { what: String::new(), unit: String::new(), measured, expected, deviation: None }
    }

    #[test]
    fn numbers_are_judged_by_their_ranges() {
        let near = Expected::Relative { reference: -2.0, tolerance: 0.05 };
        assert_eq!(check(-2.09, near).verdict(), Verdict::Passed);
        assert_eq!(check(-2.11, near).verdict(), Verdict::Failed);
        assert_eq!(check(2.0, near).verdict(), Verdict::Failed);
        assert_eq!(
            check(0.1, Expected::Absolute { reference: 0.0, tolerance: 0.1 }).verdict(),
            Verdict::Passed
        );
        assert_eq!(check(1.0, Expected::Between(1.0, 2.0)).verdict(), Verdict::Passed);
        assert_eq!(check(2.1, Expected::Between(1.0, 2.0)).verdict(), Verdict::Failed);
        assert_eq!(check(3.0, Expected::Anything).verdict(), Verdict::Recorded);
    }

    #[test]
    fn what_is_not_finite_fails_everything() {
        for expected in [Expected::Anything, Expected::AtMost(1.0), Expected::AtLeast(f64::NEG_INFINITY)] {
            assert_eq!(check(f64::NAN, expected).verdict(), Verdict::Failed);
            assert_eq!(check(f64::NEG_INFINITY, expected).verdict(), Verdict::Failed);
        }
    }

    #[test]
    fn a_known_deviation_has_a_bound() {
        let deviation = Deviation { within: Expected::AtMost(0.2), reason: "coarse".to_owned() };
        let at =
            |measured| Check { deviation: Some(deviation.clone()), ..check(measured, Expected::AtMost(0.1)) };
        assert_eq!(at(0.05).verdict(), Verdict::Passed);
        assert_eq!(at(0.15).verdict(), Verdict::Deviates);
        assert_eq!(at(0.25).verdict(), Verdict::Failed);
    }
}
