//! The fast cards of the validation suite at the size of the default tests: motions and equilibria with a closed form or a
//! published number. `cargo xtask validate` runs all cards at larger sizes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::ExitCode;

use tuff_tests::{DeviceTest, library, run_device_tests};
use tuff_validate::{Findings, Lab, Size, Verdict, cards};

/// Tests that run a card each.
macro_rules! cards {
    ($($id:literal),* $(,)?) => {
        &[$(($id, (|| card($id)) as fn())),*]
    };
}

const CARDS: &[DeviceTest] = cards![
    "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B11", "B13", "B14", "B15", "B17", "B18", "B19",
    "B23", "B25", "B31", "E1", "E3", "E4", "P6", "P12",
];

fn main() -> ExitCode {
    run_device_tests(CARDS, &[])
}

/// Runs a card; anything that is not as it should be fails the test.
fn card(id: &str) {
    let card = cards::all().iter().find(|card| card.id == id).unwrap();
    let lab = Lab::new(library(), None, Size::Test);
    let mut findings = Findings::new(id);
    let outcome = card.run(&lab, &mut findings);
    for check in &findings.checks {
        println!(
            "{:?}: {} = {} {} ({:?})",
            check.verdict(),
            check.what,
            check.measured,
            check.unit,
            check.expected
        );
    }
    outcome.unwrap_or_else(|error| panic!("{id}: {error}"));
    assert!(!findings.checks.is_empty(), "{id} checks nothing");
    assert_ne!(findings.verdict(), Verdict::Failed, "{id}: {}", card.title);
}
