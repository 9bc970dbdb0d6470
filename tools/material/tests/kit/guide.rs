//! materials/sdk/GUIDE.md: its changes to the sample build and pass `check`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run;
use tempfile::TempDir;

/// Returns the ```diff blocks of a text: removed lines, added lines.
fn changes(text: &str) -> Vec<(String, String)> {
    let lines_with = |block: &str, sign: char| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(sign));
        lines.collect::<Vec<_>>().join("\n")
    };
    let blocks = text.split("```diff\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(|block| (lines_with(block, '-'), lines_with(block, '+'))).collect()
}

/// Heading of the chapter about C.
const CHAPTER: &str = "## A law with a state word, in C";

/// Returns the chapters about Rust and C.
fn chapters() -> (String, String) {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../materials/sdk/GUIDE.md");
    let text = fs::read_to_string(guide).unwrap();
    let (rust, c) = text.split_once(CHAPTER).unwrap();
    (rust.to_owned(), c.to_owned())
}

/// Makes the changes of a chapter in these files.
fn follow(chapter: &str, files: &[PathBuf]) {
    let changes = changes(chapter);
    assert!(changes.len() > 4, "{changes:?}");
    for (gone, new) in changes {
        let holds = |file: &&PathBuf| fs::read_to_string(file).unwrap().contains(&gone);
        let file =
            files.iter().find(holds).unwrap_or_else(|| panic!("the sample has no such lines:\n{gone}"));
        let text = fs::read_to_string(file).unwrap();
        assert_eq!(text.matches(&gone).count(), 1, "not one place only:\n{gone}");
        fs::write(file, text.replacen(&gone, &new, 1)).unwrap();
    }
}

/// In uniaxial tension at constant volume the strain e flows until `2 mu (e - p) = 2/3 (sigma_Y + H p)`, p being the plastic strain.
#[test]
fn the_guide_leads_to_a_plugin_in_c_with_a_state_word() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("iron");
    run(&["new", "iron", "--language", "c", "--out", root.to_str().unwrap()]).expect(0, &["iron"]);
    follow(&chapters().1, &[root.join("iron.c"), root.join("iron.glsl")]);
    let done =
        Command::new("make").arg("CFLAGS=-O2 -std=c11 -Wall -Wextra -Werror").current_dir(&root).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let library = root.join(format!("build/{}tuff_iron{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX));
    let library = library.to_str().unwrap();
    run(&["check", library, "--device", "none"])
        .expect(0, &["each of 1 changes", "each of 4 changes answers"]);
    let vectors = root.join("tests/vectors.json");
    run(&["eval", library, "--vectors", vectors.to_str().unwrap(), "--device", "none"]).expect(0, &[]);
    let (shear, yields, hardening, before, strain) = (4e4, 2e3, 1e4, 0.03, 0.1_f64);
    let flow = (2.0 * shear * strain - 2.0 / 3.0 * (yields + hardening * before))
        / (2.0 * shear + 2.0 / 3.0 * hardening);
    let stretches = |e: f64| [e.exp(), (-0.5 * e).exp(), (-0.5 * e).exp()];
    let mean = 2.0 * shear * (strain - flow);
    let file = root.join("hardened.json");
    let item = serde_json::json!({
        "params": { "E": 1e5, "nu": 0.25, "yield_stress": yields, "hardening_modulus": hardening },
        "sigma_trial": stretches(strain), "state": { "plastic_strain": before },
        "sigma": stretches(strain - flow), "state_out": { "plastic_strain": before + flow },
        "tau": [mean, -0.5 * mean, -0.5 * mean],
    });
    fs::write(&file, serde_json::json!({ "vectors": [item] }).to_string()).unwrap();
    run(&["eval", library, "--vectors", file.to_str().unwrap(), "--device", "none"]).expect(0, &[]);
}

#[test]
fn the_guide_leads_to_a_plugin_that_passes_check() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("bell");
    run(&["new", "bell", "--out", root.to_str().unwrap()]).expect(0, &["bell"]);
    follow(&chapters().0, &[root.join("src/lib.rs"), root.join("src/bell.glsl")]);
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    for verb in [&["test", "--offline"][..], &["build", "--release", "--offline"]] {
        let mut command = Command::new(&cargo);
        command.args(verb).current_dir(&root).env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let library =
        format!("{}bell{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX).replace("bell", "tuff_bell");
    let library = root.join("target/release").join(library);
    run(&["check", library.to_str().unwrap(), "--device", "none"]).expect(0, &["bell"]);
}
