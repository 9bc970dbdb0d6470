//! What is wrong with a scene, shown with the line that is at fault.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::document::{Document, Node, Value};

/// A scene that cannot be used; all faults that were found.
#[derive(Debug, Clone, thiserror::Error)]
pub struct SceneError {
    diagnostics: Vec<Diagnostic>,
}

/// Something in a scene that is probably not meant.
#[derive(Debug, Clone)]
pub struct Warning(Diagnostic);

/// One fault or doubt, with the text that it is about.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    /// What is wrong, in one sentence that names key and value.
    pub message: String,
    /// What is allowed, shown under the offending text.
    pub label: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Where; `None` when no text is to blame.
    pub place: Option<Place>,
}

/// A piece of a text.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// What the text is called: a path or `--set`.
    pub name: String,
    /// The lines around the fault.
    pub text: String,
    /// Number of the first line of `text`, from 1.
    pub first_line: usize,
    /// Bytes of `text` that are at fault.
    pub span: Range<usize>,
}

impl Place {
    /// The part `span` of `source`, which is called `name`.
    pub fn new(name: &str, source: &str, span: Range<usize>) -> Self {
        let start = span.start.min(source.len());
        // An array of tables spans many lines; its first line tells enough.
        let first = source[..start].rfind('\n').map_or(0, |i| i + 1);
        let last = source[start..].find('\n').map_or(source.len(), |i| start + i);
        let text = source[first..last].trim_end().to_owned();
        let end = span.end.clamp(start, last) - first;
        Self {
            name: name.to_owned(),
            first_line: source[..first].matches('\n').count() + 1,
            span: (start - first).min(text.len())..end.min(text.len()),
            text,
        }
    }

    /// Line of the fault, from 1.
    pub fn line(&self) -> usize {
        self.first_line
    }
}

impl Diagnostic {
    /// A fault without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), label: String::new(), help: None, place: None }
    }

    fn render(&self, level: Level<'_>, styled: bool) -> String {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let mut group = match &self.place {
            Some(place) => level.primary_title(self.message.as_str()).element(
                Snippet::source(place.text.as_str())
                    .line_start(place.first_line)
                    .path(place.name.as_str())
                    .annotation(AnnotationKind::Primary.span(place.span.clone()).label(self.label.as_str())),
            ),
            None => annotate_snippets::Group::with_title(level.primary_title(self.message.as_str())),
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

impl SceneError {
    pub(crate) fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics }
    }

    /// The faults of several errors.
    pub(crate) fn all(errors: Vec<Self>) -> Self {
        Self::new(errors.into_iter().flat_map(|e| e.diagnostics).collect())
    }

    /// An error about a file as a whole.
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        let mut diagnostic = Diagnostic::new(format!("cannot read the scene `{}`: {error}", path.display()));
        diagnostic.help =
            Some("give the path of a scene file, e.g. `configs/scenes/sand_column.toml`".into());
        Self::new(vec![diagnostic])
    }

    /// The faults as sentences, without the lines that they are about.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.diagnostics.iter().map(|d| d.message.as_str())
    }

    /// Line of each fault in the scene file or override, where one is to blame.
    pub fn lines(&self) -> impl Iterator<Item = Option<usize>> {
        self.diagnostics.iter().map(|d| d.place.as_ref().map(Place::line))
    }

    /// All faults with the lines that they are about, in color when `styled`.
    pub fn render(&self, styled: bool) -> String {
        let texts: Vec<_> = self.diagnostics.iter().map(|d| d.render(Level::ERROR, styled)).collect();
        texts.join("\n\n")
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl From<Diagnostic> for SceneError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic])
    }
}

impl Warning {
    pub(crate) fn new(diagnostic: Diagnostic) -> Self {
        Self(diagnostic)
    }

    /// A doubt about no line of the scene.
    pub fn apart(message: impl Into<String>) -> Self {
        Self(Diagnostic::new(message))
    }

    /// The doubt as a sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The doubt with the line that it is about, in color when `styled`.
    pub fn render(&self, styled: bool) -> String {
        self.0.render(Level::WARNING, styled)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// The document that a scene was read from, for messages after loading; none for a scene made in code.
#[derive(Debug, Clone, Default)]
pub struct Source {
    pub(crate) document: Option<Arc<Document>>,
}

impl Source {
    /// Where a body stands.
    pub(crate) fn body(&self, index: usize) -> Option<Place> {
        self.place(|root| listed(root, "body", index))
    }

    /// Where a key of the table `scene` stands.
    pub(crate) fn header(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("scene")?.get(key))
    }

    /// Where a key of the table `time` stands.
    pub(crate) fn time(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("time")?.get(key))
    }

    /// Where a collider stands.
    pub(crate) fn collider(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("collider")?.element(index))
    }

    /// Where a pin stands.
    pub(crate) fn pin(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("pin")?.element(index))
    }

    /// Where a material stands.
    pub(crate) fn material(&self, index: usize) -> Option<Place> {
        self.place(|root| listed(root, "material", index))
    }

    /// Where a parameter of a material stands.
    pub(crate) fn parameter(&self, material: usize, name: &str) -> Option<Place> {
        self.place(|root| root.get("material")?.element(material)?.get(name))
    }

    /// The preset that a material names.
    pub(crate) fn preset(&self, material: usize) -> Option<&str> {
        let root = &self.document.as_ref()?.root;
        root.get("material")?.element(material)?.get("preset")?.as_str()
    }

    /// Where a key of the solver stands.
    pub(crate) fn solver(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("solver")?.get(key))
    }

    fn place(&self, find: impl Fn(&Node) -> Option<&Node>) -> Option<Place> {
        let document = self.document.as_ref()?;
        document.place(&find(&document.root)?.at)
    }
}

/// An element of a list that ropes follow: each is a body and a material of its own.
fn listed<'a>(root: &'a Node, list: &str, index: usize) -> Option<&'a Node> {
    let count = match root.get(list).map(|node| &node.value) {
        Some(Value::Array(elements)) => elements.len(),
        _ => 0,
    };
    match index.checked_sub(count) {
        None => root.get(list)?.element(index),
        Some(rope) => root.get("rope")?.element(rope),
    }
}
