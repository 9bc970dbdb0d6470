//! What a card is.

use serde::{Deserialize, Serialize};

use crate::{CardError, Findings, Lab};

/// A benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Short name: `B6` is an open benchmark, `P6` an experiment of the XPBI paper.
    pub id: &'static str,
    /// What is shown, in a few words.
    pub title: &'static str,
    /// Where the reference values come from.
    pub reference: &'static str,
    /// Figure of the paper that it stands for: its number, or a word for what has none.
    pub figure: Option<&'static str>,
    /// About how long the sizes take on two cores of a software driver [min]: test, quick, full.
    pub minutes: [f64; 3],
    /// Whether it is judged by default settings as well.
    pub by_default: ByDefault,
    /// Does it.
    pub run: fn(&Lab, &mut Findings) -> Result<(), CardError>,
}

/// Settings of the solver that a card's simulations take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settings {
    /// The card's own: the scheme, the step and the smoothing that belong to its subject.
    Own,
    /// Those of a scene that gives nothing but the kernel radius and `max_substep = "auto"`.
    Default,
}

impl Settings {
    /// The word for them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Default => "default",
        }
    }
}

/// What a card has to do with default settings.
#[derive(Debug, Clone, Copy)]
pub enum ByDefault {
    /// Judged by them, too; about how long that takes, as [`Card::minutes`].
    Judged([f64; 3]),
    /// Its subject has none, and why.
    No(&'static str),
}

/// How much work a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// For the default tests.
    Test,
    /// Every card at a size for two cores.
    Quick,
    /// The particle counts of the literature and all variants.
    Full,
}

impl Card {
    /// The figure as a reader knows it: `Fig. 14`, `Table 2`, `inset`.
    pub fn figure_name(&self) -> Option<String> {
        self.figure.map(|figure| match figure.strip_prefix("table") {
            Some(number) => format!("Table {number}"),
            None if figure.starts_with(|c: char| c.is_ascii_digit()) => format!("Fig. {figure}"),
            None => figure.to_owned(),
        })
    }

    /// The settings that it is judged with.
    pub fn settings(&self) -> &'static [Settings] {
        match self.by_default {
            ByDefault::Judged(_) => &[Settings::Own, Settings::Default],
            ByDefault::No(_) => &[Settings::Own],
        }
    }

    /// About how long it takes [min].
    pub fn minutes(&self, size: Size, settings: Settings) -> f64 {
        match (settings, self.by_default) {
            (Settings::Default, ByDefault::Judged(minutes)) => minutes[size as usize],
            _ => self.minutes[size as usize],
        }
    }

    /// Runs the card.
    ///
    /// # Errors
    /// What kept it from its end; [`Findings`] hold what was found until then.
    pub fn run(&self, lab: &Lab, findings: &mut Findings) -> Result<(), CardError> {
        (self.run)(lab, findings)
    }
}
