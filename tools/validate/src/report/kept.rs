//! Reports that are kept beside the sources: what was measured and what it should be as JSON, and the page with diagrams and pictures.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;
use serde_json::json;

use super::store::put;
use super::{Outcome, StoreError};

/// Format of the files.
const FORMAT: u64 = 1;

/// How much smaller pictures are in a page that is kept.
const SMALLER: u32 = 3;

/// The folder of the sources, where reports are kept.
pub const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runs");

/// Writes outcomes of one size, device and commit, and the page that shows them, into files named after these three; the page's path.
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

/// The outcome with pictures of a third of the width and height, for a page that is to be kept. What cannot be read stays as it is.
pub fn with_small_pictures(mut outcome: Outcome) -> Outcome {
    for picture in &mut outcome.findings.images {
        if let Some(smaller) = shrunk(&picture.png) {
            picture.png = smaller;
        }
    }
    outcome
}

/// A picture as PNG in base64, at a third of its size.
fn shrunk(png: &str) -> Option<String> {
    let picture = image::load_from_memory(&STANDARD.decode(png).ok()?).ok()?;
    let mut bytes = Cursor::new(Vec::new());
    picture
        .thumbnail(picture.width() / SMALLER, picture.height() / SMALLER)
        .write_to(&mut bytes, ImageFormat::Png)
        .ok()?;
    Some(STANDARD.encode(bytes.into_inner()))
}

/// Letters, digits and dashes of a name, without what stands in parentheses.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default().to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
