//! The program as a user meets it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How a command ended.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// What went to stdout.
    pub stdout: String,
    /// What went to stderr.
    pub stderr: String,
}

impl Outcome {
    /// Asserts the exit code, and that stdout and stderr together hold all of `words` and no sign of a panic.
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

/// `tuff-material` with the models that ship.
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

/// The reference values of a law.
pub fn vectors(law: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/data/vectors/{law}.json"))
}
