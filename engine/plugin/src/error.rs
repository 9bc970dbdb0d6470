//! Errors of material libraries.

use std::path::PathBuf;

use tuff_material_sdk::abi::{ABI_MAJOR, ENTRY_SYMBOL};

use crate::watchdog::DEADLINE;

/// Reasons why the material libraries cannot be loaded. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// A path given by the user does not exist.
    #[error(
        "the material path {} ({origin}) does not exist; give a folder with material libraries or a library file",
        path.display()
    )]
    MissingPath {
        /// The path.
        path: PathBuf,
        /// Setting that the path comes from.
        origin: &'static str,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}; check that it exists and may be read", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The system's loader rejects the file.
    #[error("{} is not a material library: the system cannot load it ({reason}); rebuild it or move it away", path.display())]
    NotALibrary {
        /// The file.
        path: PathBuf,
        /// Message of the loader.
        reason: String,
    },
    /// The file exports no entry point of this major version.
    #[error(
        "{} is not a material library for this engine: found {found}, expected the symbol `{ENTRY_SYMBOL}` (ABI major \
         version {ABI_MAJOR}); rebuild it with the SDK of this engine",
        path.display()
    )]
    MissingEntry {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        found: String,
    },
    /// A struct carries another ABI version or an impossible size.
    #[error("{} was built for another ABI: in {what}, found {found}, expected {expected}; rebuild it with the SDK of this engine", path.display())]
    Abi {
        /// The file.
        path: PathBuf,
        /// The struct.
        what: String,
        /// Version or size found.
        found: String,
        /// Version or size expected.
        expected: String,
    },
    /// The library's description breaks a rule.
    #[error("{} describes its model wrongly: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The rule, the value found and the values allowed.
        message: String,
    },
    /// The library's code does not return.
    #[error(
        "{}: loading it or its function `{ENTRY_SYMBOL}` did not end within {DEADLINE} s; rebuild it or move it away",
        path.display()
    )]
    Hangs {
        /// The file.
        path: PathBuf,
    },
    /// The library's code ends the process.
    #[error(
        "{} cannot be used: loading it ended the process that tested it {how}; rebuild it or move it away",
        path.display()
    )]
    Crashes {
        /// The file.
        path: PathBuf,
        /// How the process ended.
        how: String,
    },
    /// A GLSL file that replaces a library's own text lacks a function.
    #[error("{} has no function `{function}`", path.display())]
    GlslFile {
        /// The file.
        path: PathBuf,
        /// The function.
        function: String,
    },
    /// Two files register the same id.
    #[error(
        "two material libraries register the model `{id}`: {} and {}; remove one, or leave one folder out of the search",
        first.display(), second.display()
    )]
    Duplicate {
        /// The id.
        id: String,
        /// The file found first.
        first: PathBuf,
        /// The other file.
        second: PathBuf,
    },
}

/// Reason why a model rejects its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PrepareError {
    /// Index of the offending parameter in the descriptor, if a single one is at fault.
    pub parameter: Option<usize>,
    /// Value found and values allowed.
    pub message: String,
}
