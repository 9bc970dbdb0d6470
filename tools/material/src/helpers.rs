//! The list of GLSL functions that come with Tuff, for new plugins.

use std::fmt::Write;

const SOURCES: [(&str, &str); 3] = [
    ("For every model", include_str!("../../../shaders/include/material.glsl")),
    ("For models of whole tensors", include_str!("../../../shaders/include/tensor_point.glsl")),
    ("Symmetric tensors, for these models", include_str!("../../../shaders/include/symmetric.glsl")),
];

/// Returns whether a name is one of Tuff's own.
pub fn declares(name: &str) -> bool {
    SOURCES.iter().any(|(_, source)| words(source).any(|word| word == name))
}

/// Returns the identifiers and numbers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Formats the functions, structs and constants with their comments.
pub fn list() -> String {
    let mut text = String::from(
        "# GLSL that comes with Tuff\n\nThe text of a model may use these, beside `constant(c, i)`, its prepared constant i. All is f32.\n",
    );
    for (title, source) in SOURCES {
        let _ = write!(text, "\n## {title}\n\n```glsl\n{}\n```\n", signatures(source).trim_end());
    }
    text
}

/// Returns comments, declarations and the heads of functions; bodies are left out.
fn signatures(source: &str) -> String {
    let (mut text, mut is_inside) = (String::new(), false);
    // The first line is about the file.
    for line in source.lines().skip(1).filter(|line| !line.starts_with('#')) {
        match line {
            "}" | "};" if is_inside => {
                is_inside = false;
                continue;
            }
            _ if is_inside => continue,
            "" => {
                if !text.ends_with("\n\n") && !text.is_empty() {
                    text.push('\n');
                }
                continue;
            }
            _ => {}
        }
        let head = line.strip_suffix(" {").filter(|head| head.ends_with(')'));
        is_inside = head.is_some();
        let _ = writeln!(text, "{}", head.map_or_else(|| line.to_owned(), |head| format!("{head};")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_listed_with_their_comments() {
        let source = "// About the file.\n#ifndef A\n\n// Returns x.\nfloat f(float x) {\n    // Inside.\n    return x;\n}\n\n\
                      vec3 f(vec3 x) {\n    return x;\n}\n\nconst float C = 1.0;\n\nstruct S {\n    vec3 a; // A.\n};\n#endif\n";
        let expected = "// Returns x.\nfloat f(float x);\n\nvec3 f(vec3 x);\n\nconst float C = 1.0;\n\nstruct S {\n    vec3 a; // A.\n};\n";
        assert_eq!(signatures(source), expected);
        let all = list();
        for name in ["vec3 deviator(vec3 v);", "float forget_factor(", "struct TensorPoint {"] {
            assert!(all.contains(name), "{name} in {all}");
        }
        assert!(!all.contains("return"));
    }
}
