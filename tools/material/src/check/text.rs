//! Checks the text of a model's GLSL: the constants that it reads, and the names that it leaves to the shader around it.

use std::sync::Arc;

use tuff_gpu::{
    Access, Attribute, AttributeId, Device, Element, Executor, ExecutorOptions, GpuError, Memory,
    Specialization, StageDeclaration, Store,
};
use tuff_material::device::law;
use tuff_plugin::{Model, Variant, without_comments};

use super::findings::{Finding, Part, Verdict};
use crate::helpers;

static TABLE: &[Attribute] = &[Attribute {
    name: "constants",
    aliases: &[],
    element: Element::Float,
    memory: Memory::Device,
    help: "Check of a model.",
}];

const STAGE: StageDeclaration = StageDeclaration {
    name: "names",
    shader: "names.comp",
    accesses: &[(AttributeId(0), Access::Read)],
    indirect: None,
};

/// Checks what needs no device.
pub fn check(model: &Model) -> Vec<Finding> {
    vec![constants(model), macros(model)]
}

/// Checks the indices of `constant(c, N)` that are written as numbers; others that are too large read NaN on a device.
fn constants(model: &Model) -> Finding {
    let count = model.descriptor().constant_count;
    let code = without_comments(model.glsl());
    let beyond: Vec<String> = indices(&code)
        .into_iter()
        .filter(|&(_, index)| index >= count as u64)
        .map(|(line, index)| format!("{}:{line} reads constant {index}", model.glsl_name()))
        .collect();
    let (verdict, text) = match beyond.as_slice() {
        [] => (Verdict::Ok, format!("indices below {count}")),
        _ => (Verdict::Fail, format!("{}; the descriptor declares {count}, from 0 on", beyond.join(", "))),
    };
    Finding::new(Part::Glsl, "constants in range", verdict, text)
}

/// Returns line and index of every call of `constant` whose index is a number.
fn indices(code: &str) -> Vec<(usize, u64)> {
    const NAME: &str = "constant";
    let mut found = Vec::new();
    for (at, _) in code.match_indices(NAME) {
        let is_longer = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let call = code[at + NAME.len()..].trim_start().strip_prefix('(').filter(|_| !is_longer);
        let index = call.and_then(last_argument).map(|index| index.trim().trim_end_matches(['u', 'U']));
        if let Some(index) = index.and_then(|index| index.parse().ok()) {
            found.push((code[..at].matches('\n').count() + 1, index));
        }
    }
    found
}

/// Returns the second of two arguments, from what follows the opening parenthesis.
fn last_argument(call: &str) -> Option<&str> {
    let (mut depth, mut comma) = (0_u32, None);
    for (at, c) in call.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return comma.map(|comma: usize| &call[comma + 1..at]),
            ')' => depth -= 1,
            ',' if depth == 0 => comma = Some(at),
            _ => {}
        }
    }
    None
}

fn macros(model: &Model) -> Finding {
    let loose: Vec<String> =
        model.loose_macros().iter().map(|found| format!("{} (line {})", found.name, found.line)).collect();
    let (verdict, text) = match loose.as_slice() {
        [] => (Verdict::Ok, "none is left behind".to_owned()),
        _ => (
            Verdict::Note,
            format!(
                "{}: undefined after the text, where the name may mean something else; prefer a const or a name that begins with {}_",
                loose.join(", "),
                model.descriptor().id
            ),
        ),
    };
    Finding::new(Part::Glsl, "macros", verdict, text)
}

/// Compiles the text beside a copy under another id: what has no prefix exists twice, as it does in a scene with another model that has the
/// same name.
///
/// # Errors
/// Any device error but that of the compiler, which is a finding.
pub fn names(model: &Model, device: &Arc<Device>) -> Result<Finding, GpuError> {
    let id = &model.descriptor().id;
    let copy = format!("copy_of_{}", model.glsl_name());
    let point = match model.descriptor().variant {
        Variant::Principal => "",
        Variant::Tensor { .. } => "#include \"tensor_point.glsl\"\n",
    };
    let shader = format!(
        "#version 460
#extension GL_GOOGLE_include_directive : require
#include \"attributes.glsl\"
#include \"launch.glsl\"
#include \"material.glsl\"
{point}layout(local_size_x = 64) in;
{}{}void main() {{}}
",
        law(model),
        model.glsl_include().replacen(model.glsl_name(), &copy, 1)
    );
    let sources = vec![
        (STAGE.shader.to_owned(), shader),
        (model.glsl_name().to_owned(), model.glsl().to_owned()),
        (copy.clone(), renamed(model.glsl(), id)),
    ];
    let store = Store::new(device, TABLE, &[1])?;
    let stages = vec![(STAGE, Specialization { sources, ..Default::default() })];
    let (verdict, text) = match Executor::new(device, &store, stages, ExecutorOptions::default()) {
        Ok(_) => (Verdict::Ok, format!("all begin with {id}_")),
        Err(GpuError::Compile { line, message, .. }) => (
            Verdict::Fail,
            format!(
                "{}:{line}: {message}: names of functions, constants and structs must begin with {id}_, since another model in the \
                 scene may have the same",
                model.glsl_name()
            ),
        ),
        Err(other) => return Err(other),
    };
    Ok(Finding::new(Part::Glsl, "names", verdict, text))
}

/// Returns the text with what begins with the id, in either case, under another; Tuff's own names stay.
fn renamed(text: &str, id: &str) -> String {
    let prefix = format!("{id}_");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.to_lowercase().starts_with(&prefix) && !helpers::declares(word) {
            out.push_str("other_");
        }
        out.push_str(word);
        let start = after.find(is_word).unwrap_or(after.len());
        out.push_str(&after[..start]);
        rest = &after[start..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_that_are_numbers_are_read() {
        let code = "a = constant(c, 2u)\n+ constant (c,11) * my_constant(c, 99u)\n- constant(c, i) + constant(max(c, 9u), 3u);";
        assert_eq!(indices(code), [(1, 2), (2, 11), (3, 3)]);
        assert_eq!(indices("constant(c"), []);
    }

    #[test]
    fn only_names_of_the_model_are_changed() {
        let code = "float hencky_mine(float get_hencky_x) { return hencky_energy(HENCKY_R); }";
        let expected =
            "float other_hencky_mine(float get_hencky_x) { return hencky_energy(other_HENCKY_R); }";
        assert_eq!(renamed(code, "hencky"), expected);
    }
}
