//! Cards of the validation suite at their smallest size: motions and equilibria with a closed form or a published number.
//! `cargo xtask validate` runs all cards at larger sizes.
//!
//! Every card that is judged with default settings runs with them if this takes at most a minute, and with its own settings if this takes
//! at most 12 s; the others run with `--ignored`. Cards that measure times are excluded. Deviations for a known reason are listed in
//! `known_deviations.txt`. Default settings come with the default device: the processor, where there is no GPU.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::ExitCode;

use tuff_tests::{library, run_device_functions};
use tuff_validate::{Card, Check, Findings, Lab, Settings, Size, Verdict, cards};

/// Returns the longest run time of a card in the default tests [min on two cores with a software driver].
const fn longest(settings: Settings) -> f64 {
    match settings {
        Settings::Default => 1.0,
        Settings::Own => 0.2,
    }
}

/// Deviations in the default run whose reasons the cards give.
const KNOWN: &str = include_str!("known_deviations.txt");

/// Cards that measure times.
const TIMED: [&str; 3] = ["P10", "P11", "P14"];

fn main() -> ExitCode {
    let (mut tests, mut slow) = (Vec::new(), Vec::new());
    let mut names = Vec::new();
    for card in cards::all() {
        for &settings in card.settings() {
            let name = format!("{}::{}", card.id, settings.word());
            let fits = card.minutes(Size::Test, settings) <= longest(settings) && !TIMED.contains(&card.id);
            let known = fits.then(|| known(&name));
            names.extend(fits.then(|| name.clone()));
            let list = if fits { &mut tests } else { &mut slow };
            list.push((name, move || judge(card, settings, known.as_deref())));
        }
    }
    let listed = KNOWN.lines().filter(|line| !line.starts_with('#'));
    let foreign = |line: &&str| !names.iter().any(|name| line.starts_with(&format!("{name}: ")));
    if let Some(line) = listed.into_iter().find(foreign) {
        eprintln!("known_deviations.txt: `{line}` names no test of the default run");
        return ExitCode::FAILURE;
    }
    run_device_functions(tests, slow)
}

/// Returns the known deviations in the test `name`.
fn known(name: &str) -> Vec<&'static str> {
    KNOWN.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect()
}

/// Runs a card. Anything unexpected fails the test, and so does a deviation that is not among the `known` ones, or a known one that no
/// longer occurs; slow tests accept any deviation for which the card gives a reason.
fn judge(card: &Card, settings: Settings, known: Option<&[&str]>) {
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
    if let Some(known) = known {
        let deviates = |check: &&Check| check.verdict() == Verdict::Deviates;
        let scatters = |what: &str| known.iter().any(|line| line.strip_prefix('~') == Some(what));
        let found: Vec<&str> = (findings.checks.iter().filter(deviates).map(|check| check.what.as_str()))
            .filter(|what| !scatters(what))
            .collect();
        let known: Vec<&str> = known.iter().copied().filter(|line| !line.starts_with('~')).collect();
        assert_eq!(
            found, known,
            "{id}: what deviates, and what known_deviations.txt lists; change the file if the cards say why"
        );
    }
}
