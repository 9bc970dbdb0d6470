//! Finds the model that an argument names: a library file, a folder with one, or the id of a model on the search path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tuff_plugin::{Library, Model, SearchPath};

use crate::exit::Stop;

/// Finds the model `name`; if it is an id, libraries in `folders` are searched first.
pub fn model(name: &str, folders: &[PathBuf]) -> Result<Arc<Model>, Stop> {
    let path = Path::new(name);
    if !path.exists() && !looks_like_a_path(name) {
        return by_id(name, folders);
    }
    let library = Library::discover(&SearchPath::of(&[path.to_path_buf()]))?;
    match library.models() {
        [one] => Ok(one.clone()),
        [] => Err(Stop::bad_input(format!("{name} contains no material library"))),
        several => Err(Stop::bad_input(format!(
            "{name} contains several material libraries ({}); name one file",
            ids(several)
        ))),
    }
}

fn by_id(id: &str, folders: &[PathBuf]) -> Result<Arc<Model>, Stop> {
    let library = Library::discover(&SearchPath::standard(folders))?;
    library.get(id).cloned().ok_or_else(|| {
        let known = if library.models().is_empty() { "none".to_owned() } else { ids(library.models()) };
        Stop::bad_input(format!(
            "no constitutive model `{id}` was found; available: {known} (others: --material-path, or the path of a library)"
        ))
    })
}

fn looks_like_a_path(name: &str) -> bool {
    name.contains(std::path::is_separator) || name.ends_with(std::env::consts::DLL_SUFFIX)
}

fn ids(models: &[Arc<Model>]) -> String {
    models.iter().map(|m| m.descriptor().id.as_str()).collect::<Vec<_>>().join(", ")
}
