//! A library whose initializer aborted or called `_exit(0)` also ended `tuff check`, in the latter case with exit code 0 and no output; a
//! library with flipped bits crashed the loader; a pipe or a link to /dev/zero used as a library was read forever.

use std::fs;

use tuff_tests::libraries::compile_probe;
use tuff_tests::program::{Place, SCENE};

fn place(macros: &[&str]) -> Place {
    let place = Place::with(SCENE);
    fs::create_dir(place.path("plugins")).unwrap();
    if !macros.is_empty() {
        compile_probe(&place.path("plugins"), "probe", macros);
    }
    place
}

/// Asserts that a scene that does not need the library is valid, and that the library is left out with these words.
fn left_out(place: &Place, words: &[&str]) {
    let outcome = place.tuff(&["check", "scene.toml", "--material-path", "plugins"]);
    outcome.expect(0, &[]);
    assert!(outcome.stdout.contains("scene.toml is valid"), "{outcome:?}");
    for words in words.iter().chain(&["plugins/libtuff_", "it is left out"]) {
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
}

#[cfg(unix)]
#[test]
fn initialisers_that_abort_or_leave() {
    left_out(&place(&["FAULT_ABORT_LOAD"]), &["by signal 6"]);
    let leaves = place(&["FAULT_EXIT_LOAD"]);
    left_out(&leaves, &["with exit code 0"]);
    // If the library is named explicitly, this is an error.
    let file = fs::read_dir(leaves.path("plugins")).unwrap().next().unwrap().unwrap().path();
    let named = leaves.tuff(&["check", "scene.toml", "--material-path", file.to_str().unwrap()]);
    named.expect(2, &["libtuff_probe", "with exit code 0"]);
}

#[cfg(unix)]
#[test]
fn flipped_bits() {
    let place = place(&["PROBE_RATE=1.0"]);
    let file = fs::read_dir(place.path("plugins")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    // Throughout the file, and so also around the dynamic section, where the loader follows offsets without checks.
    for start in (0..whole.len()).step_by(whole.len().div_ceil(24)) {
        let mut content = whole.clone();
        for byte in content.iter_mut().skip(start.max(64)).take(96).step_by(3) {
            *byte ^= 0x41;
        }
        fs::write(&file, &content).unwrap();
        let outcome = place.tuff(&["check", "scene.toml", "--material-path", "plugins"]);
        outcome.expect(0, &[]);
        assert!(outcome.stdout.contains("scene.toml is valid"), "from {start}: {outcome:?}");
    }
}

#[cfg(unix)]
#[test]
fn files_without_an_end() {
    let place = place(&[]);
    std::os::unix::fs::symlink("/dev/zero", place.path("plugins/libtuff_zero.so")).unwrap();
    left_out(&place, &["is not a regular file"]);
    fs::remove_file(place.path("plugins/libtuff_zero.so")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(place.path("plugins/libtuff_pipe.so")).status().unwrap();
    assert!(made.success());
    left_out(&place, &["is not a regular file"]);
    let named = ["check", "scene.toml", "--material-path", "plugins/libtuff_pipe.so"];
    place.tuff(&named).expect(2, &["libtuff_pipe.so", "is not a regular file"]);
}
