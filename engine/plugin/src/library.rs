//! All models that a search finds.

use std::path::Path;
use std::sync::Arc;

use crate::{Model, PluginError, Probe, SearchPath};

/// Returns the xxh3 of a file's content, like [`Model::hash`].
pub fn content_hash(content: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(content)
}

/// The models found, sorted by id.
#[derive(Clone, Debug, Default)]
pub struct Library {
    models: Vec<Arc<Model>>,
}

impl Library {
    /// Loads every material library on the search path. A file content found twice counts once.
    ///
    /// # Errors
    /// [`PluginError`] for the first file that is broken or that registers an id a second time.
    pub fn discover(search: &SearchPath) -> Result<Self, PluginError> {
        let mut library = Self::default();
        for (file, _) in search.files()? {
            library.add(&file, None)?;
        }
        library.sort();
        Ok(library)
    }

    /// Returns the usable models of all material libraries on the search path, and the reasons why other libraries in its folders
    /// are unusable. Each library is first tried by `probe`.
    ///
    /// # Errors
    /// [`PluginError`] for a broken library that the path names itself, and if two libraries register one id.
    pub fn usable(
        search: &SearchPath,
        probe: Option<&Probe>,
    ) -> Result<(Self, Vec<PluginError>), PluginError> {
        let (mut library, mut refused) = (Self::default(), Vec::new());
        for (file, named) in search.files()? {
            match library.add(&file, probe) {
                Err(error @ PluginError::Duplicate { .. }) => return Err(error),
                Err(error) if !named => refused.push(error),
                added => added?,
            }
        }
        library.sort();
        Ok((library, refused))
    }

    fn sort(&mut self) {
        self.models.sort_by(|a, b| a.descriptor().id.cmp(&b.descriptor().id));
    }

    /// Returns the model with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Model>> {
        self.models.iter().find(|model| model.descriptor().id == id)
    }

    /// Returns all models, sorted by id.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    fn add(&mut self, file: &Path, probe: Option<&Probe>) -> Result<(), PluginError> {
        let unreadable = |source| PluginError::Unreadable { path: file.to_path_buf(), source };
        // Pipes and devices may never end.
        if !std::fs::metadata(file).map_err(unreadable)?.is_file() {
            let reason = "it is not a regular file".to_owned();
            return Err(PluginError::NotALibrary { path: file.to_path_buf(), reason });
        }
        let content = std::fs::read(file).map_err(unreadable)?;
        let hash = content_hash(&content);
        if self.models.iter().any(|model| model.hash() == hash) {
            return Ok(());
        }
        let model = match probe {
            Some(probe) => probe.load(file, content)?,
            None => Model::load(file, content)?,
        };
        if let Some(first) = self.get(&model.descriptor().id) {
            return Err(PluginError::Duplicate {
                id: model.descriptor().id.clone(),
                first: first.file().to_path_buf(),
                second: file.to_path_buf(),
            });
        }
        self.models.push(Arc::new(model));
        Ok(())
    }
}
