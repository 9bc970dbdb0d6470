//! `tuff material eval` and `check` through the GLSL on a device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use common::{Outcome, check, checks, metal, rubber, run, vectors};
use tempfile::TempDir;

/// Compares every shipped model with all its reference files, at the default tolerances.
fn shipped_models() {
    let files = [
        ("elastic", ["hencky", "neo_hookean", "neo_hookean_split", "fixed_corotated"].as_slice()),
        ("von_mises", &["von_mises"]),
        ("drucker_prager", &["drucker_prager"]),
        ("nacc", &["nacc", "nacc_published"]),
        ("herschel_bulkley", &["herschel_bulkley"]),
        ("snow", &["snow"]),
    ];
    for (model, laws) in files {
        for law in laws {
            let outcome = run(&["eval", model, "--vectors", vectors(law).to_str().unwrap()]);
            outcome.expect(0, &["GLSL on", "within all tolerances"]);
        }
    }
}

/// f32 occasionally takes the wrong side of a border of `nacc`, and misses the accuracy of f64.
fn tolerances_hold() {
    let nacc = vectors("nacc");
    let nacc = ["eval", "nacc", "--vectors", nacc.to_str().unwrap()];
    run(&[&nacc[..], &["--borders", "strict"]].concat()).expect(1, &["alpha", "boundary)  <- above"]);
    run(&[&nacc[..], &["--borders", "skip"]].concat()).expect(0, &["within all tolerances"]);
    run(&[&nacc[..], &["--tolerance", "energy=1e-9"]].concat()).expect(1, &["psi", "1e-9"]);
    run(&[&nacc[..], &["--device", "no such device"]].concat()).expect(2, &["no such device"]);
}

/// A C plugin whose GLSL has another factor than its f64 code, and one whose GLSL does not compile.
fn wrong_glsl_is_caught() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("curd");
    run(&["new", "curd", "--language", "c", "--out", root.to_str().unwrap()]).expect(0, &[]);
    let eval = |from: &str, to: &str| {
        let file = root.join("curd.glsl");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from}");
        fs::write(&file, text.replace(from, to)).unwrap();
        assert!(Command::new("make").arg("--silent").current_dir(&root).status().unwrap().success());
        fs::write(&file, text).unwrap();
        let library = root.join("build");
        let file = root.join("tests/vectors.json");
        run(&["eval", path(&library), "--vectors", path(&file)])
    };
    let outcome: Outcome = eval("r / size : 1.0", "1.1 * r / size : 1.0");
    outcome.expect(1, &["3 fields are above their tolerances"]);
    let f64_part = outcome.stdout.split("GLSL").next().unwrap();
    assert!(!f64_part.contains("above"), "{f64_part}");
    eval("bool yields = size > r;", "bool yields = size > radius;").expect(2, &["curd.glsl:10", "radius"]);
}

/// Every shipped model satisfies every law that it claims. `nacc` documents that its published flow misses the yield surface.
fn shipped_models_break_no_law() {
    for (model, more) in [
        ("elastic", &[][..]),
        ("fluid", &[]),
        ("von_mises", &[]),
        ("drucker_prager", &[]),
        ("nacc", &["--without", "variant=published"]),
        ("herschel_bulkley", &[]),
        ("snow", &[]),
        ("viscoelastic", &[]),
        ("orthotropic", &[]),
    ] {
        let (outcome, report) = check(model, more);
        outcome.expect(0, &["no law is broken"]);
        let missing = report["findings"].as_array().unwrap().iter().find(|f| f["check"] == "all laws");
        assert!(missing.is_none(), "{report:#}");
    }
}

/// A plugin that is wrong in f64 and GLSL alike fails no check of one against the other; one whose GLSL alone is wrong fails only these.
fn wrong_plugins_fail_one_check() {
    let folder = TempDir::new().unwrap();
    let failed = |fault: &str| {
        let file = metal(folder.path(), &[fault]);
        checks(&check(path(&file), &[]).1, "fail")
    };
    assert!(failed("RIGHT").is_empty());
    assert_eq!(failed("WRONG_GRADIENT"), ["f64: energy against stress"]);
    assert_eq!(failed("WRONG_SURFACE_INSIDE"), ["f64: on the yield surface"]);
    assert_eq!(failed("WRONG_SURFACE_OUTSIDE"), ["f64: projected twice"]);
    assert_eq!(failed("WRONG_ENERGY"), ["f64: no energy gain"]);
    assert_eq!(failed("WRONG_RANGE"), ["library: parameter ranges"]);
    assert_eq!(failed("WRONG_GLSL"), ["GLSL: f32 stress"]);
    assert_eq!(
        failed("WRONG_GLSL_ORDER"),
        ["GLSL: f32 stress", "GLSL: f32 at the limits", "GLSL: objectivity"]
    );
    assert_eq!(failed("WRONG_GLSL_ENERGY"), ["GLSL: energy not negative"]);
    // What reads NaN for its yield strain never flows.
    assert_eq!(failed("WRONG_GLSL_INDEX")[..2], ["GLSL: constants in range", "GLSL: f32 strain"]);
    assert_eq!(failed("WRONG_GLSL_NAME"), ["GLSL: names"]);
}

/// What differs is shown from both sides; macros end with the text, also in the stages of a run.
fn reports_show_what_differs() {
    let folder = TempDir::new().unwrap();
    let (outcome, report) = check(path(&metal(folder.path(), &["WRONG_GLSL"])), &[]);
    outcome.expect(1, &["f64  strain = [", "GLSL strain = ["]);
    let findings = report["findings"].as_array().unwrap();
    let stress = |part: &str| -> Vec<f64> {
        let finding = findings.iter().find(|finding| finding["check"] == "f32 stress").unwrap();
        let list = finding["answers"][part]["stress"].as_array().unwrap();
        list.iter().map(|value| value.as_f64().unwrap()).collect()
    };
    for (glsl, double) in stress("GLSL").into_iter().zip(stress("f64")) {
        assert!((glsl / double - 1.0001).abs() < 1e-5, "{glsl} {double}");
    }
    let (outcome, report) = check(path(&metal(folder.path(), &["NOTE_MACRO"])), &[]);
    outcome.expect(0, &["p (line 1), main (line 2)", "newton_cg, gauss_seidel"]);
    assert_eq!(checks(&report, "note"), ["GLSL: macros"]);
    let (outcome, report) = check(path(&metal(folder.path(), &["WRONG_GLSL_CLASH"])), &[]);
    outcome.expect(1, &["metal", "kernel_slope"]);
    assert_eq!(checks(&report, "fail"), ["GLSL: names", "GLSL: stages of a run"]);
}

/// The same for whole-tensor models.
fn wrong_tensor_plugins_fail_for_what_is_wrong() {
    let folder = TempDir::new().unwrap();
    let failed = |fault: &str| {
        let file = rubber(folder.path(), &[fault]);
        checks(&check(path(&file), &[]).1, "fail")
    };
    assert!(failed("RIGHT").is_empty());
    assert_eq!(failed("WRONG_GRADIENT"), ["f64: energy against stress"]);
    assert_eq!(failed("WRONG_TURN"), ["f64: objectivity", "GLSL: objectivity"]);
    assert_eq!(failed("WRONG_ENERGY"), ["f64: no energy gain"]);
    assert_eq!(failed("WRONG_NEEDS"), ["f64: needs"]);
    assert_eq!(failed("WRONG_MODULI"), ["f64: moduli at rest"]);
    assert_eq!(failed("WRONG_GLSL"), ["GLSL: f32 stress"]);
    let axes = ["GLSL: f32 stress", "GLSL: f32 at the limits", "GLSL: objectivity"];
    assert_eq!(failed("WRONG_GLSL_AXES"), axes);
    // The energy after the step reveals the stored branch.
    let advance = ["GLSL: f32 branch", "GLSL: f32 energy", "GLSL: f32 at the limits"];
    assert_eq!(failed("WRONG_GLSL_ADVANCE"), advance);
    assert_eq!(failed("WRONG_GLSL_ENERGY"), ["GLSL: energy not negative"]);
    assert_eq!(failed("BAD_GLSL"), ["GLSL: compiles"]);
}

/// GLSL that does not compile is named with file and line, beside the f64 results; an endless loop costs too much, or the device is lost
/// or hangs.
fn glsl_that_cannot_be_run_is_a_finding() {
    let folder = TempDir::new().unwrap();
    let file = metal(folder.path(), &["BAD_GLSL"]);
    let (outcome, report) = check(path(&file), &[]);
    outcome.expect(1, &["FAIL  compiles", "metal.glsl:4", "radius", "1 check failed"]);
    assert_eq!(checks(&report, "fail"), ["GLSL: compiles"]);
    let endless = metal(folder.path(), &["BAD_GLSL_LOOP"]);
    let (outcome, _) = check(path(&endless), &[]);
    outcome.expect(1, &["1 check failed", "GLSL"]);
    run(&["check", path(&file), "--device", "no such device"]).expect(2, &["no such device"]);
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        &[
            ("shipped_models", shipped_models),
            ("tolerances_hold", tolerances_hold),
            ("wrong_glsl_is_caught", wrong_glsl_is_caught),
            ("shipped_models_break_no_law", shipped_models_break_no_law),
            ("wrong_plugins_fail_one_check", wrong_plugins_fail_one_check),
            ("reports_show_what_differs", reports_show_what_differs),
            ("wrong_tensor_plugins_fail_for_what_is_wrong", wrong_tensor_plugins_fail_for_what_is_wrong),
            ("glsl_that_cannot_be_run_is_a_finding", glsl_that_cannot_be_run_is_a_finding),
        ],
        &[],
    )
}
