//! Problems from the text of a scene.

use anyhow::Result;
use tuff_plugin::{Library, SearchPath};
use tuff_problem::Problem;

/// Builds the problem of a scene file with this text, named `name` in messages.
pub fn problem(name: &str, text: &str) -> Result<Problem> {
    let library = Library::discover(&SearchPath::standard(&[]))?;
    let descriptors: Vec<_> = library.models().iter().map(|m| m.descriptor()).collect();
    let folder = tempfile::tempdir()?;
    let loaded = tuff_scene::parse(text, &folder.path().join(name), &[], &descriptors)?;
    Ok(Problem::new(loaded.scene, &library)?)
}
