//! Arguments of `tuff-validate`.

use std::path::PathBuf;

use clap::Parser;
use tuff_validate::{Card, Settings, Size, cards};

const EXAMPLES: &str = "\
Examples:
  tuff-validate --quick                 every card at a size for two cores
  tuff-validate B6 B31                  two cards in full
  tuff-validate --paper 14 9            the paper's figures 14 and 9
  tuff-validate --settings default      solved like a scene that names no settings
  tuff-validate --list                  the cards, and how long they take
  tuff-validate --quick --keep          also stored in the sources, with device and commit

Outcomes are stored in DIR/cards; a card with an outcome of the same size, settings and commit is not run again unless --again is given, so
an interrupted run continues where it was. DIR/report.html shows all existing outcomes.

Exit codes: 0 no check failed   1 a check failed or a card did not end   2 bad arguments or material libraries
            3 no usable device   5 the report cannot be written";

/// Name of the processor as a device.
pub const CPU: &str = "cpu";

/// Commit of a program that was not told its own.
pub const UNKNOWN: &str = "unknown";

/// Runs benchmarks of mechanics and writes a report: references, what was measured, and diagrams.
#[derive(Debug, Parser)]
#[command(name = "tuff-validate", version, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// Ids of the cards to run [default: all]
    #[arg(value_name = "CARD")]
    pub cards: Vec<String>,
    /// Name figures of the XPBI paper instead of cards [default: all figures]
    #[arg(long)]
    pub paper: bool,
    /// Run smaller and fewer simulations
    #[arg(long)]
    pub quick: bool,
    /// Use the size of the default tests, which is even smaller
    #[arg(long, conflicts_with = "quick", hide = true)]
    pub test: bool,
    /// Settings of the solver: the cards' own, the defaults, or both in turn
    #[arg(long, value_name = "WHICH", default_value = "both", value_parser = ["own", "default", "both"])]
    pub settings: String,
    /// List the cards with their run times, and run nothing
    #[arg(long)]
    pub list: bool,
    /// Run cards even if they already have an outcome
    #[arg(long)]
    pub again: bool,
    /// Also store the report in tools/validate/runs, named after device, commit and size: numbers as JSON, and the page
    #[arg(long)]
    pub keep: bool,
    /// Folder of the report
    #[arg(long, value_name = "DIR", default_value = "out/validation")]
    pub out: PathBuf,
    /// Vulkan device by index or part of its name, or cpu, on which cards run with default settings alone
    #[arg(long)]
    pub device: Option<String>,
    /// Commit recorded in outcomes; outcomes of the same commit are not repeated
    #[arg(long, env = "TUFF_COMMIT", default_value = UNKNOWN, hide = true)]
    pub commit: String,
    /// Folder with material libraries, or one library; searched first
    #[arg(long, value_name = "DIR")]
    pub material_path: Vec<PathBuf>,
}

impl Arguments {
    /// Returns the amount of work per card.
    pub fn size(&self) -> Size {
        match (self.test, self.quick) {
            (true, _) => Size::Test,
            (_, true) => Size::Quick,
            _ => Size::Full,
        }
    }

    /// Returns true if the cards are to run on the processor.
    pub fn on_processor(&self) -> bool {
        self.device.as_deref() == Some(CPU)
    }

    /// Returns the requested settings that apply to a card.
    pub fn settings(&self, card: &Card) -> impl Iterator<Item = Settings> {
        let both = self.settings == "both";
        let wanted = move |settings: &Settings| match settings {
            Settings::Own if self.on_processor() => false,
            _ => both || self.settings == settings.word(),
        };
        card.settings().iter().copied().filter(wanted)
    }

    /// Returns the requested cards, in the order of the report.
    pub fn chosen(&self) -> Result<Vec<&'static Card>, String> {
        let of_paper = |card: &&Card| !self.paper || card.figure.is_some();
        let name = |card: &Card| if self.paper { card.figure.unwrap_or_default() } else { card.id };
        let known: Vec<&Card> = cards::all().iter().filter(of_paper).collect();
        for wanted in &self.cards {
            if !known.iter().any(|card| name(card).eq_ignore_ascii_case(wanted)) {
                let mut names: Vec<_> = known.iter().map(|card| name(card)).collect();
                if self.paper {
                    names.sort_by_key(|name| (name.parse().unwrap_or(u32::MAX), *name));
                    names.dedup();
                }
                let kind = if self.paper { "figure" } else { "card" };
                return Err(format!("there is no {kind} \"{wanted}\"; there are {}", names.join(", ")));
            }
        }
        let wanted = |card: &&Card| {
            self.cards.is_empty() || self.cards.iter().any(|c| name(card).eq_ignore_ascii_case(c))
        };
        Ok(known.into_iter().filter(wanted).collect())
    }
}
