//! Typed, checked reading of a [`Document`]; records every fault and reads on.

use std::cell::RefCell;
use std::sync::Arc;

use glam::DVec3;

use crate::document::{At, Document, Entry, Node, Value};
use crate::error::{Diagnostic, Warning};
use crate::suggest::{elsewhere, listed, nearest, placement};

/// Shared by the readers: the document and the faults and warnings about it.
pub(crate) struct Context {
    pub document: Arc<Document>,
    faults: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<Vec<Warning>>,
}

/// Range of numbers that a key accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits<'a> {
    pub min: f64,
    pub max: f64,
    pub min_exclusive: bool,
    pub max_exclusive: bool,
    /// Unit, "" for pure numbers.
    pub unit: &'a str,
}

impl<'a> Limits<'a> {
    /// Any finite number.
    pub const fn any(unit: &'a str) -> Self {
        Self { min: f64::NEG_INFINITY, max: f64::INFINITY, min_exclusive: false, max_exclusive: false, unit }
    }

    /// Numbers above 0.
    pub const fn positive(unit: &'a str) -> Self {
        Self { min: 0.0, min_exclusive: true, ..Self::any(unit) }
    }

    /// Numbers from `min` to `max`, both allowed.
    pub const fn between(min: f64, max: f64, unit: &'a str) -> Self {
        Self { min, max, ..Self::any(unit) }
    }

    fn allow(&self, value: f64) -> bool {
        let low = if self.min_exclusive { value > self.min } else { value >= self.min };
        let high = if self.max_exclusive { value < self.max } else { value <= self.max };
        value.is_finite() && low && high
    }
}

impl std::fmt::Display for Limits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let low = if self.min_exclusive { "greater than" } else { "at least" };
        let high = if self.max_exclusive { "less than" } else { "at most" };
        match (self.min.is_finite(), self.max.is_finite()) {
            (false, false) => write!(f, "a finite number")?,
            (true, false) => write!(f, "{low} {}", shown(self.min))?,
            (false, true) => write!(f, "{high} {}", shown(self.max))?,
            (true, true) => write!(f, "{low} {} and {high} {}", shown(self.min), shown(self.max))?,
        }
        if self.unit.is_empty() || self.unit == "-" { Ok(()) } else { write!(f, " [{}]", self.unit) }
    }
}

/// Formats a number, with an exponent if it would have many zeros.
fn shown(number: f64) -> String {
    let plain = number == 0.0 || (1e-6..1e13).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

impl Context {
    pub fn new(document: Document) -> Self {
        Self { document: Arc::new(document), faults: RefCell::default(), warnings: RefCell::default() }
    }

    /// Records a fault at a place, once: a key that serves two purposes is read twice.
    pub fn fault(&self, at: &At, message: impl Into<String>, label: impl Into<String>, help: Option<String>) {
        let fault = self.diagnostic(at, message, label, help);
        let mut faults = self.faults.borrow_mut();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }

    /// Records a warning at a place.
    pub fn warn(&self, at: &At, message: impl Into<String>, label: impl Into<String>) {
        self.warnings.borrow_mut().push(Warning::new(self.diagnostic(at, message, label, None)));
    }

    fn diagnostic(
        &self,
        at: &At,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Diagnostic {
        Diagnostic { label: label.into(), help, place: self.document.place(at), ..Diagnostic::new(message) }
    }

    /// Returns all faults, in the order of the file, and all warnings.
    pub fn finish(self) -> (Vec<Diagnostic>, Vec<Warning>) {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|f| f.place.as_ref().map_or(0, |p| p.line()));
        (faults, self.warnings.into_inner())
    }

    /// Returns the root table.
    pub fn root(&self, keys: &[&str]) -> Table<'_> {
        let field = Field { context: self, node: &self.document.root, path: String::new() };
        field.table(keys).unwrap_or(Table {
            context: self,
            path: String::new(),
            at: &self.document.root.at,
            entries: &[],
        })
    }
}

/// Returns "did you mean `x`?", if a candidate is near.
pub(crate) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|c| format!("did you mean `{c}`?"))
}

/// A table whose keys have been checked against the allowed ones.
#[derive(Clone)]
pub(crate) struct Table<'c> {
    pub context: &'c Context,
    /// Path of the table, as `--set` would name it.
    pub path: String,
    pub at: &'c At,
    entries: &'c [Entry],
}

impl<'c> Table<'c> {
    /// Returns the value of a key, if present.
    pub fn get(&self, key: &str) -> Option<Field<'c>> {
        let entry = self.entries.iter().find(|e| e.key == key)?;
        Some(Field { context: self.context, node: &entry.node, path: join(&self.path, key) })
    }

    /// Returns a table that the file leaves out, as if it were there without keys.
    pub fn empty(&self, key: &str) -> Table<'c> {
        Table { context: self.context, path: join(&self.path, key), at: self.at, entries: &[] }
    }

    /// Returns the value of a required key; `meaning` is for the message if it is missing.
    pub fn require(&self, key: &str, meaning: &str) -> Option<Field<'c>> {
        let field = self.get(key);
        if field.is_none() {
            let table =
                if self.path.is_empty() { "the scene".to_owned() } else { format!("`{}`", self.path) };
            let message = format!("{table} has no `{key}`, which is required");
            let label = format!("add `{key}`: {meaning}");
            self.context.fault(self.at, message, label, None);
        }
        field
    }

    /// Returns the elements of an array of tables, `[]` if the key is absent.
    pub fn tables(&self, key: &str, keys: &[&str]) -> Vec<Table<'c>> {
        let Some(field) = self.get(key) else { return Vec::new() };
        let Value::Array(list) = &field.node.value else {
            field.mismatch(&format!("an array of tables; write `[[{key}]]`"));
            return Vec::new();
        };
        let element = |(i, node): (usize, &'c Node)| {
            let name = node.get("name").and_then(Node::as_str).map_or_else(|| i.to_string(), str::to_owned);
            Field { context: self.context, node, path: join(&field.path, &name) }.table(keys)
        };
        list.iter().enumerate().filter_map(element).collect()
    }

    /// Returns a number, or its default.
    pub fn number_or(&self, key: &str, limits: Limits<'_>, default: f64) -> f64 {
        self.get(key).and_then(|f| f.number(limits)).unwrap_or(default)
    }

    /// Returns a boolean, or its default.
    pub fn boolean_or(&self, key: &str, default: bool) -> bool {
        self.get(key).and_then(|f| f.boolean()).unwrap_or(default)
    }

    /// Returns a vector, or its default.
    pub fn vector_or(&self, key: &str, unit: &str, default: DVec3) -> DVec3 {
        self.get(key).and_then(|f| f.vector(unit)).unwrap_or(default)
    }

    /// Returns the value for one of several words, or the default; `choices` are pairs of word and value.
    pub fn choice_or<T: Copy>(&self, key: &str, choices: &[(&str, T)], default: T) -> T {
        self.get(key).and_then(|f| f.choice(choices)).unwrap_or(default)
    }
}

fn join(path: &str, key: &str) -> String {
    let key = if key.contains('.') { format!("\"{key}\"") } else { key.to_owned() };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// A value of the document.
#[derive(Clone)]
pub(crate) struct Field<'c> {
    pub context: &'c Context,
    pub node: &'c Node,
    pub path: String,
}

impl<'c> Field<'c> {
    /// Records a fault about this value.
    pub fn fault(&self, message: impl Into<String>, label: impl Into<String>, help: Option<String>) {
        self.context.fault(&self.node.at, message, label, help);
    }

    fn mismatch(&self, expected: &str) {
        let message = format!("`{}` must be {expected}, not {}", self.path, self.node.type_name());
        self.fault(message, format!("found {}", self.node.shown()), None);
    }

    /// Returns a finite number within limits; integers count as numbers.
    pub fn number(&self, limits: Limits<'_>) -> Option<f64> {
        let value = match self.node.value {
            Value::Float(v) => v,
            Value::Integer(v) => v as f64,
            _ => {
                let unit = if ["", "-"].contains(&limits.unit) {
                    String::new()
                } else {
                    format!(" in {}", limits.unit)
                };
                self.mismatch(&format!("a number{unit}"));
                return None;
            }
        };
        if !limits.allow(value) {
            let what = if value.is_finite() { "is out of range" } else { "is not a finite number" };
            let message = format!("`{}` = {} {what}", self.path, self.node.shown());
            self.fault(message, format!("must be {limits}"), None);
            return None;
        }
        Some(value)
    }

    /// Returns an integer from `min` to `max`.
    pub fn integer(&self, min: u64, max: u64) -> Option<u64> {
        let Value::Integer(value) = self.node.value else {
            self.mismatch("an integer");
            return None;
        };
        let inside = u64::try_from(value).ok().filter(|v| (min..=max).contains(v));
        if inside.is_none() {
            let message = format!("`{}` = {value} is out of range", self.path);
            self.fault(message, format!("must be at least {min} and at most {max}"), None);
        }
        inside
    }

    pub fn boolean(&self) -> Option<bool> {
        let Value::Boolean(value) = self.node.value else {
            self.mismatch("`true` or `false`");
            return None;
        };
        Some(value)
    }

    /// Returns a non-empty string.
    pub fn string(&self) -> Option<&'c str> {
        match self.node.as_str() {
            None => {
                self.mismatch("a string");
                None
            }
            Some("") => {
                self.fault(format!("`{}` is empty", self.path), "expected some text", None);
                None
            }
            text => text,
        }
    }

    /// Returns the value that belongs to one of several words.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Option<T> {
        let Some(word) = self.node.as_str() else {
            self.mismatch(&listed(choices.iter().map(|c| c.0)));
            return None;
        };
        let found = choices.iter().find(|c| c.0 == word).map(|c| c.1);
        if found.is_none() {
            self.unknown_word(word, choices.iter().map(|c| c.0));
        }
        found
    }

    /// Records that `word` is none of the allowed words.
    pub fn unknown_word<'a>(&self, word: &str, allowed: impl Iterator<Item = &'a str> + Clone) {
        let message = format!("`{}` = \"{word}\" is not known", self.path);
        let label = match allowed.clone().next() {
            Some(_) => format!("must be {}", listed(allowed.clone())),
            None => "the scene has nothing that could be meant".to_owned(),
        };
        self.fault(message, label, hint(word, allowed));
    }

    /// Returns the elements of an array.
    pub fn array(&self) -> Option<Vec<Field<'c>>> {
        let Value::Array(list) = &self.node.value else {
            self.mismatch("an array");
            return None;
        };
        let element = |(i, node): (usize, &'c Node)| Field {
            context: self.context,
            node,
            path: join(&self.path, &i.to_string()),
        };
        Some(list.iter().enumerate().map(element).collect())
    }

    /// Returns `N` finite numbers.
    pub fn numbers<const N: usize>(&self, unit: &str) -> Option<[f64; N]> {
        let elements = self.array()?;
        if elements.len() != N {
            let message = format!("`{}` has {} numbers, not {N}", self.path, elements.len());
            self.fault(message, format!("expected {N} numbers"), None);
            return None;
        }
        let mut values = [0.0; N];
        for (value, element) in values.iter_mut().zip(elements) {
            *value = element.number(Limits::any(unit))?;
        }
        Some(values)
    }

    /// Returns three finite numbers.
    pub fn vector(&self, unit: &str) -> Option<DVec3> {
        self.numbers::<3>(unit).map(DVec3::from)
    }

    /// Returns a table with these keys; records others as faults.
    pub fn table(&self, keys: &[&str]) -> Option<Table<'c>> {
        let table = self.open_table()?;
        for entry in table.entries.iter().filter(|e| !keys.contains(&e.key.as_str())) {
            table.unknown_key(entry, keys);
        }
        Some(table)
    }

    /// Returns a table whose keys the caller checks.
    pub fn open_table(&self) -> Option<Table<'c>> {
        let Value::Table(entries) = &self.node.value else {
            self.mismatch("a table");
            return None;
        };
        Some(Table { context: self.context, path: self.path.clone(), at: &self.node.at, entries })
    }
}

impl<'c> Table<'c> {
    /// Returns the keys and values as written.
    pub fn entries(&self) -> &'c [Entry] {
        self.entries
    }

    /// Records a key that the table does not have.
    pub fn unknown_key(&self, entry: &Entry, keys: &[&str]) {
        let message = format!("unknown key `{}`", join(&self.path, &entry.key));
        let label = format!("expected {}", listed(keys.iter().copied()));
        let help = placement(&entry.key, keys)
            .or_else(|| elsewhere(&entry.key, keys).map(str::to_owned))
            .or_else(|| hint(&entry.key, keys.iter().copied()));
        self.context.fault(&entry.key_at, message, label, help);
    }
}
