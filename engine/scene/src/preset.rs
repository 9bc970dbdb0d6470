//! Presets: materials by name, built in or from a file of the user's.
//!
//! A preset is a TOML file with the keys of a `[[material]]` except `name`, and with its purpose in `help` and `source`.
//! [`expand`] copies its keys, with their places, into the materials that ask for it, so that a fault in a preset is shown in the
//! preset.

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::decode::hint;
use crate::document::{Document, Entry, Node, Value};
use crate::error::{Diagnostic, SceneError};
use crate::suggest::listed;

/// Names and texts of the files in `configs/materials`.
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../configs/materials/", $name, ".toml")))),*]
    };
}

const SHIPPED: [(&str, &str); 28] = shipped![
    "aluminium",
    "clay",
    "cream",
    "dry_sand",
    "figure19_snow",
    "flesh",
    "foam",
    "gelatine",
    "honey",
    "memory_foam",
    "muscle",
    "packed_snow",
    "paint",
    "plasticine",
    "powder_snow",
    "rubber",
    "soft_wood",
    "steel_soft",
    "table2_camponotus",
    "table2_cloth",
    "table2_dam_breach",
    "table2_hitman",
    "table2_hourglass",
    "table2_noodles",
    "table2_snow_dive",
    "table2_wrist",
    "water",
    "wet_sand",
];

/// Keys that describe a preset and are not parameters.
const NOTES: [&str; 2] = ["help", "source"];

/// A built-in material.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Name in scenes.
    pub name: &'static str,
    /// TOML file.
    pub text: &'static str,
}

impl Preset {
    /// Returns the id of its model.
    pub fn model(&self) -> String {
        self.string("model")
    }

    /// Returns a description in one line.
    pub fn help(&self) -> String {
        self.string("help")
    }

    /// Returns the source of its numbers.
    pub fn source(&self) -> String {
        self.string("source")
    }

    /// Returns a key that every built-in preset has.
    fn string(&self, key: &str) -> String {
        let document = Document::parse(self.name, self.text).ok();
        let value = document.as_ref().and_then(|d| d.root.get(key)?.as_str());
        value.unwrap_or_default().to_owned()
    }
}

/// Iterates over the built-in presets, by name.
pub fn presets() -> impl Iterator<Item = Preset> {
    SHIPPED.into_iter().map(|(name, text)| Preset { name, text })
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
    SHIPPED.into_iter().map(|(name, _)| name)
}

/// Adds the keys of its preset to every material that names one, except those that the material gives itself. Relative paths of
/// preset files start at `folder`.
///
/// # Errors
/// Unknown presets, unreadable or malformed files, keys that no preset has, and a model other than the preset's.
pub(crate) fn expand(document: &mut Document, folder: &Path) -> Result<(), SceneError> {
    let count = match document.root.get("material").map(|n| &n.value) {
        Some(Value::Array(list)) => list.len(),
        _ => 0,
    };
    let mut refused = Vec::new();
    for index in 0..count {
        let material = document.root.get("material").and_then(|list| list.element(index)).cloned();
        let Some((material, field)) = material.as_ref().and_then(|m| Some((m, m.get("preset")?))) else {
            continue;
        };
        let path = match material.get("name").and_then(Node::as_str) {
            Some(name) => format!("material.{name}"),
            None => format!("material.{index}"),
        };
        match expansion(document, folder, &path, material, field) {
            Ok(added) => extend(&mut document.root, index, added),
            Err(error) => refused.push(error),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(SceneError::all(refused)) }
}

/// Returns the entries that the preset named in `field` adds to `material`, which stands at `path`.
fn expansion(
    document: &mut Document,
    folder: &Path,
    path: &str,
    material: &Node,
    field: &Node,
) -> Result<Vec<Entry>, SceneError> {
    let Some(name) = field.as_str() else {
        let message = format!("`{path}.preset` must be a string, not {}", field.type_name());
        return Err(fault(document, field, message, format!("found {}", field.shown()), None));
    };
    let (source, text) = if name.ends_with(".toml") {
        let file = folder.join(name);
        let text = std::fs::read_to_string(&file).map_err(|error| {
            let message = format!("`{path}`: cannot read the preset `{name}`: {error}");
            fault(document, field, message, format!("a file relative to {}", shown(folder)), None)
        })?;
        (file.display().to_string(), text)
    } else {
        let Some((_, text)) = SHIPPED.iter().find(|(known, _)| *known == name) else {
            let help = if folder.join(format!("{name}.toml")).is_file() {
                Some(format!("a file is named with its extension: did you mean `{name}.toml`?"))
            } else {
                hint(name, names())
            };
            let message = format!("`{path}`: unknown preset \"{name}\"");
            let label = format!("must be {}, or a file `*.toml`", listed(names()));
            return Err(fault(document, field, message, label, help));
        };
        (format!("preset {name}"), (*text).to_owned())
    };
    let root = document.add(&source, &text)?;
    check(document, name, &root)?;
    let (wanted, given) = (root.get("model").and_then(Node::as_str), material.get("model"));
    if let (Some(wanted), Some(given)) = (wanted, given)
        && given.as_str().is_some_and(|given| given != wanted)
    {
        let message =
            format!("`{path}`: preset `{name}` is for the model \"{wanted}\", not {}", given.shown());
        let help = "a preset already chooses the model: leave out `model`, or choose another preset";
        return Err(fault(document, given, message, format!("must be \"{wanted}\""), Some(help.to_owned())));
    }
    let Value::Table(entries) = root.value else { return Ok(Vec::new()) };
    let missing = |e: &Entry| !NOTES.contains(&e.key.as_str()) && material.get(&e.key).is_none();
    Ok(entries.into_iter().filter(missing).collect())
}

/// Rejects a preset without a model, or with keys that belong to the scene.
fn check(document: &Document, name: &str, root: &Node) -> Result<(), SceneError> {
    let Value::Table(entries) = &root.value else { return Ok(()) };
    for entry in entries {
        let (key, node) = (entry.key.as_str(), &entry.node);
        if ["name", "preset"].contains(&key) {
            let message = format!("a preset has no `{key}`");
            let label = "belongs to the `[[material]]` that uses the preset";
            let place = Node { at: entry.key_at.clone(), value: Value::Boolean(true) };
            return Err(fault(document, &place, message, label.to_owned(), None));
        }
        if (NOTES.contains(&key) || key == "model") && node.as_str().is_none() {
            let message = format!("`{key}` must be a string, not {}", node.type_name());
            return Err(fault(document, node, message, format!("found {}", node.shown()), None));
        }
    }
    if root.get("model").is_none() {
        let message = format!("the preset `{name}` has no `model`, which is required");
        let label = "add `model`: the id of a constitutive model; `tuff materials` lists them";
        return Err(fault(document, root, message, label.to_owned(), None));
    }
    Ok(())
}

fn fault(
    document: &Document,
    node: &Node,
    message: String,
    label: String,
    help: Option<String>,
) -> SceneError {
    Diagnostic { message, label, help, place: document.place(&node.at) }.into()
}

fn shown(folder: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    format!("`{}`", folder.display())
}

fn extend(root: &mut Node, index: usize, added: Vec<Entry>) {
    let Value::Table(tables) = &mut root.value else { return };
    let Some(list) = tables.iter_mut().find(|e| e.key == "material") else { return };
    let Value::Array(list) = &mut list.node.value else { return };
    if let Some(Value::Table(entries)) = list.get_mut(index).map(|n| &mut n.value) {
        entries.extend(added);
    }
}
