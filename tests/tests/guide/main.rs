//! The guide for contributors names existing files, in short sections; dependencies have suitable licenses.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod licenses;

use std::fs;
use std::path::Path;

/// Longest section [lines].
const MAX_LINES: usize = 10;

#[test]
fn the_guide_names_files_that_exist_in_short_sections() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = fs::read_to_string(root.join("engine/CONTRIBUTING.md")).unwrap();
    let paths = guide.split('`').skip(1).step_by(2).filter(|text| text.contains('/'));
    let mut count = 0;
    for path in paths.filter(|path| !path.contains("/X.")) {
        assert!(root.join(path).is_file(), "{path} does not exist");
        count += 1;
    }
    assert!(count > 20, "only {count} files are named");
    let mut sections = guide.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap());
    for wanted in ["An attribute", "A stage", "A constraint", "A collider shape", "An output column"] {
        let (title, body) = sections.next().unwrap();
        assert_eq!(title, wanted);
        let lines = body.lines().filter(|line| !line.is_empty()).count();
        assert!(lines < MAX_LINES, "{title}: {lines} lines");
    }
    // The guide names stage files by the stage X; one of each kind represents them.
    for stage in [
        "shaders/stages/sort.comp",
        "engine/reference/src/stages/sort.rs",
        "engine/solver/src/stages/sort.rs",
    ] {
        assert!(root.join(stage).is_file(), "{stage} does not exist");
    }
}
