//! All models that a search finds.

use std::path::Path;
use std::sync::Arc;

use crate::{Model, PluginError, SearchPath};

/// xxh3 of a file's content, as [`Model::hash`].
pub fn content_hash(content: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(content)
}

/// The models that were found, sorted by id.
#[derive(Clone, Debug, Default)]
pub struct Library {
    models: Vec<Arc<Model>>,
}

impl Library {
    /// Load every material library on the search path. The same file content found twice counts once.
    ///
    /// # Errors
    /// [`PluginError`] for the first file that is broken or that registers an id for the second time.
    pub fn discover(search: &SearchPath) -> Result<Self, PluginError> {
        let mut library = Self::default();
        for file in search.files()? {
            library.add(&file)?;
        }
        library.models.sort_by(|a, b| a.descriptor().id.cmp(&b.descriptor().id));
        Ok(library)
    }

    /// The model with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Model>> {
        self.models.iter().find(|model| model.descriptor().id == id)
    }

    /// All models, sorted by id.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    fn add(&mut self, file: &Path) -> Result<(), PluginError> {
        let content = std::fs::read(file)
            .map_err(|source| PluginError::Unreadable { path: file.to_path_buf(), source })?;
        let hash = content_hash(&content);
        if self.models.iter().any(|model| model.hash() == hash) {
            return Ok(());
        }
        let model = Model::load(file, content)?;
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
