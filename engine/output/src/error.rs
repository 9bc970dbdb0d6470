//! The error type of the crate.

use std::io;
use std::path::{Path, PathBuf};

use tuff_scene::ATTRIBUTES;

/// Reasons why output cannot be prepared or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The folder already holds frames.
    #[error(
        "{} already holds {count} frame file(s), for example {example}; choose another folder with --out, or pass --overwrite to replace them, or --resume to continue after the last checkpoint",
        folder.display()
    )]
    HoldsFrames {
        /// The folder of the run.
        folder: PathBuf,
        /// Number of frame files found.
        count: usize,
        /// Name of one of them.
        example: String,
    },
    /// Another run writes to the folder.
    #[error(
        "{} is in use: {owner} writes frames there; wait for it to end, or choose another folder with --out",
        folder.display()
    )]
    InUse {
        /// The folder of the run.
        folder: PathBuf,
        /// The process that holds it.
        owner: String,
    },
    /// A folder could not be created.
    #[error("cannot create the folder {}: {}", path.display(), obstructed(path, source))]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A folder could not be read.
    #[error("cannot read the folder {}: {}", path.display(), reason(source))]
    ReadFolder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {}", path.display(), reason(source))]
    Write {
        /// The file that should have been written.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// An old file could not be removed.
    #[error("cannot remove {} in order to replace it: {}", path.display(), reason(source))]
    Remove {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder holds no run from which pictures can be made.
    #[error("{} holds no run that can be shown: {reason}; give the folder that `tuff run` wrote to", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// Defect of the folder.
        reason: String,
    },
    /// A frame on disk cannot be used.
    #[error("{}: {reason}", path.display())]
    BadFrame {
        /// The file.
        path: PathBuf,
        /// Defect of the file, and its contents.
        reason: String,
    },
    /// A frame attribute that no material declares.
    #[error("no material of the scene has a state word named \"{name}\"; allowed are {}", listed(allowed))]
    UnknownState {
        /// Requested name.
        name: String,
        /// State words that the scene's materials export.
        allowed: Vec<String>,
    },
}

impl OutputError {
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }
}

/// Like [`reason`], for a folder: names the file that obstructs it.
fn obstructed(path: &Path, source: &io::Error) -> String {
    let leads_nowhere =
        |part: &&Path| part.symlink_metadata().is_ok_and(|data| data.is_symlink()) && !part.exists();
    match path.ancestors().find(leads_nowhere) {
        Some(link) => {
            format!(
                "{} is a link to something that does not exist; create its target, or choose another folder with --out",
                link.display()
            )
        }
        None => reason(source),
    }
}

/// Returns the system's reason, with advice for the common ones.
fn reason(source: &io::Error) -> String {
    let advice = match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space or choose another disk with --out"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that you may write to with --out"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "; part of the path is a file, choose another folder with --out"
        }
        _ => "",
    };
    format!("{source}{advice}")
}

fn listed(names: &[String]) -> String {
    let all = ATTRIBUTES.iter().map(|row| row.name).chain(names.iter().map(String::as_str));
    all.collect::<Vec<_>>().join(", ")
}
