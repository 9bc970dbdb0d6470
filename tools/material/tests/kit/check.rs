//! `tuff material check` in f64: wrong plugins are caught for what is wrong with them and nothing else, and libraries that crash, hang or
//! lie are named. No device is needed.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Outcome, check, checks, compile, kit, metal, run};
use serde_json::Value;
use tempfile::TempDir;

/// Checks `metal.c` with the given macros in f64.
fn check_metal(macros: &[&str], more: &[&str]) -> (Outcome, Value) {
    let folder = TempDir::new().unwrap();
    let file = metal(folder.path(), macros);
    check(file.to_str().unwrap(), &[&["--device", "none"], more].concat())
}

#[test]
fn a_sound_plugin_breaks_no_law() {
    let (outcome, report) = check_metal(&[], &[]);
    outcome.expect(0, &["metal 1.0.0", "no law is broken", "trials flow"]);
    assert_eq!((&report["passed"], checks(&report, "fail").len()), (&Value::from(true), 0));
    assert_eq!(checks(&report, "skipped"), ["GLSL: all laws"]);
    // Every law that the help names for f64, plus the parameters and the cost.
    assert_eq!(checks(&report, "ok").len(), 30, "{report:#}");
}

/// What flows slowly is judged by where it ends.
#[test]
fn slow_flow_is_caught_where_it_ends() {
    let (outcome, report) = check_metal(&["SLOW"], &[]);
    outcome.expect(0, &["yield surface, in the end", "no law is broken"]);
    assert_eq!(checks(&report, "note"), [""; 0]);
    for (fault, check) in [
        ("WRONG_SURFACE_OUTSIDE", "projected twice, in the end"),
        ("WRONG_SURFACE_INSIDE", "yield surface, in the end"),
    ] {
        let (outcome, report) = check_metal(&["SLOW", fault], &[]);
        outcome.expect(1, &["all the time to flow", "1 check failed"]);
        assert_eq!(checks(&report, "fail"), [format!("f64: {check}")], "{fault}");
    }
}

/// State words, parameters and a time step that change nothing are named, and cases are counted.
#[test]
fn what_is_of_no_use_is_named() {
    let (outcome, report) = check_metal(&[], &[]);
    outcome.expect(
        0,
        &["elastic ", "flow ", "trials; not reached: tip, compression tip", "each of 3 changes answers"],
    );
    assert_eq!(checks(&report, "note"), [""; 0]);
    for (macros, check, text) in [
        (&["NOTE_STATE"][..], "state words", "plastic_strain: no trial changes it"),
        (&["NOTE_PARAMETER"], "parameters used", "hardness: changes no answer"),
        (&["SLOW", "NOTE_STEP"], "time step", "dt changes no answer"),
    ] {
        let (outcome, report) = check_metal(macros, &[]);
        outcome.expect(0, &["note ", text]);
        assert!(checks(&report, "note").contains(&format!("f64: {check}")), "{macros:?}: {report:#}");
    }
    // Two parameters that are of no use alone change answers together.
    let (_, report) = check_metal(&["ODD_PAIR"], &[]);
    assert_eq!(checks(&report, "note"), [""; 0]);
}

/// The plugins that ship as examples of errors: the named check fails, and no other.
#[test]
fn a_wrong_plugin_is_caught_for_the_right_reason() {
    for (fault, check, word) in [
        ("WRONG_GRADIENT", "f64: energy against stress", "derivative of energy"),
        ("WRONG_SURFACE_INSIDE", "f64: on the yield surface", "inside the elastic domain"),
        ("WRONG_SURFACE_OUTSIDE", "f64: projected twice", "outside the yield surface"),
        ("WRONG_AT_REST", "library: usable at rest", "energy NaN Pa at rest"),
        ("WRONG_ENERGY", "f64: no energy gain", "flow has to cost energy"),
        ("WRONG_RANGE", "library: parameter ranges", "yield_strain = 0"),
    ] {
        let (outcome, report) = check_metal(&[fault], &[]);
        outcome.expect(1, &["FAIL", word, "1 check failed"]);
        assert_eq!(checks(&report, "fail"), [check], "{fault}");
    }
}

/// Parameters that are 0 by default and wrong only in combination.
#[test]
fn a_law_that_is_wrong_for_two_parameters_at_once_is_caught() {
    let (outcome, report) = check_metal(&["ODD_PAIR"], &[]);
    outcome.expect(1, &["cohesion = 1000, cut_off = 1000", "1 check failed"]);
    assert_eq!(checks(&report, "fail"), ["f64: energy against stress"]);
    check_metal(&["ODD_PAIR"], &["--set", "cut_off=0"]).0.expect(0, &["parameters together"]);
}

/// Every other law is broken by one plugin, which breaks no other law.
#[test]
fn every_law_has_a_plugin_that_breaks_it() {
    for (fault, check) in [
        ("ODD_SIGN", "energy not negative"),
        ("ODD_BATCH", "stress of a batch"),
        ("ODD_MODULI", "moduli at rest"),
        ("ODD_UNLOADING", "unloading is elastic"),
        ("ODD_DIRECTION", "isotropy"),
        ("ODD_VOLUME", "volume"),
        ("ODD_RATE", "rate independence"),
        ("ODD_FORGET", "forget factor"),
        ("ODD_INDEX", "constants in range"),
        ("ODD_MEMORY", "same answers again"),
    ] {
        let (outcome, report) = check_metal(&[fault], &[]);
        outcome.expect(1, &["FAIL", "1 check failed"]);
        assert_eq!(checks(&report, "fail"), [format!("f64: {check}")], "{fault}");
    }
}

/// A reported deviation can be reproduced: stray stress 0.3 kappa theta^2, over the stiffness and the strain, in the set and at the
/// strain that are named.
#[test]
fn a_deviation_has_its_place() {
    let (_, report) =
        check_metal(&["WRONG_GRADIENT"], &["--set", "bulk_modulus=1e5", "--set", "shear_modulus=1e5"]);
    let finding = report["findings"].as_array().unwrap().iter().find(|f| f["verdict"] == "fail").unwrap();
    let place = &finding["place"];
    let hencky: Vec<f64> = place["hencky"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let theta: f64 = hencky.iter().sum();
    let size = hencky.iter().map(|x| x * x).sum::<f64>().sqrt().min(1.0);
    let largest = hencky.iter().fold(theta, |a, &b| a.max(b)).max(0.0);
    let expected = 0.3 * theta * theta / (5.0 * (2.0 * largest).exp() * size);
    let found = finding["deviation"].as_f64().unwrap();
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} for {expected}");
    assert_eq!(place["parameters"]["bulk_modulus"], 1e5);
    let sets: Vec<_> = finding["sets"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    // Of the three parameters only one is free.
    assert_eq!(sets, ["base", "yield_strain = 1e-6", "yield_strain = 1"]);
}

#[test]
fn answers_that_are_not_finite_are_found_at_the_limits() {
    let (outcome, report) = check_metal(&["BAD_NAN"], &[]);
    outcome.expect(1, &["not finite"]);
    assert_eq!(checks(&report, "fail"), ["f64: inverted", "f64: huge strain"]);
}

/// A finite answer to a strain that is not a number hides an error elsewhere: it deserves a note, but is no failure.
#[test]
fn a_model_that_hides_nan_gets_a_note() {
    let (outcome, report) = check_metal(&["NOTE_NAN"], &[]);
    outcome.expect(0, &["note  NaN and infinite strain", "hencky = [\"NaN\", 0.0, 0.0]"]);
    assert_eq!(checks(&report, "note"), ["f64: NaN and infinite strain"]);
}

/// A panic over what is not a number is named.
#[test]
fn a_model_that_panics_at_nan_gets_a_note() {
    let (outcome, report) = check_metal(&["NOTE_NAN_STATUS"], &[]);
    outcome.expect(0, &["note  NaN and infinite strain", "`project` of model `metal`", "panicked"]);
    assert_eq!(checks(&report, "note"), ["f64: NaN and infinite strain"]);
}

/// A fault at one end of a range is reported for this end, and the laws are checked for the other parameters.
#[test]
fn a_fault_at_the_end_of_a_range_is_reported_there() {
    let (outcome, report) = check_metal(&["BAD_STATUS"], &[]);
    outcome.expect(1, &["`project` of model `metal`", "panicked", "with bulk_modulus = 2e9"]);
    assert_eq!(checks(&report, "fail"), ["library: parameter ranges"]);
    assert_eq!(report["findings"][1]["sets"], serde_json::json!(["bulk_modulus = 2e9"]));
}

/// A call that does not return is named with the file and its arguments, and the kit neither hangs nor crashes with it.
#[test]
fn libraries_that_hang_or_crash_are_named() {
    let start = Instant::now();
    for (fault, word) in [
        ("BAD_LOOP", "no answer within 1 s (--call-limit) from project at hencky = [0.25,"),
        ("BAD_NAN_LOOP", "from energy at hencky = [NaN,"),
        ("BAD_CRASH", "in project at hencky = [0.25,"),
        ("BAD_EXIT", "in project at hencky = [0.25,"),
        ("BAD_LOAD", "in loading"),
    ] {
        let (outcome, report) = check_metal(&[fault], &["--call-limit", "1"]);
        outcome.expect(1, &["libtuff_metal", word, "1 check failed"]);
        assert_eq!(checks(&report, "fail").len(), 1, "{fault}");
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// False sizes, another major version, a duplicate id, no library: refused with file and reason.
#[test]
fn libraries_that_cannot_be_loaded_are_refused() {
    let folder = TempDir::new().unwrap();
    let probe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tests/materials/plugins/probe.c");
    let refuse = |macros: &[&str], words: &[&str]| {
        let file = compile(folder.path(), "probe", &probe, macros);
        let file = file.to_str().unwrap();
        run(&["check", file, "--device", "none"]).expect(2, &[&[file], words].concat());
    };
    refuse(&["PROBE_SIZE_ERROR=8"], &["288 bytes", "280 bytes"]);
    refuse(&["PROBE_STATES=1000000"], &["1000000 state words"]);
    refuse(&["FAULT_ENTRY"], &["tuff_material_entry_v2", "major"]);
    refuse(&["FAULT_NULL_FUNCTION"], &["`energy` is a null pointer"]);
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    metal(first.path(), &[]);
    metal(second.path(), &["WRONG_GRADIENT"]);
    let paths = [first.path().to_str().unwrap(), second.path().to_str().unwrap()];
    run(&["check", "metal", "--device", "none", "--material-path", paths[0], "--material-path", paths[1]])
        .expect(2, &["two material libraries register the model `metal`", paths[0], paths[1]]);
    run(&["check", "metall", "--device", "none", "--material-path", paths[0]])
        .expect(2, &["metall", "available", "metal"]);
}

/// A status other than OK is a finding with the function's name.
#[test]
fn a_function_that_fails_is_named() {
    let folder = TempDir::new().unwrap();
    let probe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tests/materials/plugins/probe.c");
    let file = compile(folder.path(), "probe", &probe, &["FAULT_PROJECT_STATUS"]);
    let (outcome, report) = check(file.to_str().unwrap(), &["--device", "none"]);
    outcome.expect(1, &["finite answers", "`project` of model `probe`", "panicked"]);
    assert!(checks(&report, "fail").contains(&"f64: finite answers".to_owned()));
}

#[test]
fn parameters_are_fixed_and_left_out_by_name() {
    let nacc = |more: &[&str]| check("nacc", &[&["--device", "none"], more].concat());
    // The published flow conserves tr(b) and misses the surface: a flaw of the paper that the model documents.
    let (outcome, report) = nacc(&[]);
    outcome.expect(1, &["with variant = published"]);
    assert_eq!(checks(&report, "fail"), ["f64: projected twice", "f64: on the yield surface"]);
    for finding in report["findings"].as_array().unwrap().iter().filter(|f| f["verdict"] == "fail") {
        let sets = finding["sets"].as_array().unwrap();
        assert_eq!(sets[0], "variant = published");
        assert!(sets.iter().all(|set| set.as_str().unwrap().contains("variant = published")), "{sets:?}");
    }
    nacc(&["--without", "variant=published"])
        .0
        .expect(0, &["no law is broken", "left out: variant = published"]);
    nacc(&["--set", "variant=published"]).0.expect(1, &["base: ", "variant = published"]);
    nacc(&["--without", "variant=exact"])
        .0
        .expect(2, &["variant = exact", "which the base has", "--set variant"]);
    // friction_angle excludes M: its ends are checked without M, but with the word.
    let (_, report) = nacc(&["--set", "variant=published", "--set", "M=1"]);
    let twice =
        report["findings"].as_array().unwrap().iter().find(|f| f["check"] == "projected twice").unwrap();
    let sets: Vec<_> = twice["sets"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    assert!(sets.iter().any(|set| set.starts_with("friction_angle")), "{sets:?}");
    assert!(sets.len() > 10 && !sets.contains(&"variant = published"), "{sets:?}");
    nacc(&["--set", "variant=other"]).0.expect(2, &["variant = other", "\"exact\", \"published\""]);
    nacc(&["--set", "speed=1"]).0.expect(2, &["nacc has no parameter speed", "friction_angle"]);
    nacc(&["--set", "beta"]).0.expect(2, &["NAME=VALUE"]);
    nacc(&["--set", "beta=-1"]).0.expect(2, &["beta = -1", "0 <= beta"]);
    nacc(&["--set", "M=1", "--set", "friction_angle=30"])
        .0
        .expect(2, &["both M and friction_angle", "--set"]);
}

#[test]
fn without_a_device_f64_is_checked_and_the_exit_code_is_3() {
    let folder = TempDir::new().unwrap();
    let file = metal(folder.path(), &[]);
    let mut command = kit(&["check", file.to_str().unwrap()]);
    let outcome = command.env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none").output().unwrap();
    Outcome::from(outcome).expect(
        3,
        &["no law is broken in f64", "GLSL not checked: no Vulkan driver", "because there is no device"],
    );
}
