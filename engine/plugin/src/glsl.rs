//! What a model's GLSL text leaves behind in the shader that includes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Model;

/// A macro that lives on after a model's text, with a name that is not the model's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseMacro {
    /// Name.
    pub name: String,
    /// Line of its definition, from 1.
    pub line: usize,
}

impl Model {
    /// Returns the macros that the GLSL text defines and does not undefine, unless they begin with the model's id in either case.
    pub fn loose_macros(&self) -> Vec<LooseMacro> {
        loose_macros(&self.descriptor().id, self.glsl())
    }

    /// Returns the lines that include the GLSL text in a shader and end its loose macros: a `#define p` or `#define exp` of one model must
    /// not change the engine's code, or another model's.
    pub fn glsl_include(&self) -> String {
        let mut text = format!("#include \"{}\"\n", self.glsl_name());
        for LooseMacro { name, .. } in self.loose_macros() {
            let _ = writeln!(text, "#undef {name}");
        }
        text
    }
}

fn loose_macros(id: &str, glsl: &str) -> Vec<LooseMacro> {
    let mut lines = BTreeMap::new();
    for (index, line) in without_comments(glsl).lines().enumerate() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        let (word, rest) = word(directive);
        let name = word_of(rest);
        match word {
            "define" if !name.is_empty() => {
                lines.entry(name.to_owned()).or_insert(index + 1);
            }
            "undef" => {
                lines.remove(name);
            }
            _ => {}
        }
    }
    let prefix = format!("{id}_");
    let is_own = |name: &str| name.to_lowercase().starts_with(&prefix);
    let mut macros: Vec<_> = lines
        .into_iter()
        .filter(|(name, _)| !is_own(name))
        .map(|(name, line)| LooseMacro { name, line })
        .collect();
    macros.sort_by_key(|found| found.line);
    macros
}

/// Splits off the identifier at the beginning.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}

fn word_of(text: &str) -> &str {
    word(text).0
}

/// Returns GLSL with its comments replaced by spaces; lines keep their numbers.
pub fn without_comments(glsl: &str) -> String {
    let mut code = String::with_capacity(glsl.len());
    let mut rest = glsl;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        code.push_str(&rest[..start]);
        let comment = &rest[start..];
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else {
            comment[2..].find("*/").map_or(comment.len(), |end| end + 4)
        };
        code.extend(comment[..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &comment[end..];
    }
    code.push_str(rest);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_that_live_on_are_found() {
        let glsl = "// #define comment\n#define exp expm1_\n  # define p (x)\n/* #define a\n */ #define after 1\n\
                    #define JELLY_R constant(c, 2u)\n#define mu 1.0\nfloat jelly(float mu);\n#undef mu\n";
        let found = loose_macros("jelly", glsl);
        let names: Vec<_> = found.iter().map(|found| (found.name.as_str(), found.line)).collect();
        assert_eq!(names, [("exp", 2), ("p", 3), ("after", 5)]);
    }

    #[test]
    fn comments_leave_lines_where_they_are() {
        let code = without_comments("a // b\n/* c\nd */ e / f\n// g");
        assert_eq!(code, "a     \n    \n     e / f\n    ");
        assert_eq!(without_comments("/* never ends"), "             ");
    }
}
