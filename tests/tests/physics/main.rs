//! Cards of the validation suite at their smallest size: motions and equilibria with a closed form or a published number.
//! `cargo xtask validate` runs all cards at larger sizes.
//!
//! Every card that is judged by default settings runs with them if that takes at most a minute, and with its own settings if that
//! takes at most 12 s; what is left runs when asked for with `--ignored`. Cards that measure times are not for tests.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::ExitCode;

use tuff_tests::{library, run_device_functions};
use tuff_validate::{Card, Findings, Lab, Settings, Size, Verdict, cards};

/// Longest time of a card in the default tests [min on two cores of a software driver].
const fn longest(settings: Settings) -> f64 {
    match settings {
        Settings::Default => 1.0,
        Settings::Own => 0.2,
    }
}

/// Cards that measure times.
const TIMED: [&str; 3] = ["P10", "P11", "P14"];

fn main() -> ExitCode {
    let (mut tests, mut slow) = (Vec::new(), Vec::new());
    for card in cards::all() {
        for &settings in card.settings() {
            let name = format!("{}::{}", card.id, settings.word());
            let fits = card.minutes(Size::Test, settings) <= longest(settings) && !TIMED.contains(&card.id);
            let list = if fits { &mut tests } else { &mut slow };
            list.push((name, move || judge(card, settings)));
        }
    }
    run_device_functions(tests, slow)
}

/// Runs a card; anything that is not as it should be fails the test.
fn judge(card: &Card, settings: Settings) {
    let lab = Lab::new(library(), None, Size::Test, settings);
    let mut findings = Findings::new(card.id);
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
    let id = card.id;
    outcome.unwrap_or_else(|error| panic!("{id}: {error}"));
    assert!(!findings.checks.is_empty(), "{id} checks nothing");
    assert_ne!(findings.verdict(), Verdict::Failed, "{id}: {}", card.title);
}
