//! `tuff material check` for whole-tensor models, in f64: a correct C plugin passes, and wrong ones are caught for what is wrong with
//! them. No device is needed.

use crate::common::{Outcome, check, checks, rubber};
use serde_json::Value;
use tempfile::TempDir;

/// Checks `rubber.c` with the given macros in f64.
fn check_rubber(macros: &[&str], more: &[&str]) -> (Outcome, Value) {
    let folder = TempDir::new().unwrap();
    let file = rubber(folder.path(), macros);
    check(file.to_str().unwrap(), &[&["--device", "none"], more].concat())
}

fn failure<'a>(report: &'a Value, check: &str) -> &'a Value {
    let mut findings = report["findings"].as_array().unwrap().iter();
    findings.find(|f| f["verdict"] == "fail" && f["check"] == check).unwrap()
}

#[test]
fn a_sound_plugin_breaks_no_law() {
    let (outcome, report) = check_rubber(&[], &[]);
    outcome
        .expect(0, &["rubber 1.0.0", "no law is broken", "4218 trials", "flow 4218", "it changes answers"]);
    assert_eq!(checks(&report, "skipped"), ["f64: isotropy", "GLSL: all laws"]);
    assert_eq!((checks(&report, "fail").len(), checks(&report, "note").len()), (0, 0));
    // Every law that the help names for f64, plus the parameters and the cost.
    assert_eq!(checks(&report, "ok").len(), 27, "{report:#}");
}

#[test]
fn a_wrong_plugin_is_caught_for_the_right_reason() {
    for (fault, check, word) in [
        ("WRONG_GRADIENT", "energy against stress", "not the potential of its stress"),
        ("WRONG_TURN", "objectivity", "do not rotate with the particle"),
        ("WRONG_ENERGY", "no energy gain", "the energy is higher after advance"),
        ("WRONG_NEEDS", "needs", "does not ask for"),
        ("WRONG_MODULI", "moduli at rest", "in some direction"),
    ] {
        let (outcome, report) = check_rubber(&[fault], &[]);
        outcome.expect(1, &["FAIL", word, "1 check failed"]);
        assert_eq!(checks(&report, "fail"), [format!("f64: {check}")], "{fault}");
    }
}

#[test]
fn every_law_has_a_plugin_that_breaks_it() {
    for (fault, expected) in [
        ("ODD_SIGN", &["energy not negative"][..]),
        ("ODD_ORDER", &["objectivity"]),
        ("ODD_AXES", &["axes"]),
        ("ODD_CLAIM_ISOTROPIC", &["isotropy"]),
        ("ODD_CLAIM_RATE", &["advanced twice", "rate independence"]),
        ("ODD_VOLUME", &["volume"]),
        ("ODD_TWICE", &["advanced twice"]),
        ("ODD_MEMORY", &["same answers again"]),
        ("ODD_INDEX", &["constants in range"]),
        ("BAD_NAN", &["inverted", "huge strain"]),
    ] {
        let (outcome, report) = check_rubber(&[fault], &[]);
        outcome.expect(1, &["FAIL"]);
        let expected: Vec<_> = expected.iter().map(|check| format!("f64: {check}")).collect();
        assert_eq!(checks(&report, "fail"), expected, "{fault}");
    }
}

/// Memory that a model requests and does not use deserves a note, and so does a claimed direction that it does not have.
#[test]
fn what_is_never_looked_at_gets_a_note() {
    let (outcome, report) = check_rubber(&["NOTE_IDLE"], &[]);
    outcome.expect(0, &["asks for F, but no answer depends on it", "no law is broken"]);
    assert_eq!(checks(&report, "note"), ["f64: isotropy", "f64: moduli much too stiff", "f64: needs"]);
    let (outcome, report) = check_rubber(&["NOTE_NAN_STATUS"], &[]);
    outcome.expect(0, &["`advance` of model `rubber`", "panicked"]);
    assert_eq!(checks(&report, "note"), ["f64: NaN and infinite strain"]);
}

/// Moduli that are half of the stiffness: with a deviation of 1, at a strain that is named.
#[test]
fn a_deviation_has_its_place() {
    let (_, report) = check_rubber(&["WRONG_MODULI"], &[]);
    let finding = failure(&report, "moduli at rest");
    let found = finding["deviation"].as_f64().unwrap();
    assert!((0.99..=1.0 + 1e-6).contains(&found), "{found}");
    let tensors = &finding["place"]["tensors"];
    let size = |name: &str| tensors[name].as_array().unwrap().len();
    assert_eq!(["axes", "branch_hencky", "branch_axes", "deformation"].map(size), [3; 4]);
}

/// A call that does not return is named with its particle.
#[test]
fn a_plugin_that_hangs_is_named() {
    let (outcome, report) = check_rubber(&["BAD_LOOP"], &["--call-limit", "1"]);
    outcome.expect(1, &["from respond at hencky = [0.25,", "branch hencky = [", "F = [[", "1 check failed"]);
    assert_eq!(checks(&report, "fail"), ["f64: calls come back"]);
}

/// How far an unbounded range is usable may depend on other parameters: it is no fault if prepare refuses a value far out.
#[test]
fn an_endless_range_may_be_refused_far_out() {
    let (outcome, report) = check("viscoelastic", &["--device", "none"]);
    outcome.expect(0, &["branch_lambda = -10000000 Pa is below", "no law is broken"]);
    assert_eq!(checks(&report, "note"), ["library: parameter ranges"]);
}
