//! Shader sources: generated, virtual, embedded in the binary, or from a folder that replaces the embedded ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// (path under `shaders/`, text), sorted by path.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Name of the file that is generated for every stage.
pub(crate) const ATTRIBUTES: &str = "attributes.glsl";

/// Returns true if a virtual source of this name would replace one of the engine's own.
pub fn is_engine_source(name: &str) -> bool {
    let below = |path: &str, folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest == name);
    let embedded =
        EMBEDDED.iter().any(|(path, _)| *path == name || below(path, "include/") || below(path, "stages/"));
    embedded || name == ATTRIBUTES
}

/// Sources of one stage. Virtual files take precedence over files of the tree.
pub(crate) struct Sources<'a> {
    /// Text of [`ATTRIBUTES`].
    pub(crate) attributes: &'a str,
    /// Virtual files: name, text.
    pub(crate) virtual_files: &'a [(String, String)],
    /// Folder that replaces the embedded sources.
    pub(crate) folder: Option<&'a Path>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source<'a> {
    /// Name in messages.
    pub(crate) name: String,
    /// Path under `shaders/`; `None` for generated and virtual files.
    path: Option<String>,
    pub(crate) text: Cow<'a, str>,
}

/// Returns the folder that `TUFF_SHADER_DIR` names.
pub(crate) fn folder_from_env() -> Option<PathBuf> {
    std::env::var_os("TUFF_SHADER_DIR").filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl<'a> Sources<'a> {
    /// Returns the main file of a stage.
    pub(crate) fn main(&self, shader: &str) -> Option<Source<'a>> {
        self.named(shader).or_else(|| self.in_tree(shader))
    }

    /// Resolves `#include "name"` in `from`: a generated or virtual file, one next to `from`, one under `shaders/`, or one under
    /// `shaders/include/`.
    fn include(&self, name: &str, from: &Source<'_>) -> Option<Source<'a>> {
        let beside =
            from.path.as_deref().and_then(|path| Path::new(path).parent()).map(|folder| folder.join(name));
        let beside = beside.and_then(|path| self.in_tree(&normalized(&path)?));
        self.named(name)
            .or(beside)
            .or_else(|| self.in_tree(&normalized(Path::new(name))?))
            .or_else(|| self.in_tree(&normalized(&Path::new("include").join(name))?))
    }

    fn named(&self, name: &str) -> Option<Source<'a>> {
        let text = if name == ATTRIBUTES {
            self.attributes
        } else {
            let (_, text) = self.virtual_files.iter().find(|(candidate, _)| candidate == name)?;
            text
        };
        Some(Source { name: name.to_owned(), path: None, text: Cow::Borrowed(text) })
    }

    fn in_tree(&self, path: &str) -> Option<Source<'a>> {
        let (name, text) = match self.folder {
            Some(folder) => {
                let file = folder.join(path);
                (file.to_string_lossy().into_owned(), Cow::Owned(std::fs::read_to_string(&file).ok()?))
            }
            None => {
                let index = EMBEDDED.binary_search_by_key(&path, |(name, _)| name).ok()?;
                (format!("shaders/{path}"), Cow::Borrowed(EMBEDDED[index].1))
            }
        };
        Some(Source { name, path: Some(path.to_owned()), text })
    }
}

/// A stage's file and all files that it may include, found by scanning for the directives (conditional ones included).
pub(crate) struct Closure<'a> {
    pub(crate) main: Source<'a>,
    /// Each file once, in order of discovery, without `main`.
    pub(crate) files: Vec<Source<'a>>,
    /// (name of the including file, requested name) -> index into `files`.
    pub(crate) edges: BTreeMap<(String, String), usize>,
}

impl<'a> Closure<'a> {
    /// Returns `None` if there is no such file.
    pub(crate) fn new(sources: &Sources<'a>, shader: &str) -> Option<Closure<'a>> {
        let main = sources.main(shader)?;
        let mut closure = Closure { main: main.clone(), files: Vec::new(), edges: BTreeMap::new() };
        let mut open = vec![main];
        while let Some(file) = open.pop() {
            for requested in file.text.lines().filter_map(requested_include) {
                let Some(found) = sources.include(requested, &file) else { continue };
                let index =
                    closure.files.iter().position(|known| known.name == found.name).unwrap_or_else(|| {
                        open.push(found.clone());
                        closure.files.push(found);
                        closure.files.len() - 1
                    });
                closure.edges.insert((file.name.clone(), requested.to_owned()), index);
            }
        }
        Some(closure)
    }
}

/// Returns the name in an `#include` line.
fn requested_include(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(end).map(|(name, _)| name)
}

/// Returns `path` without `.` and `..`, with forward slashes; `None` if it leaves the tree.
fn normalized(path: &Path) -> Option<String> {
    let mut parts: Vec<Cow<'_, str>> = Vec::new();
    for component in path.components() {
        match component {
            std::path::Component::Normal(part) => parts.push(part.to_string_lossy()),
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                parts.pop()?;
            }
            std::path::Component::RootDir | std::path::Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_looked_up_beside_then_under_the_root_then_in_include() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write(
            "stages/a.comp",
            "#include \"near.glsl\"\n# include <far.glsl>\n#include \"include/far.glsl\"\n#include \"v\"\n",
        );
        write("stages/near.glsl", "#include \"../stages/near.glsl\"\n#include \"attributes.glsl\"\n");
        write("include/far.glsl", "#include \"../../secret\"\n");
        let virtual_files = [("v".to_owned(), "#include \"far.glsl\"".to_owned())];
        let sources =
            Sources { attributes: "// a", virtual_files: &virtual_files, folder: Some(folder.path()) };
        let closure = Closure::new(&sources, "stages/a.comp").unwrap();
        let short = |name: &str| name.replace(&*folder.path().to_string_lossy(), "");
        let names: Vec<String> = closure.files.iter().map(|file| short(&file.name)).collect();
        assert_eq!(names, ["/stages/near.glsl", "/include/far.glsl", "v", "attributes.glsl"]);
        assert_eq!(closure.edges.len(), 7);
        assert!(Closure::new(&sources, "stages/b.comp").is_none());
    }

    #[test]
    fn embedded_tree_has_the_launch_helpers() {
        let sources = Sources { attributes: "", virtual_files: &[], folder: None };
        let main = sources.main("include/launch.glsl").unwrap();
        assert_eq!(main.name, "shaders/include/launch.glsl");
        assert!(main.text.contains("invocation()"));
    }

    /// The look-up is a binary search.
    #[test]
    fn the_embedded_tree_is_sorted() {
        assert!(EMBEDDED.is_sorted_by(|a, b| a.0 < b.0));
    }
}
