//! `--set path=value`.

use toml::de::DeValue;

use crate::document::{At, Document, Entry, Node, Value, convert};
use crate::error::{Diagnostic, Place, SceneError};
use crate::suggest::{listed, nearest};

/// A `path=value` that replaces or adds a value of the scene document before validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    text: String,
    /// Segments of the path and their byte ranges in `text`.
    path: Vec<(String, std::ops::Range<usize>)>,
    value: Value,
    value_span: std::ops::Range<usize>,
}

/// Name of an override's source in messages.
const SOURCE: &str = "--set";

impl Override {
    /// Returns the text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses `path=value`, e.g. `time.max_substep=5e-5` or `material.dry_sand.friction_angle=25`. Array elements are addressed
    /// by their `name` or by an index from 0; segments with dots are quoted. The value is TOML; a bare word is a string.
    ///
    /// # Errors
    /// No `=`, an empty path segment, or a malformed value.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let fault = |message: &str, label: &str, span| -> SceneError {
            Diagnostic {
                label: label.to_owned(),
                help: Some("write `path=value`, e.g. `time.max_substep=5e-5`".to_owned()),
                place: Some(Place::new(SOURCE, text, span)),
                ..Diagnostic::new(message)
            }
            .into()
        };
        let mut path = Vec::new();
        let mut start = 0;
        let mut quoted = false;
        let mut equals = None;
        for (i, c) in text.char_indices() {
            if c == '"' {
                quoted = !quoted;
            } else if !quoted && (c == '.' || c == '=') {
                path.push((text[start..i].trim().trim_matches('"').to_owned(), start..i));
                start = i + 1;
                if c == '=' {
                    equals = Some(i);
                    break;
                }
            }
        }
        let Some(equals) = equals else {
            return Err(fault(
                "the override has no value",
                "expected `=` and a value",
                text.len()..text.len(),
            ));
        };
        if let Some((_, span)) = path.iter().find(|(segment, _)| segment.is_empty()) {
            return Err(fault("the override's path has an empty part", "expected a key", span.clone()));
        }
        let offset = equals + 1;
        let written = text[offset..].trim();
        let offset = offset + text[offset..].find(written).unwrap_or(0);
        let value_span = offset..offset + written.len();
        let value = match DeValue::parse(written) {
            Ok(value) => convert(&value, 0, offset).value,
            Err(_) if written.parse::<f64>().is_ok() => Value::Float(written.parse().unwrap_or(f64::NAN)),
            Err(error) if written.is_empty() || written.starts_with(['[', '{', '"', '\'']) => {
                let message = format!("the override's value is malformed: {}", error.message());
                return Err(fault(&message, "expected a TOML value", value_span));
            }
            Err(_) => Value::String(written.to_owned()),
        };
        Ok(Self { text: text.to_owned(), path, value, value_span })
    }

    /// Writes the value into the document.
    pub(crate) fn apply(&self, document: &mut Document) -> Result<(), SceneError> {
        let source = document.sources.len();
        document.sources.push((SOURCE.to_owned(), self.text.clone()));
        let at = |span: &std::ops::Range<usize>| At { source, span: span.clone() };
        let fault = |message: String, label: String, help: Option<String>, span: &std::ops::Range<usize>| {
            let place = Some(Place::new(SOURCE, &self.text, span.clone()));
            SceneError::from(Diagnostic { message, label, help, place })
        };
        let mut node = &mut document.root;
        let mut walked = String::new();
        for (depth, (segment, span)) in self.path.iter().enumerate() {
            let type_name = node.type_name();
            node = match &mut node.value {
                Value::Table(entries) => {
                    let index = match entries.iter().position(|e| e.key == *segment) {
                        Some(index) => index,
                        None => {
                            // Validation checks the new key, as it would in the file.
                            let node = Node { value: Value::Table(Vec::new()), at: at(span) };
                            entries.push(Entry { key: segment.clone(), key_at: at(span), node });
                            entries.len() - 1
                        }
                    };
                    &mut entries[index].node
                }
                Value::Array(list) => {
                    let names: Vec<String> = list
                        .iter()
                        .filter_map(|n| n.get("name").and_then(Node::as_str).map(str::to_owned))
                        .collect();
                    let named = |n: &Node| n.get("name").and_then(Node::as_str) == Some(segment.as_str());
                    let index = list.iter().position(named).or_else(|| segment.parse().ok());
                    let count = list.len();
                    match index.and_then(|i| list.get_mut(i)) {
                        Some(element) => element,
                        None => {
                            let mut label = format!("{count} elements: an index below {count}");
                            if !names.is_empty() {
                                label = format!("expected {}", listed(names.iter().map(String::as_str)));
                            }
                            let help = nearest(segment, names.iter().map(String::as_str))
                                .map(|n| format!("did you mean `{n}`?"));
                            return Err(fault(
                                format!("`{walked}` has no element `{segment}`"),
                                label,
                                help,
                                span,
                            ));
                        }
                    }
                }
                _ => {
                    let message = format!("`{walked}` is {type_name}: it has no key `{segment}`");
                    return Err(fault(message, "nothing can be set below it".to_owned(), None, span));
                }
            };
            walked = if depth == 0 { segment.clone() } else { format!("{walked}.{segment}") };
        }
        let mut value = self.value.clone();
        assign_source(&mut value, source);
        *node = Node { value, at: at(&self.value_span) };
        Ok(())
    }
}

/// Assigns every place inside a value to `source`.
fn assign_source(value: &mut Value, source: usize) {
    match value {
        Value::Array(list) => {
            for node in list {
                node.at.source = source;
                assign_source(&mut node.value, source);
            }
        }
        Value::Table(entries) => {
            for entry in entries {
                entry.key_at.source = source;
                entry.node.at.source = source;
                assign_source(&mut entry.node.value, source);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str =
        "[time]\nmax_substep = 1e-4\nframes = [1, 2]\n[[material]]\nname = \"dry_sand\"\nangle = 35\n";

    fn applied(text: &str) -> Result<Document, SceneError> {
        let mut document = Document::parse("scene.toml", SCENE).unwrap();
        Override::parse(text).unwrap().apply(&mut document).map(|()| document)
    }

    #[test]
    fn values_are_replaced_added_and_reached_by_name_or_index() {
        let get = |text: &str, path: &[&str]| {
            let document = applied(text).unwrap();
            path.iter().fold(document.root.to_toml(), |v, key| match key.parse::<usize>() {
                Ok(index) => v[index].clone(),
                Err(_) => v[*key].clone(),
            })
        };
        assert_eq!(get("time.max_substep=5e-5", &["time", "max_substep"]), toml::Value::Float(5e-5));
        assert_eq!(get("material.dry_sand.angle=25", &["material", "0", "angle"]), toml::Value::Integer(25));
        assert_eq!(get("material.0.angle=.5", &["material", "0", "angle"]), toml::Value::Float(0.5));
        assert_eq!(get("time.frames.1 = 9", &["time", "frames", "1"]), toml::Value::Integer(9));
        assert_eq!(get("solver.scheme=jacobi", &["solver", "scheme"]), toml::Value::String("jacobi".into()));
        assert_eq!(
            get("solver.a.b={ c = [1, 2] }", &["solver", "a", "b", "c", "1"]),
            toml::Value::Integer(2)
        );
        assert_eq!(get("a.\"b.c\"=true", &["a", "b.c"]), toml::Value::Boolean(true));
    }

    #[test]
    fn faults_point_into_the_override() {
        for (text, part) in [
            ("time.max_substep", "no value"),
            ("time..max=1", "empty part"),
            ("=1", "empty part"),
            ("time.frames=[1,", "malformed"),
            ("time.frames=", "malformed"),
        ] {
            let error = Override::parse(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("--set:1"), "{text}: {error}");
        }
        for (text, part) in [
            ("material.dry_snad.angle=1", "did you mean `dry_sand`?"),
            ("material.3.angle=1", "`material` has no element `3`"),
            ("time.max_substep.x=1", "`time.max_substep` is a number"),
        ] {
            let error = applied(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
