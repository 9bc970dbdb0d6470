//! `tuff material new`: its output builds outside of the repository, is found, and agrees with its reference values.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{Outcome, run};
use tempfile::TempDir;
use tuff_plugin::{Library, SearchPath};
use tuff_tests::libraries::cargo_build;

/// Runs a command in a folder and asserts its success.
fn succeed(folder: &Path, program: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
    let outcome: Outcome = command.output().unwrap().into();
    outcome.expect(0, &[]);
    outcome
}

/// Returns the program `tuff` beside `tuff-material`.
fn tuff() -> String {
    cargo_build(&["-p", "tuff"]);
    let kit = Path::new(env!("CARGO_BIN_EXE_tuff-material"));
    kit.with_file_name(format!("tuff{}", env::consts::EXE_SUFFIX)).to_str().unwrap().to_owned()
}

/// Asserts that the library in `products` loads, is explained, agrees with the reference values in f64, and fits the scene.
fn works(root: &Path, id: &str, products: &str, tuff: &str) {
    let library = Library::discover(&SearchPath::of(&[root.join(products)])).unwrap();
    let claims = library.get(id).unwrap().descriptor().claims;
    assert!(claims.volume_preserving && claims.dissipative);
    let explained = succeed(root, tuff, &["materials", id, "--material-path", products]);
    explained.expect(0, &["yield_stress", "Stress in uniaxial tension"]);
    let file = root.join(products).join(library.get(id).unwrap().file().file_name().unwrap());
    let file = file.to_str().unwrap();
    let eval = ["material", "eval", file, "--vectors", "tests/vectors.json", "--device", "none"];
    succeed(root, tuff, &eval).expect(0, &["9 items", "within all tolerances"]);
    succeed(root, tuff, &["material", "check", file, "--device", "none"]).expect(0, &["no law is broken"]);
    succeed(root, tuff, &["check", "scene.toml", "--material-path", products]).expect(0, &["512"]);
    assert!(fs::read_to_string(root.join("HELPERS.md")).unwrap().contains("vec3 deviator(vec3 v);"));
}

#[test]
fn a_rust_plugin_works_within_a_minute() {
    let (folder, tuff) = (TempDir::new().unwrap(), tuff());
    let start = Instant::now();
    let root = folder.path().join("jelly");
    run(&["new", "jelly", "--out", root.to_str().unwrap()]).expect(0, &["jelly", "cargo test"]);
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    succeed(&root, &cargo, &["test", "--offline"]).expect(0, &["3 passed"]);
    succeed(&root, &cargo, &["build", "--release", "--offline"]);
    works(&root, "jelly", "target/release", &tuff);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_c_plugin_works_within_a_minute() {
    let (folder, tuff) = (TempDir::new().unwrap(), tuff());
    let start = Instant::now();
    let root = folder.path().join("curd");
    run(&["new", "curd", "--language", "c", "--out", root.to_str().unwrap()]).expect(0, &["curd", "make"]);
    succeed(&root, "make", &["CFLAGS=-O2 -std=c11 -Wall -Wextra -Werror"]);
    works(&root, "curd", "build", &tuff);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn nothing_is_overwritten_and_ids_are_checked() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    run(&["new", "von_mises", "--out", out]).expect(2, &["already", "von_mises"]);
    run(&["new", "My-Jelly", "--out", out]).expect(2, &["My-Jelly", "lower-case letter"]);
    run(&["new", "jelly", "--language", "fortran"]).expect(2, &["rust", "c"]);
    assert!(!Path::new(out).exists());
    fs::create_dir(out).unwrap();
    fs::write(Path::new(out).join("mine.txt"), "mine").unwrap();
    run(&["new", "jelly", "--out", out]).expect(2, &["not an empty folder", "--out"]);
    let file = Path::new(out).join("mine.txt/inside");
    run(&["new", "jelly", "--out", file.to_str().unwrap()]).expect(5, &["cannot write", "inside"]);
}
