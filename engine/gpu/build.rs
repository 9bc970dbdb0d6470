//! Embeds the shader sources and links the parts of shaderc that a distribution's static archive leaves out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    embed_shaders()?;
    link_shaderc()?;
    Ok(())
}

/// Writes `shaders.rs`: a sorted table of (path under `shaders/`, text).
fn embed_shaders() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../shaders").canonicalize()?;
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    let mut named = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        named.push((name, file));
    }
    // Sorted by the text of the names, as in look-ups: paths would sort `a/x` before `a.glsl`.
    named.sort();
    let mut text = String::from("&[\n");
    for (name, file) in named {
        writeln!(text, "    ({name:?}, include_str!({:?})),", file.to_string_lossy())?;
    }
    text.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("shaders.rs"), text)?;
    Ok(())
}

/// Collects the GLSL files below `folder`. Watches folders, too, so that new files are noticed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "comp" || extension == "glsl") {
            println!("cargo:rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}

/// Debian's `libshaderc_combined.a` contains only shaderc, and its shared library cannot be loaded (it lacks symbols of glslang
/// and SPIRV-Tools). The archives of those two packages complete the static one.
fn link_shaderc() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=SHADERC_LIB_DIR");
    println!("cargo:rerun-if-env-changed=VULKAN_SDK");
    let from_source = env::var_os("CARGO_FEATURE_FROM_SOURCE").is_some();
    let explicit = env::var("SHADERC_LIB_DIR").ok();
    let sdk = explicit.is_none() && env::var_os("VULKAN_SDK").is_some();
    if from_source || sdk || env::var("CARGO_CFG_TARGET_OS")? != "linux" {
        return Ok(());
    }
    let architecture = env::var("CARGO_CFG_TARGET_ARCH")?;
    let folder = explicit.unwrap_or_else(|| format!("/usr/lib/{architecture}-linux-gnu"));
    let combined = Path::new(&folder).join("libshaderc_combined.a");
    // A real combined archive has well over ten megabytes.
    if fs::metadata(&combined).is_ok_and(|metadata| metadata.len() < 2_000_000) {
        println!("cargo:rustc-link-search=native={folder}");
        // The names vary with the version of glslang, so only existing ones are linked.
        let archives = [
            "SPIRV",
            "glslang",
            "MachineIndependent",
            "GenericCodeGen",
            "OGLCompiler",
            "OSDependent",
            "HLSL",
            "SPIRV-Tools-opt",
            "SPIRV-Tools",
        ];
        for archive in archives {
            if Path::new(&folder).join(format!("lib{archive}.a")).exists() {
                println!("cargo:rustc-link-lib=static:-bundle={archive}");
            }
        }
    }
    Ok(())
}
