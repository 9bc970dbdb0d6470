//! Reports stored beside the sources: measured and expected values as JSON, and the page with diagrams.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::store::put;
use super::{Outcome, StoreError};

/// Format of the files.
const FORMAT: u64 = 1;

/// Folder of the sources where reports are stored.
pub const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runs");

/// Writes outcomes of one size, device and commit, and the page that shows them, to files named after these three. Returns the page's
/// path.
///
/// # Errors
/// The files cannot be written, or there is no outcome.
pub fn keep(folder: &Path, outcomes: &[&Outcome], page: &str) -> Result<PathBuf, StoreError> {
    let fault = |reason: String| StoreError { file: folder.to_path_buf(), reason };
    let first = outcomes.first().ok_or_else(|| fault("there is no outcome to keep".to_owned()))?;
    std::fs::create_dir_all(folder).map_err(|error| fault(error.to_string()))?;
    let size = format!("{:?}", first.size).to_lowercase();
    let name = format!("{}-{}-{size}", plain(&first.device), plain(&first.commit));
    let cards: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "card": outcome.findings.card,
                "settings": outcome.settings,
                "seconds": outcome.seconds,
                "verdict": outcome.verdict().word(),
                "error": outcome.error,
                "checks": outcome.findings.checks,
                "remarks": outcome.findings.remarks,
            })
        })
        .collect();
    let report = json!({
        "tuff_validate": FORMAT,
        "device": first.device,
        "commit": first.commit,
        "size": size,
        "cards": cards,
    });
    put(&folder.join(format!("{name}.json")), &format!("{report:#}\n"))?;
    let file = folder.join(format!("{name}.html"));
    put(&file, page)?;
    Ok(file)
}

/// Removes the pictures, which take ten times the space of everything else; a stored page does without them.
pub fn without_pictures(mut outcome: Outcome) -> Outcome {
    outcome.findings.images.clear();
    outcome
}

/// Reduces a name to letters, digits and dashes, without any text in parentheses.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default().to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
