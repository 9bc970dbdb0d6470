//! Sequences of mesh files: one file per frame, numbered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::MeshFault;
use super::read::unreadable;

/// Names of the files of a sequence: `man.####.obj`.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    folder: PathBuf,
    /// What precedes and what follows the number.
    prefix: String,
    suffix: String,
    /// Least number of digits.
    digits: usize,
}

impl Pattern {
    /// Parses a path whose file name has one group of `#`, as many as the numbers have digits.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let Some((prefix, rest)) = name.split_once('#') else {
            let fault = match folder.to_string_lossy().contains('#') {
                true => "the `#` must be in the name of the file, not in that of a folder",
                false => "the name of the file has no `#` for the digits of its number",
            };
            return Err(fault.to_owned());
        };
        let suffix = rest.trim_start_matches('#');
        if suffix.contains('#') {
            return Err("the name of the file has several groups of `#`".to_owned());
        }
        let digits = 1 + rest.len() - suffix.len();
        Ok(Self { folder, prefix: prefix.to_owned(), suffix: suffix.to_owned(), digits })
    }

    /// Returns the name of the file of a number; large numbers have more digits.
    fn name(&self, number: u64) -> String {
        format!("{}{number:0digits$}{}", self.prefix, self.suffix, digits = self.digits)
    }

    /// Returns the number of a file of the sequence.
    fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&self.prefix)?.strip_suffix(&self.suffix)?;
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        (self.name(number) == name).then_some(number)
    }

    /// Returns the files from number `first` on, in order.
    ///
    /// # Errors
    /// A folder that cannot be listed, no file `first`, a number without a file before others.
    pub fn files(&self, first: u64) -> Result<Vec<PathBuf>, MeshFault> {
        // A path without a folder has an empty one.
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let unlisted = |error| unreadable(format!("folder `{}`: {error}", folder.display()));
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(unlisted)? {
            let entry = entry.map_err(unlisted)?;
            if let Some(number) = entry.file_name().to_str().and_then(|name| self.number(name)) {
                found.insert(number, entry.path());
            }
        }
        let missing = |number: u64, where_: String| {
            Err(MeshFault::Unreadable(format!("there is no file `{}`{where_}", self.name(number))))
        };
        let later = found.split_off(&first);
        let (Some(&from), Some(&to)) = (later.keys().next(), later.keys().next_back()) else {
            let others = match (found.keys().next(), found.keys().next_back()) {
                (Some(&from), Some(&to)) => {
                    format!("; the numbers of the sequence go from {from} to {to}, `first` is {first}")
                }
                _ => format!(", and no other file of the sequence in `{}`", folder.display()),
            };
            return missing(first, others);
        };
        if from != first {
            let start = found.keys().next().copied().unwrap_or(from);
            return missing(
                first,
                format!("; the numbers of the sequence go from {start} to {to}, `first` is {first}"),
            );
        }
        match std::iter::zip(first.., later.keys()).find(|(expected, number)| expected != *number) {
            Some((gap, &next)) => {
                missing(gap, format!(" between `{}` and `{}`", self.name(gap - 1), self.name(next)))
            }
            None => Ok(later.into_values().collect()),
        }
    }
}
