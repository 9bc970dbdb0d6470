//! The gate on documentation: rustdoc without warnings, and no broken links.

use crate::process::{Failure, captured};
use crate::workspace::Workspace;

/// Units and shapes that docs write in brackets, where rustdoc looks for items.
const BRACKETED: [&str; 14] = [
    "m",
    "s",
    "kg",
    "N",
    "Pa",
    "J",
    "us",
    "ns",
    "bytes",
    "degrees",
    "pixels",
    "dimensionless",
    "min",
    "spacings",
];

/// What rustdoc says of a broken link, before its target.
const UNRESOLVED: &str = "unresolved link to `";

/// Ending of the names of counts, which give shapes: `[particle_count]`.
const COUNT: &str = "_count";

/// Builds the documentation.
///
/// # Errors
/// A warning of rustdoc, or a link to an item that does not exist.
pub fn check(workspace: &Workspace) -> Result<(), Failure> {
    let mut doc = workspace.cargo();
    doc.args(["doc", "--workspace", "--no-deps", "--locked", "--message-format", "short"]);
    doc.env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links");
    let messages = captured(&mut doc, |line| !line.contains(UNRESOLVED) || is_broken_link(line))?;
    let broken: Vec<&str> = messages.lines().filter(|line| is_broken_link(line)).collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the documentation has {} broken links; write code in backticks, units as one of {}:\n{}",
        broken.len(),
        BRACKETED.join(" "),
        broken.join("\n")
    )))
}

fn is_broken_link(line: &str) -> bool {
    let Some((_, rest)) = line.split_once(UNRESOLVED) else { return false };
    let Some((target, _)) = rest.split_once('`') else { return false };
    !BRACKETED.contains(&target) && !target.ends_with(COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_shapes_are_no_links() {
        let line = |target: &str| format!("a.rs:1:2: warning: unresolved link to `{target}`: no item");
        for target in ["m", "Pa", "particle_count"] {
            assert!(!is_broken_link(&line(target)), "{target}");
        }
        for target in ["Store::gone", "gone", "M"] {
            assert!(is_broken_link(&line(target)), "{target}");
        }
        assert!(!is_broken_link("a.rs:1:2: warning: something else"));
    }
}
