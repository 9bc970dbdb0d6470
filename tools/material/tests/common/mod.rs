//! The program as a user runs it.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Outcome of a command.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Text on stdout.
    pub stdout: String,
    /// Text on stderr.
    pub stderr: String,
}

impl Outcome {
    /// Asserts the exit code, and that stdout and stderr together contain all of `words` and no sign of a panic.
    pub fn expect(&self, code: i32, words: &[&str]) -> &Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        for word in words {
            let found = self.stdout.contains(word) || self.stderr.contains(word);
            assert!(found, "{word:?} is missing from:\n{}\n{}", self.stdout, self.stderr);
        }
        assert!(!self.stderr.contains("internal error"), "{}", self.stderr);
        self
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Builds a command for `tuff-material` with the shipped models.
pub fn kit(arguments: &[&str]) -> Command {
    tuff_tests::library();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuff-material"));
    command.args(arguments).env_remove("TUFF_MATERIAL_PATH");
    command
}

/// Runs `tuff-material` to its end.
pub fn run(arguments: &[&str]) -> Outcome {
    kit(arguments).output().unwrap().into()
}

/// Returns the file of reference values for a law.
pub fn vectors(law: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/data/vectors/{law}.json"))
}

/// Compiles a C plugin with the given macros into `libtuff_<name>` in a folder.
pub fn compile(folder: &Path, name: &str, source: &Path, macros: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join(format!("{DLL_PREFIX}tuff_{name}{DLL_SUFFIX}"));
    let status = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-std=c11", "-shared", "-fPIC"])
        .args(macros.iter().map(|m| format!("-D{m}")))
        .arg("-I")
        .arg(root.join("../../materials/sdk/include"))
        .arg("-o")
        .args([&file, source])
        .arg("-lm")
        .status()
        .unwrap();
    assert!(status.success());
    file
}

/// Compiles the plugin `metal.c` with the given macros.
pub fn metal(folder: &Path, macros: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit/plugins/metal.c");
    compile(folder, "metal", &source, macros)
}

/// Compiles the plugin `rubber.c`, of the tensor variant, with the given macros.
pub fn rubber(folder: &Path, macros: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kit/plugins/rubber.c");
    compile(folder, "rubber", &source, macros)
}

/// Runs `tuff material check` on a model and returns its outcome and report.
pub fn check(model: &str, more: &[&str]) -> (Outcome, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let outcome = run(&[&["check", model, "--json", file.to_str().unwrap()], more].concat());
    let report = fs::read_to_string(file).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
    (outcome, report)
}

/// Returns the names of the checks with a given verdict.
pub fn checks(report: &Value, verdict: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let found = findings.filter(|finding| finding["verdict"] == verdict);
    found
        .map(|finding| {
            format!("{}: {}", finding["part"].as_str().unwrap(), finding["check"].as_str().unwrap())
        })
        .collect()
}
