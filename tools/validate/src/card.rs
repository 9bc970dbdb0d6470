//! A benchmark card and its settings.

use serde::{Deserialize, Serialize};

use crate::{CardError, Findings, Lab};

/// A benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Short name: `B6` is an open benchmark, `P6` an experiment of the XPBI paper.
    pub id: &'static str,
    /// Short title of what is shown.
    pub title: &'static str,
    /// Source of the reference values.
    pub reference: &'static str,
    /// Figure of the paper that the card reproduces: its number, or a word if it has none.
    pub figure: Option<&'static str>,
    /// Approximate run times on two cores with a software driver [min]: test, quick, full.
    pub minutes: [f64; 3],
    /// Whether it is also judged with default settings.
    pub by_default: ByDefault,
    /// Runs the card.
    pub run: fn(&Lab, &mut Findings) -> Result<(), CardError>,
}

/// Solver settings of a card's simulations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settings {
    /// The card's own settings: the scheme, step and smoothing that suit its subject.
    Own,
    /// Settings of a scene that specifies only the kernel radius and `max_substep = "auto"`.
    Default,
}

impl Settings {
    /// Returns the name of the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Default => "default",
        }
    }
}

/// Whether a card is judged with default settings.
#[derive(Debug, Clone, Copy)]
pub enum ByDefault {
    /// It is; approximate run times as in [`Card::minutes`].
    Judged([f64; 3]),
    /// It is not, for this reason.
    No(&'static str),
}

/// Amount of work per card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// For the default tests.
    Test,
    /// Every card, in a size for two cores.
    Quick,
    /// The particle counts of the literature and all variants.
    Full,
}

impl Card {
    /// Returns the figure's full name: `Fig. 14`, `Table 2`, `inset`.
    pub fn figure_name(&self) -> Option<String> {
        self.figure.map(|figure| match figure.strip_prefix("table") {
            Some(number) => format!("Table {number}"),
            None if figure.starts_with(|c: char| c.is_ascii_digit()) => format!("Fig. {figure}"),
            None => figure.to_owned(),
        })
    }

    /// Returns the settings with which the card is judged.
    pub fn settings(&self) -> &'static [Settings] {
        match self.by_default {
            ByDefault::Judged(_) => &[Settings::Own, Settings::Default],
            ByDefault::No(_) => &[Settings::Own],
        }
    }

    /// Returns the approximate run time [min].
    pub fn minutes(&self, size: Size, settings: Settings) -> f64 {
        match (settings, self.by_default) {
            (Settings::Default, ByDefault::Judged(minutes)) => minutes[size as usize],
            _ => self.minutes[size as usize],
        }
    }

    /// Runs the card.
    ///
    /// # Errors
    /// The error that kept the card from finishing; [`Findings`] hold what was found until then.
    pub fn run(&self, lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
        (self.run)(lab, findings)
    }
}
