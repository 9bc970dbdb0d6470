//! Files that save work for the next start. They may vanish at any time, and failures to write them are silent.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// Returns the cache folder: `chosen`, or the one from the environment (see the crate's table); `None` if the environment
/// disables it or names none.
pub fn cache_folder(chosen: Option<&Path>) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let folder = chosen.map(Path::to_owned).or_else(|| variable("TUFF_CACHE_DIR")).or_else(|| {
        let home = || variable("HOME").filter(absolute).map(|home| home.join(".cache"));
        variable("XDG_CACHE_HOME").filter(absolute).or_else(home).map(|folder| folder.join("tuff"))
    });
    folder.filter(|folder| !folder.as_os_str().is_empty())
}

/// A folder of checksummed files; without a folder, nothing is found and nothing stored.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Creates a cache in `folder`, or in the folder from the environment: `TUFF_CACHE_DIR` (empty for no cache),
    /// `$XDG_CACHE_HOME/tuff`, `~/.cache/tuff`.
    pub(crate) fn new(folder: Option<&Path>) -> Cache {
        Cache { folder: cache_folder(folder) }
    }

    /// Returns the content last stored under `name`, if it is intact.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let file = self.folder.as_ref()?.join(name);
        // Pipes and devices may never end.
        std::fs::metadata(&file).ok().filter(std::fs::Metadata::is_file)?;
        let mut bytes = std::fs::read(file).ok()?;
        let content = bytes.len().checked_sub(16)?;
        let sum = bytes.split_off(content);
        (xxh3_128(&bytes).to_le_bytes() == sum[..]).then_some(bytes)
    }

    /// Stores `content` under `name`. Readers see the old or the new content, never a part.
    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let attempt = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(content)?;
            file.write_all(&xxh3_128(content).to_le_bytes())?;
            file.persist(folder.join(name)).map_err(|error| error.error)?;
            Ok(())
        };
        if let Err(error) = attempt() {
            tracing::debug!("not cached in {}: {error}", folder.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_back_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(&folder.path().join("deep/er")));
        assert_eq!(cache.read("a"), None);
        cache.write("a", b"first");
        cache.write("a", b"second");
        assert_eq!(cache.read("a").unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path().join("deep/er")).unwrap().count(), 1);
        let file = folder.path().join("deep/er/a");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[2] ^= 1;
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(cache.read("a"), None);
        std::fs::write(&file, b"short").unwrap();
        assert_eq!(cache.read("a"), None);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_cache() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache::new(Some(&file.path().join("below")));
        cache.write("a", b"x");
        assert_eq!(cache.read("a"), None);
    }
}
