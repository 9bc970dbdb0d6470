//! Outcomes on disk: one file per card and settings, so that a run of hours can be resumed and single cards can be repeated.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Findings, Settings, Size, Verdict};

/// Outcome of running a card.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Findings of the card.
    pub findings: Findings,
    /// Error that kept the card from finishing.
    pub error: Option<String>,
    /// Amount of work.
    pub size: Size,
    /// Solver settings.
    pub settings: Settings,
    /// Name of the device.
    pub device: String,
    /// Commit of the program.
    pub commit: String,
    /// Wall time [s].
    pub seconds: f64,
    /// Particles times iterations over all its simulations.
    pub particle_iterations: u64,
}

impl Outcome {
    /// Returns the worst verdict; a card that did not finish has failed.
    pub fn verdict(&self) -> Verdict {
        if self.error.is_some() { Verdict::Failed } else { self.findings.verdict() }
    }
}

/// A folder of outcomes.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Error of reading or writing a file of the report.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", file.display())]
pub struct StoreError {
    /// The file.
    pub file: PathBuf,
    /// Reason.
    pub reason: String,
}

impl Store {
    /// Opens a folder of outcomes and creates it if necessary.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let store = Self { folder: folder.to_path_buf() };
        let cards = store.folder.join("cards");
        std::fs::create_dir_all(&cards)
            .map_err(|error| StoreError { file: cards.clone(), reason: error.to_string() })?;
        Ok(store)
    }

    /// Reads the outcome of a card, if there is one.
    ///
    /// # Errors
    /// Its file cannot be read, or is not an outcome.
    pub fn read(&self, card: &str, settings: Settings) -> Result<Option<Outcome>, StoreError> {
        let file = self.file(card, settings);
        let fault = |reason: String| StoreError { file: file.clone(), reason };
        match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| fault(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(error.to_string())),
        }
    }

    /// Stores the outcome of a card, replacing an earlier one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, outcome: &Outcome) -> Result<(), StoreError> {
        let file = self.file(&outcome.findings.card, outcome.settings);
        let text = serde_json::to_string_pretty(outcome)
            .map_err(|error| StoreError { file: file.clone(), reason: error.to_string() })?;
        put(&file, &(text + "\n"))
    }

    /// Writes the page and returns its path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_page(&self, page: &str) -> Result<PathBuf, StoreError> {
        let file = self.folder.join("report.html");
        put(&file, page)?;
        Ok(file)
    }

    fn file(&self, card: &str, settings: Settings) -> PathBuf {
        self.folder.join("cards").join(format!("{card}.{}.json", settings.word()))
    }
}

/// Writes a file completely or not at all.
pub(super) fn put(file: &Path, text: &str) -> Result<(), StoreError> {
    let temporary = file.with_extension("part");
    std::fs::write(&temporary, text)
        .and_then(|()| std::fs::rename(&temporary, file))
        .map_err(|error| StoreError { file: file.to_path_buf(), reason: error.to_string() })
}
