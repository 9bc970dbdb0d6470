//! Allows one run at a time in a folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::OutputError;

/// Name of the file in a run's folder that is locked during the run.
const LOCK_FILE: &str = ".tuff-lock";

/// A folder that no other run writes to. The system holds the lock and releases it when the process ends, however it ends: a
/// killed run leaves no lock behind.
#[derive(Debug)]
pub(crate) struct FolderLock {
    path: PathBuf,
    /// Locked for as long as it is open.
    _file: File,
}

impl FolderLock {
    /// Locks `folder`.
    ///
    /// # Errors
    /// [`OutputError::InUse`] if another run holds the lock; [`OutputError::Write`] if the lock file cannot be created.
    pub(crate) fn take(folder: &Path) -> Result<Self, OutputError> {
        let path = folder.join(LOCK_FILE);
        let fault = |source| OutputError::Write { path: path.clone(), source };
        loop {
            let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).to_owned();
            let mut file = options.open(&path).map_err(fault)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut owner = String::new();
                    // The contents are only for the message.
                    let _ = file.read_to_string(&mut owner);
                    return Err(OutputError::InUse { folder: folder.to_owned(), owner: process(&owner) });
                }
                // A file system without locks cannot tell two runs apart; a single run must still be able to write to it.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(fault(error)),
            }
            // The previous run may have removed the file between opening and locking it, in which case this lock is void.
            if !same_file(&file, &path) {
                continue;
            }
            let named = file.set_len(0).and_then(|()| file.rewind());
            named.and_then(|()| write!(file, "{}", std::process::id())).map_err(fault)?;
            return Ok(Self { path, _file: file });
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A leftover would be taken over by the next run.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the process that a lock file names.
fn process(text: &str) -> String {
    match text.trim().parse::<u32>() {
        Ok(id) => format!("process {id}"),
        Err(_) => "another process".to_owned(),
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let here = |m: fs::Metadata| (m.dev(), m.ino());
    file.metadata().ok().map(here) == fs::metadata(path).ok().map(here)
}

/// Open files cannot be removed on these systems.
#[cfg(not(unix))]
fn same_file(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once_and_by_whom_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        let error = FolderLock::take(folder.path()).unwrap_err();
        assert!(matches!(error, OutputError::InUse { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        FolderLock::take(folder.path()).unwrap();
    }

    #[test]
    fn what_a_killed_run_left_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK_FILE), "4242").unwrap();
        let _lock = FolderLock::take(folder.path()).unwrap();
        let named = fs::read_to_string(folder.path().join(LOCK_FILE)).unwrap();
        assert_eq!(named, std::process::id().to_string());
    }
}
