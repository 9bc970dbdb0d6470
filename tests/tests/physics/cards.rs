//! The fast cards of the validation suite at the size of the default tests.

use tuff_tests::library;
use tuff_validate::{Findings, Lab, Size, Verdict, cards};

/// Runs a card; all that is not as it should be fails the test.
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

macro_rules! tests {
    ($($name:ident $id:literal),* $(,)?) => {
        $(pub fn $name() {
            card($id);
        })*
    };
}

tests! {
    b6 "B6",
    b11 "B11",
    b13 "B13",
    b15 "B15",
    b17 "B17",
    b23 "B23",
    b25 "B25",
}
