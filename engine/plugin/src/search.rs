//! Search path of material libraries.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use crate::PluginError;

/// Environment variable with folders or files, separated like `PATH`.
const VARIABLE: &str = "TUFF_MATERIAL_PATH";

/// Ordered places to search for material libraries.
#[derive(Clone, Debug, Default)]
pub struct SearchPath {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    /// Setting that names the path; `None` for the standard places, which may be missing.
    origin: Option<&'static str>,
}

impl SearchPath {
    /// Returns `extra` (from `--material-path`), then `TUFF_MATERIAL_PATH`, the folder of the executable (if it is cargo's `deps`
    /// folder, its parent too) and `../lib/tuff/materials` from there.
    pub fn standard(extra: &[PathBuf]) -> Self {
        let mut search = Self::of(extra);
        if let Some(value) = std::env::var_os(VARIABLE) {
            let paths = std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty());
            search.entries.extend(paths.map(|path| Entry { path, origin: Some(VARIABLE) }));
        }
        let executable = std::env::current_exe().and_then(std::fs::canonicalize).ok();
        if let Some(folder) = executable.as_deref().and_then(Path::parent) {
            search.add_standard(folder);
        }
        search
    }

    /// Returns a path of these folders or files only; each has to exist.
    pub fn of(paths: &[PathBuf]) -> Self {
        let entry = |path: &PathBuf| Entry { path: path.clone(), origin: Some("--material-path") };
        Self { entries: paths.iter().map(entry).collect() }
    }

    fn add_standard(&mut self, folder: &Path) {
        let mut folders = Vec::new();
        if folder.ends_with("deps") {
            folders.extend(folder.parent().map(Path::to_path_buf));
        }
        folders.push(folder.to_path_buf());
        folders.push(folder.join("../lib/tuff/materials"));
        self.entries.extend(folders.into_iter().map(|path| Entry { path, origin: None }));
    }

    /// Returns the library files in search order, sorted by name within a folder, and whether each was named explicitly. A path
    /// that is not a folder counts whatever its name.
    pub(crate) fn files(&self) -> Result<Vec<(PathBuf, bool)>, PluginError> {
        let mut files = Vec::new();
        for entry in &self.entries {
            if entry.path.is_dir() {
                files.extend(libraries_in(&entry.path)?.into_iter().map(|file| (file, false)));
            } else if entry.path.exists() {
                files.push((entry.path.clone(), true));
            } else if let Some(origin) = entry.origin {
                return Err(PluginError::MissingPath { path: entry.path.clone(), origin });
            }
        }
        Ok(files)
    }
}

fn libraries_in(folder: &Path) -> Result<Vec<PathBuf>, PluginError> {
    let unreadable = |source| PluginError::Unreadable { path: folder.to_path_buf(), source };
    let mut files = Vec::new();
    for item in std::fs::read_dir(folder).map_err(unreadable)? {
        let item = item.map_err(unreadable)?;
        if item.file_name().to_str().is_some_and(is_library_name) {
            files.push(item.path());
        }
    }
    files.sort();
    Ok(files)
}

/// `libtuff_*.so`, `libtuff_*.dylib` or `tuff_*.dll`, by platform.
fn is_library_name(name: &str) -> bool {
    name.strip_prefix(DLL_PREFIX).is_some_and(|rest| rest.starts_with("tuff_") && rest.ends_with(DLL_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn libraries_beside_and_below_an_executable_are_found() {
        let root = tempfile::tempdir().unwrap();
        let name = |id: &str| format!("{DLL_PREFIX}tuff_{id}{DLL_SUFFIX}");
        let found = |folder: &str| {
            let mut search = SearchPath::default();
            search.add_standard(&root.path().join(folder));
            let files = search.files().unwrap();
            files.iter().map(|(f, _)| f.file_name().unwrap().to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert!(found("bin").is_empty());
        write(&root.path().join("bin").join(name("b")));
        write(&root.path().join("bin").join(name("a")));
        write(&root.path().join("bin").join(format!("{DLL_PREFIX}other{DLL_SUFFIX}")));
        write(&root.path().join("bin").join(format!("{DLL_PREFIX}tuff_a.rlib")));
        write(&root.path().join("lib/tuff/materials").join(name("c")));
        assert_eq!(found("bin"), [name("a"), name("b"), name("c")]);
        write(&root.path().join("bin/deps").join(name("d")));
        assert_eq!(found("bin/deps"), [name("a"), name("b"), name("d")]);
    }
}
