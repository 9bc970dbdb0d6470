//! GLSL to SPIR-V, with a cache by content.

use crate::cache::Cache;
use crate::error::{GpuError, Result};
use crate::sources::{Closure, Source, Sources};
use shaderc::{
    CompileOptions, Compiler, EnvVersion, OptimizationLevel, ResolvedInclude, ShaderKind, SourceLanguage,
    SpirvVersion, TargetEnv,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use xxhash_rust::xxh3::Xxh3;

/// Part of every hash; to be changed when this file or the compiler's settings change the result for the same sources.
const RECIPE: &str = "tuff-gpu 1: Vulkan 1.2, SPIR-V 1.5, performance";

/// Extensions that every stage may use. `#extension` lines have to precede all declarations, so they come right after
/// the version line.
const PREAMBLE: &str = "#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
";

/// A compiled stage.
pub(crate) struct Spirv {
    pub(crate) words: Vec<u32>,
    /// True if it came from the cache.
    pub(crate) cached: bool,
}

/// Compiles `shader` for `stage`. Every file is included at most once.
pub(crate) fn compile(
    stage: &str,
    shader: &str,
    sources: &Sources<'_>,
    defines: &[(String, String)],
    cache: &Cache,
) -> Result<Spirv> {
    let closure = Closure::new(sources, shader)
        .ok_or_else(|| GpuError::MissingShader { stage: stage.to_owned(), file: shader.to_owned() })?;
    let key = format!("{:032x}.spv", content_hash(&closure, defines));
    if let Some(words) = cache.read(&key).and_then(|bytes| words(&bytes)) {
        return Ok(Spirv { words, cached: true });
    }
    let words = run_compiler(stage, &closure, defines)?;
    cache.write(&key, bytemuck::cast_slice(&words));
    Ok(Spirv { words, cached: false })
}

fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    const MAGIC: u32 = 0x0723_0203;
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect();
    (bytes.len().is_multiple_of(4) && words.first() == Some(&MAGIC)).then_some(words)
}

fn content_hash(closure: &Closure<'_>, defines: &[(String, String)]) -> u128 {
    let mut hash = Xxh3::new();
    let mut add = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    let (version, revision) = shaderc::get_spirv_version();
    add(&format!("{RECIPE}, shaderc for SPIR-V {version} revision {revision}"));
    for (name, value) in defines {
        add(name);
        add(value);
    }
    for Source { name, text, .. } in std::iter::once(&closure.main).chain(&closure.files) {
        add(name);
        add(text);
    }
    hash.digest128()
}

fn run_compiler(stage: &str, closure: &Closure<'_>, defines: &[(String, String)]) -> Result<Vec<u32>> {
    let unavailable = |error| GpuError::Invalid(format!("the shader compiler could not start: {error}"));
    let included = RefCell::new(BTreeSet::new());
    let compiler = Compiler::new().map_err(unavailable)?;
    let mut options = CompileOptions::new().map_err(unavailable)?;
    options.set_source_language(SourceLanguage::GLSL);
    options.set_target_env(TargetEnv::Vulkan, EnvVersion::Vulkan1_2 as u32);
    options.set_target_spirv(SpirvVersion::V1_5);
    options.set_optimization_level(OptimizationLevel::Performance);
    for (name, value) in defines {
        options.add_macro_definition(name, Some(value));
    }
    options.set_include_callback(|requested, _, from, _| {
        let edge = (from.to_owned(), requested.to_owned());
        let Some(&index) = closure.edges.get(&edge) else {
            return Err(format!("there is no file \"{requested}\""));
        };
        let file = &closure.files[index];
        let first = included.borrow_mut().insert(index) && file.name != closure.main.name;
        let content = if first { file.text.clone().into_owned() } else { String::new() };
        Ok(ResolvedInclude { resolved_name: file.name.clone(), content })
    });
    let text = with_preamble(&closure.main.text);
    match compiler.compile_into_spirv(&text, ShaderKind::Compute, &closure.main.name, "main", Some(&options))
    {
        Ok(artifact) => {
            if artifact.get_num_warnings() > 0 {
                tracing::warn!("stage \"{stage}\": {}", artifact.get_warning_messages().trim_end());
            }
            Ok(artifact.as_binary().to_vec())
        }
        Err(shaderc::Error::CompilationError(_, log) | shaderc::Error::InternalError(log)) => {
            Err(compile_error(stage, &closure.main.name, &log))
        }
        Err(error) => Err(compile_error(stage, &closure.main.name, &error.to_string())),
    }
}

/// Returns `text` with the extensions after its version line (which is added if missing); lines keep their numbers.
fn with_preamble(text: &str) -> String {
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        offset += line.len();
        if line.trim_start().starts_with("#version") {
            let separator = if line.ends_with('\n') { "" } else { "\n" };
            let (head, tail) = text.split_at(offset);
            return format!("{head}{separator}{PREAMBLE}#line {}\n{tail}", index + 2);
        }
    }
    format!("#version 460\n{PREAMBLE}#line 1\n{text}")
}

/// Builds the error for a compiler's log, located by its first line of the form `file:line: error: message`.
fn compile_error(stage: &str, main: &str, log: &str) -> GpuError {
    let located = log.lines().find_map(|line| {
        let (place, message) = line.split_once(": error: ")?;
        let (file, line) = place.rsplit_once(':')?;
        Some((file.to_owned(), line.parse().ok()?, message.to_owned()))
    });
    let unlocated = || (main.to_owned(), 0, log.lines().next().unwrap_or("unknown error").to_owned());
    let (file, line, message) = located.unwrap_or_else(unlocated);
    GpuError::Compile { stage: stage.to_owned(), file, line, message, log: log.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    fn compile_files(
        files: &[(String, String)],
        defines: &[(String, String)],
        cache: &Cache,
    ) -> Result<Spirv> {
        let sources = Sources { attributes: "", virtual_files: files, folder: None };
        compile("s", "main.comp", &sources, defines, cache)
    }

    fn no_cache() -> Cache {
        Cache::new(Some(std::path::Path::new("")))
    }

    #[test]
    fn errors_name_the_file_and_line_that_they_are_in() {
        let main = "// comment\n#version 460\n#include \"model.glsl\"\nvoid main() {\n    one();\n}\n";
        for (model, text, expected) in [
            ("void one() {\n    int i = ;\n}\n", main.to_owned(), ("model.glsl", 2)),
            ("void one() {}\n", main.replace("one();", "two();"), ("main.comp", 5)),
            ("void one() {}\n", main.replace("model.glsl", "modle.glsl"), ("main.comp", 3)),
            ("void one() {}\n", "void main() {\n    two();\n}\n".to_owned(), ("main.comp", 2)),
        ] {
            match compile_files(&[file("main.comp", &text), file("model.glsl", model)], &[], &no_cache()) {
                Err(GpuError::Compile { file, line, log, .. }) => {
                    assert_eq!((file.as_str(), line), expected, "{log}");
                }
                other => panic!("{:?}", other.map(|spirv| spirv.cached)),
            }
        }
        let error = compile_files(&[], &[], &no_cache()).err().unwrap().to_string();
        assert!(error.contains("main.comp"), "{error}");
    }

    #[test]
    fn files_are_included_once_and_defines_count() {
        let main = "#include \"a.glsl\"\n#include \"b.glsl\"\nvoid main() { float x = value() + WANTED; }\n";
        let files = [
            file("main.comp", main),
            file("a.glsl", "float value() { return 1.0; }"),
            file("b.glsl", "#include \"a.glsl\"\n"),
        ];
        let defines = [file("WANTED", "1.0")];
        assert!(compile_files(&files, &defines, &no_cache()).is_ok());
        assert!(compile_files(&files, &[], &no_cache()).is_err());
    }

    #[test]
    fn the_cache_answers_for_equal_sources_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(folder.path()));
        let files = |value: &str| {
            [
                file("main.comp", "#include \"a.glsl\"\nvoid main() { value(); }\n"),
                file("a.glsl", &format!("float value() {{ return {value}; }}")),
            ]
        };
        let first = compile_files(&files("1.0"), &[], &cache).unwrap();
        let again = compile_files(&files("1.0"), &[], &cache).unwrap();
        assert!(!first.cached && again.cached);
        assert_eq!(first.words, again.words);
        assert!(!compile_files(&files("2.0"), &[], &cache).unwrap().cached);
        assert!(!compile_files(&files("1.0"), &[file("A", "1")], &cache).unwrap().cached);
    }
}
