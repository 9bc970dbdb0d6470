//! Licenses of the dependencies.

use std::path::Path;
use std::process::Command;

/// Licenses that may be distributed with Tuff under its own.
const ALLOWED: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "OFL-1.1",
    "Ubuntu-font-1.0",
    "Unicode-3.0",
    "Zlib",
    "0BSD",
];

/// Returns whether one of the alternatives of every part of an SPDX expression is allowed.
fn is_allowed(expression: &str) -> bool {
    let alternatives = expression.replace('/', " OR ");
    alternatives.split(" AND ").all(|part| {
        let part = part.trim_matches(|c| c == '(' || c == ')');
        part.split(" OR ").any(|license| ALLOWED.contains(&license.trim()))
    })
}

#[test]
fn dependencies_have_licenses_that_go_with_ours() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "only {} packages", packages.len());
    for package in packages {
        let license = package["license"].as_str().unwrap_or("none given");
        assert!(is_allowed(license), "{}: {license}", package["name"]);
    }
}

#[test]
fn a_license_needs_an_alternative_that_is_allowed() {
    for expression in ["MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND OFL-1.1"] {
        assert!(is_allowed(expression), "{expression}");
    }
    for expression in ["GPL-3.0", "MIT AND GPL-3.0", "none given", "Apache-2.0 WITH other"] {
        assert!(!is_allowed(expression), "{expression}");
    }
}
