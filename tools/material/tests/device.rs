//! `tuff material eval` through the GLSL on a device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use common::{Outcome, run, vectors};
use tempfile::TempDir;

/// Every reference file of every model that ships, with the default tolerances.
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

/// f32 is on the wrong side of a border of `nacc` now and then, and misses what f64 reaches.
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

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        &[
            ("shipped_models", shipped_models),
            ("tolerances_hold", tolerances_hold),
            ("wrong_glsl_is_caught", wrong_glsl_is_caught),
        ],
        &[],
    )
}
