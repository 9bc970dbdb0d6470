//! Faults of a scene, shown with the offending line.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::document::{Document, Node, Value};

/// Faults of an unusable scene, all that were found.
#[derive(Debug, Clone, thiserror::Error)]
pub struct SceneError {
    diagnostics: Vec<Diagnostic>,
}

/// A warning about something in a scene that is probably unintended.
#[derive(Debug, Clone)]
pub struct Warning(Diagnostic);

/// A fault or warning, with the text concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// Fault, in one sentence that names key and value.
    pub message: String,
    /// Allowed values, shown under the offending text.
    pub label: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Place in the text; `None` if no text is at fault.
    pub place: Option<Place>,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Name of the text: a path or `--set`.
    pub name: String,
    /// The lines around the fault.
    pub text: String,
    /// Number of the first line of `text`, from 1.
    pub first_line: usize,
    /// Offending bytes of `text`.
    pub span: Range<usize>,
}

impl Place {
    /// Returns the part `span` of `source`, which is called `name`.
    pub fn new(name: &str, source: &str, span: Range<usize>) -> Self {
        let start = span.start.min(source.len());
        // An array of tables spans many lines; its first line suffices.
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

    /// Returns the line of the fault, from 1.
    pub fn line(&self) -> usize {
        self.first_line
    }
}

impl Diagnostic {
    /// Creates a fault without a place.
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

    /// Combines the faults of several errors.
    pub(crate) fn all(errors: Vec<Self>) -> Self {
        Self::new(errors.into_iter().flat_map(|e| e.diagnostics).collect())
    }

    /// Creates an error about a file as a whole.
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        let mut diagnostic = Diagnostic::new(format!("cannot read the scene `{}`: {error}", path.display()));
        diagnostic.help =
            Some("give the path of a scene file, e.g. `configs/scenes/sand_column.toml`".into());
        Self::new(vec![diagnostic])
    }

    /// Iterates over the faults as sentences, without the offending lines.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.diagnostics.iter().map(|d| d.message.as_str())
    }

    /// Iterates over the lines of the faults in the scene file or override; `None` for faults without one.
    pub fn lines(&self) -> impl Iterator<Item = Option<usize>> {
        self.diagnostics.iter().map(|d| d.place.as_ref().map(Place::line))
    }

    /// Formats all faults with the offending lines, in color if `styled`.
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

    /// Creates a warning about no line of the scene.
    pub fn apart(message: impl Into<String>) -> Self {
        Self(Diagnostic::new(message))
    }

    /// Returns the warning as a sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Formats the warning with the line concerned, in color if `styled`.
    pub fn render(&self, styled: bool) -> String {
        self.0.render(Level::WARNING, styled)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// The document of a scene, for messages after loading; `None` for a scene built in code.
#[derive(Debug, Clone, Default)]
pub struct Source {
    pub(crate) document: Option<Arc<Document>>,
}

impl Source {
    /// Returns the place of a body.
    pub(crate) fn body(&self, index: usize) -> Option<Place> {
        self.place(|root| listed(root, "body", index))
    }

    /// Returns the place of a key in the table `scene`.
    pub(crate) fn header(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("scene")?.get(key))
    }

    /// Returns the place of a key in the table `time`.
    pub(crate) fn time(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("time")?.get(key))
    }

    /// Returns the place of a collider.
    pub(crate) fn collider(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("collider")?.element(index))
    }

    /// Returns the place of a rigid body.
    pub(crate) fn rigid(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("rigid")?.element(index))
    }

    /// Returns the place of a mixture.
    pub(crate) fn mixture(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("mixture")?.element(index))
    }

    /// Returns the place of a pin.
    pub(crate) fn pin(&self, index: usize) -> Option<Place> {
        self.place(|root| root.get("pin")?.element(index))
    }

    /// Returns the place of a material.
    pub(crate) fn material(&self, index: usize) -> Option<Place> {
        self.place(|root| listed(root, "material", index))
    }

    /// Returns the place of a material's parameter.
    pub(crate) fn parameter(&self, material: usize, name: &str) -> Option<Place> {
        self.place(|root| root.get("material")?.element(material)?.get(name))
    }

    /// Returns the preset that a material names.
    pub(crate) fn preset(&self, material: usize) -> Option<&str> {
        let root = &self.document.as_ref()?.root;
        root.get("material")?.element(material)?.get("preset")?.as_str()
    }

    /// Returns the place of a solver key.
    pub(crate) fn solver(&self, key: &str) -> Option<Place> {
        self.place(|root| root.get("solver")?.get(key))
    }

    fn place(&self, find: impl Fn(&Node) -> Option<&Node>) -> Option<Place> {
        let document = self.document.as_ref()?;
        document.place(&find(&document.root)?.at)
    }
}

/// Returns an element of a list that continues with the emitters or with the ropes and cloth: each of these is a body and a material of its
/// own, and each emitter a body. Total bodies follow the emitters.
fn listed<'a>(root: &'a Node, list: &str, index: usize) -> Option<&'a Node> {
    let elements = |list: &str| match root.get(list).map(|node| &node.value) {
        Some(Value::Array(elements)) => elements.iter().collect(),
        _ => Vec::new(),
    };
    let is_total = |node: &&Node| node.get("kinematics").and_then(Node::as_str) == Some("total");
    let (total, others): (Vec<&Node>, Vec<&Node>) = elements(list).into_iter().partition(is_total);
    let all = [others, elements("emitter"), total, elements("rope"), elements("cloth")];
    all.into_iter().flatten().nth(index)
}
