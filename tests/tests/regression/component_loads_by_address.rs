//! Mesa 22.3 always reads the first component when a single component of an element is loaded through a buffer reference next to a load of
//! the whole element: friction became 0 wherever attributes were accessed by address. Shaders therefore load whole elements, and this test
//! finds those that do not.

use std::path::{Path, PathBuf};

use tuff_solver::attributes::TABLE;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Returns the text after the parenthesis that closes a call; `text` starts behind its opening.
fn behind_call(text: &str) -> &str {
    let mut depth = 1;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// Returns the accesses to a single component of an attribute.
fn component_loads(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for row in TABLE {
        let call = format!("{}(", row.name);
        for (at, _) in text.match_indices(&call) {
            let whole_name = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = behind_call(&text[at + call.len()..]);
            let swizzle: String = rest
                .strip_prefix('.')
                .unwrap_or_default()
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            if whole_name && swizzle.len() == 1 {
                found.push(format!("{call}...).{swizzle}"));
            }
            if whole_name && rest.starts_with('[') {
                found.push(format!("{call}...)[]"));
            }
        }
    }
    found
}

#[test]
fn shaders_load_whole_elements() {
    assert_eq!(component_loads("float w = velocity(p + (1u)).w;"), ["velocity(...).w"]);
    assert_eq!(component_loads("uint first = link(2u * index + i / 4u)[i % 4u];"), ["link(...)[]"]);
    assert!(component_loads("vec3 v = velocity(p).xyz; float w = own_velocity(p).w;").is_empty());
    let mut list = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders"), &mut list);
    assert!(list.len() > 30, "the shaders were not found");
    for file in list {
        let found = component_loads(&std::fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{}: {found:?}; load the element into a variable first", file.display());
    }
}
