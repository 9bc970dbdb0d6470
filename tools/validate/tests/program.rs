//! `tuff-validate` as a user runs it, without a device.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tuff-validate")).args(arguments).output().unwrap()
}

fn expect(arguments: &[&str], code: i32, words: &[&str]) {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: {word:?} is missing from\n{said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn unknown_cards_and_figures_name_those_that_exist() {
    expect(&["B99"], 2, &["\"B99\"", "B6"]);
    expect(&["--paper", "77"], 2, &["no figure \"77\""]);
    expect(&["B6", "--size", "small"], 2, &["--size"]);
}

#[test]
fn the_list_says_how_long_cards_take() {
    expect(&["--list"], 0, &["B6", "min", "two cores"]);
    expect(&["--list", "b6"], 0, &["B6"]);
}

#[test]
fn what_keeps_it_from_running_has_a_code() {
    expect(&["B6", "--material-path", "/nonexistent/lib.so"], 2, &["/nonexistent/lib.so"]);
    expect(&["B6", "--device", "no such device"], 3, &["no such device"]);
    expect(&["B6", "--device", "cpu", "--settings", "own"], 2, &["--settings default"]);
}
