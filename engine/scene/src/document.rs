//! A TOML document that knows where each value was written.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Diagnostic, Place, SceneError};

/// Place where a value was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct At {
    /// Index into [`Document::sources`]: 0 is the scene file, the others are overrides and presets.
    pub source: usize,
    /// Byte range in that source.
    pub span: Range<usize>,
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub at: At,
}

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    String(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_at: At,
    pub node: Node,
}

/// A parsed document with its source texts.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// Name and text of the scene file, of every override and of every preset.
    pub sources: Vec<(String, String)>,
    pub root: Node,
}

impl Node {
    /// Returns the type in TOML's words.
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::String(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Boolean(_) => "a boolean",
            Value::Datetime(_) => "a date",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// Returns an entry of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    /// Returns an element of an array.
    pub fn element(&self, index: usize) -> Option<&Node> {
        match &self.value {
            Value::Array(list) => list.get(index),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a number.
    pub fn as_number(&self) -> Option<f64> {
        match self.value {
            Value::Integer(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value as plain TOML.
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::String(v) | Value::Datetime(v) => toml::Value::String(v.clone()),
            Value::Integer(v) => {
                i64::try_from(*v).map_or(toml::Value::Float(*v as f64), toml::Value::Integer)
            }
            Value::Float(v) => toml::Value::Float(*v),
            Value::Boolean(v) => toml::Value::Boolean(*v),
            Value::Array(v) => toml::Value::Array(v.iter().map(Node::to_toml).collect()),
            Value::Table(v) => {
                toml::Value::Table(v.iter().map(|e| (e.key.clone(), e.node.to_toml())).collect())
            }
        }
    }

    /// Returns the value as a user would write it, shortened.
    pub fn shown(&self) -> String {
        let text = match &self.value {
            Value::Table(_) => "a table".to_owned(),
            Value::Datetime(v) => v.clone(),
            _ => self.to_toml().to_string(),
        };
        match text.char_indices().nth(40) {
            Some((cut, _)) => format!("{}...", &text[..cut]),
            None => text,
        }
    }
}

impl Document {
    /// Parses a scene file.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneError> {
        let root = read(name, text, 0)?;
        Ok(Self { sources: vec![(name.to_owned(), text.to_owned())], root })
    }

    /// Parses another file; its root belongs to this document, but is not part of its tree yet.
    pub fn add(&mut self, name: &str, text: &str) -> Result<Node, SceneError> {
        let root = read(name, text, self.sources.len())?;
        self.sources.push((name.to_owned(), text.to_owned()));
        Ok(root)
    }

    /// Returns the place of a value, for messages.
    pub fn place(&self, at: &At) -> Option<Place> {
        self.sources.get(at.source).map(|(name, text)| Place::new(name, text, at.span.clone()))
    }
}

/// Parses `text`, the source `name` with index `source`, as a table.
fn read(name: &str, text: &str, source: usize) -> Result<Node, SceneError> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let diagnostics = errors.iter().take(3).map(|error| Diagnostic {
            label: "malformed here".to_owned(),
            place: error.span().map(|span| Place::new(name, text, span)),
            help: Some("the file is not valid TOML (https://toml.io)".to_owned()),
            ..Diagnostic::new(format!("malformed TOML: {}", error.message().trim_end()))
        });
        return Err(SceneError::new(diagnostics.collect()));
    }
    Ok(Node { value: convert_table(table.get_ref(), source), at: At { source, span: table.span() } })
}

/// Converts a parsed value; `offset` is the start of its text in the source.
pub(crate) fn convert(value: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let span = value.span();
    let at = At { source, span: span.start + offset..span.end + offset };
    let value = match value.get_ref() {
        DeValue::String(v) => Value::String(v.to_string()),
        // Integers beyond i128 keep their magnitude as floats.
        DeValue::Integer(v) => i128::from_str_radix(v.as_str(), v.radix())
            .map_or_else(|_| Value::Float(v.as_str().parse().unwrap_or(f64::INFINITY)), Value::Integer),
        DeValue::Float(v) => Value::Float(v.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(v) => Value::Boolean(*v),
        DeValue::Datetime(v) => Value::Datetime(v.to_string()),
        DeValue::Array(v) => Value::Array(v.iter().map(|e| convert(e, source, offset)).collect()),
        DeValue::Table(v) => shifted(convert_table(v, source), offset),
    };
    Node { value, at }
}

fn convert_table(table: &DeTable<'_>, source: usize) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_at: At { source, span: key.span() },
            node: convert(value, source, 0),
        })
        .collect();
    entries.sort_by_key(|e| e.key_at.span.start);
    Value::Table(entries)
}

/// Moves the places of all values in a table by `offset` bytes.
fn shifted(mut value: Value, offset: usize) -> Value {
    fn shift(at: &mut At, offset: usize) {
        at.span = at.span.start + offset..at.span.end + offset;
    }
    fn walk(value: &mut Value, offset: usize) {
        match value {
            Value::Array(list) => {
                for node in list {
                    shift(&mut node.at, offset);
                    walk(&mut node.value, offset);
                }
            }
            Value::Table(entries) => {
                for entry in entries {
                    shift(&mut entry.key_at, offset);
                    shift(&mut entry.node.at, offset);
                    walk(&mut entry.node.value, offset);
                }
            }
            _ => {}
        }
    }
    if offset > 0 {
        walk(&mut value, offset);
    }
    value
}
