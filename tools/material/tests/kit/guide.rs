//! materials/sdk/GUIDE.md: its changes to the sample build and pass `check`.

use std::env;
use std::fs;
use std::path::Path;
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

#[test]
fn the_guide_leads_to_a_plugin_that_passes_check() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../materials/sdk/GUIDE.md");
    let changes = changes(&fs::read_to_string(guide).unwrap());
    assert!(changes.len() > 4, "{changes:?}");
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("bell");
    run(&["new", "bell", "--out", root.to_str().unwrap()]).expect(0, &["bell"]);
    let files = [root.join("src/lib.rs"), root.join("src/bell.glsl")];
    for (gone, new) in changes {
        let holds = |file: &&std::path::PathBuf| fs::read_to_string(file).unwrap().contains(&gone);
        let file =
            files.iter().find(holds).unwrap_or_else(|| panic!("the sample has no such lines:\n{gone}"));
        let text = fs::read_to_string(file).unwrap();
        assert_eq!(text.matches(&gone).count(), 1, "not one place only:\n{gone}");
        fs::write(file, text.replacen(&gone, &new, 1)).unwrap();
    }
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
