//! `--set path=value`.

use crate::error::SceneError;

/// One `path=value` that replaces or adds a value of the scene document before it is validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    pub(crate) text: String,
}

impl Override {
    /// Parses `path=value`, e.g. `time.max_substep=5e-5` or `material.dry_sand.friction_angle=25`.
    /// Array elements are named by their `name` or by an index from 0. The value is TOML; a bare word
    /// is a string.
    ///
    /// # Errors
    /// No `=`, an empty path segment, or a malformed value.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        Ok(Self { text: text.to_owned() })
    }
}
