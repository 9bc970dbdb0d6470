//! Stored runs: figures with their device, driver and commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tuff_gpu::Device;

/// Format of the files.
const FORMAT: u64 = 1;

/// Folder of the sources, which holds the stored runs.
const SOURCES: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the path of the stored run `name`.
pub fn path(name: Option<&str>, device: Option<&str>) -> Result<PathBuf> {
    let commit = commit();
    let name = name.or(commit.as_deref()).context("there is no commit to name the run after: --keep=NAME")?;
    let folder = Path::new(SOURCES).join("runs");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    Ok(folder.join(format!("{}-{}.json", plain(&Device::open(device)?.info().name), plain(name))))
}

/// Reduces a name to letters, digits and dashes, without any text in parentheses.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default().to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Describes a Vulkan device.
pub fn describe(device: Option<&str>) -> Result<Value> {
    let device = Device::open(device)?;
    let info = device.info();
    let (major, minor, patch) = info.api;
    Ok(json!({
        "name": info.name,
        "kind": info.kind.to_string(),
        "driver": info.driver,
        "vulkan": format!("{major}.{minor}.{patch}"),
        "memory_bytes": info.memory,
        "processors": std::thread::available_parallelism().map_or(0, usize::from),
    }))
}

/// Writes figures with the commit and a description of the device.
pub fn write(file: &Path, figures: &Value, device: &Value) -> Result<()> {
    let mut run = json!({
        "tuff_bench": FORMAT,
        "tuff": env!("CARGO_PKG_VERSION"),
        "commit": commit(),
        "build": if cfg!(debug_assertions) { "development" } else { "release" },
        "device": device,
    });
    if let (Value::Object(run), Value::Object(figures)) = (&mut run, figures) {
        run.extend(figures.clone());
    }
    fs::write(file, format!("{run:#}\n")).with_context(|| format!("writing {}", file.display()))
}

/// Reads a stored run.
pub fn read(file: &Path) -> Result<Value> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let run: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))?;
    match run.get("tuff_bench").and_then(Value::as_u64) {
        Some(FORMAT) => Ok(run),
        Some(other) => bail!("{} has format {other}; this program reads format {FORMAT}", file.display()),
        None => bail!("{} is not a run of tuff-bench: it has no key `tuff_bench`", file.display()),
    }
}

/// Returns the commit of the sources, marked if they differ from it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(SOURCES).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let clean =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| changes.is_empty());
    Some(if clean { commit } else { format!("{commit}-changed") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(plain("llvmpipe (LLVM 15.0.6, 256 bits)"), "llvmpipe");
        assert_eq!(plain("NVIDIA H200 / PCIe"), "nvidia-h200-pcie");
    }

    #[test]
    fn a_run_is_told_from_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let refused = |text: &str| {
            fs::write(&file, text).unwrap();
            format!("{:#}", read(&file).unwrap_err())
        };
        assert!(refused("no json").contains("is not JSON"));
        assert!(refused("{}").contains("no key `tuff_bench`"));
        assert!(refused("{\"tuff_bench\": 9}").contains("format 9"));
        assert!(read(Path::new("/nowhere.json")).is_err());
    }
}
