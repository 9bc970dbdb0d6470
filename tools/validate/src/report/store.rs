//! Outcomes on disk: one file per card and settings, so that a run of hours can be continued and single cards done again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Findings, Settings, Size, Verdict};

/// What a run of a card gave.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// What was found.
    pub findings: Findings,
    /// What kept the card from its end.
    pub error: Option<String>,
    /// How much work it did.
    pub size: Size,
    /// The settings of the solver.
    pub settings: Settings,
    /// The device.
    pub device: String,
    /// The commit of the program.
    pub commit: String,
    /// Wall time [s].
    pub seconds: f64,
    /// Particles times iterations of all its simulations.
    pub particle_iterations: u64,
}

impl Outcome {
    /// The worst verdict; a card that did not end has failed.
    pub fn verdict(&self) -> Verdict {
        if self.error.is_some() { Verdict::Failed } else { self.findings.verdict() }
    }
}

/// A folder of outcomes.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A file of the report cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", file.display())]
pub struct StoreError {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub reason: String,
}

impl Store {
    /// The outcomes in a folder, which is made where it does not exist.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let store = Self { folder: folder.to_path_buf() };
        let cards = store.folder.join("cards");
        std::fs::create_dir_all(&cards)
            .map_err(|error| StoreError { file: cards.clone(), reason: error.to_string() })?;
        Ok(store)
    }

    /// The outcome of a card, if there is one.
    ///
    /// # Errors
    /// Its file cannot be read, or is not one.
    pub fn read(&self, card: &str, settings: Settings) -> Result<Option<Outcome>, StoreError> {
        let file = self.file(card, settings);
        let fault = |reason: String| StoreError { file: file.clone(), reason };
        match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| fault(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(error.to_string())),
        }
    }

    /// Keeps the outcome of a card in place of an earlier one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, outcome: &Outcome) -> Result<(), StoreError> {
        let file = self.file(&outcome.findings.card, outcome.settings);
        let text = serde_json::to_string_pretty(outcome)
            .map_err(|error| StoreError { file: file.clone(), reason: error.to_string() })?;
        put(&file, &(text + "\n"))
    }

    /// Writes the page; its path.
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

/// Writes a file whole or not at all.
pub(super) fn put(file: &Path, text: &str) -> Result<(), StoreError> {
    let temporary = file.with_extension("part");
    std::fs::write(&temporary, text)
        .and_then(|()| std::fs::rename(&temporary, file))
        .map_err(|error| StoreError { file: file.to_path_buf(), reason: error.to_string() })
}
