//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::OutputError;

/// Prefix of a partially written file; such files are never frames.
pub(crate) const TEMPORARY_PREFIX: &str = ".tuff-partial-";

/// Writes `path` through a temporary file in the same folder and renames it into place. The data is on the disk before the
/// rename, so that a full disk or a failing server is reported here and not after the run.
pub(crate) fn write_file(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let temporary = temporary_path(path);
    let written = write_and_sync(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        // Report the error of the write; a leftover is removed by the next --overwrite.
        let _ = fs::remove_file(&temporary);
        OutputError::write(path, source)
    })
}

fn write_and_sync(
    temporary: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 18, File::create(temporary)?);
    content(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{TEMPORARY_PREFIX}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        write_file(&path, |w| w.write_all(b"old")).unwrap();
        let error = write_file(&path, |w| {
            w.write_all(b"half of the new")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(error.to_string().contains("run.json"), "{error}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["run.json"]);
    }

    #[test]
    fn the_file_is_absent_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.0001.ply");
        write_file(&path, |w| {
            w.write_all(&vec![7; 1 << 20])?;
            assert!(!path.exists());
            assert_eq!(names(folder.path()), [".tuff-partial-a.0001.ply"]);
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 1 << 20);
        assert_eq!(names(folder.path()), ["a.0001.ply"]);
    }
}
