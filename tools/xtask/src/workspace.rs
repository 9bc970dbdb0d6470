//! Paths and commands in the repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::Failure;

/// The repository.
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Returns the repository that this program was built from.
    pub fn here() -> Result<Self, Failure> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.ancestors().nth(2).unwrap_or(here).to_owned();
        if root.join("Cargo.toml").exists() {
            Ok(Self { root })
        } else {
            Err(Failure::new(format!("the repository is no longer at {}; build xtask again", root.display())))
        }
    }

    /// Builds a command that starts in the top folder.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// Builds a command for the cargo that runs this program.
    pub fn cargo(&self) -> Command {
        self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Returns the path of a program built in release mode.
    pub fn release_binary(&self, name: &str) -> PathBuf {
        self.release().join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Returns the path of a material package's library built in release mode: `tuff-material-x` makes `tuff_x`.
    pub fn release_library(&self, package: &str) -> PathBuf {
        let id = package.trim_start_matches("tuff-material-").replace('-', "_");
        self.release().join(format!("{}tuff_{id}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX))
    }

    /// Lists the packages of the materials that ship, sorted: every folder of `materials/` that builds a loadable library.
    pub fn materials(&self) -> Result<Vec<String>, Failure> {
        let folder = self.root.join("materials");
        let entries = fs::read_dir(&folder)
            .map_err(|e| Failure::new(format!("cannot read {}: {e}", folder.display())))?;
        let manifests =
            entries.flatten().filter_map(|e| fs::read_to_string(e.path().join("Cargo.toml")).ok());
        let mut packages: Vec<String> =
            manifests.filter(|m| m.contains("cdylib")).filter_map(|m| package_name(&m)).collect();
        packages.sort();
        Ok(packages)
    }

    /// Returns the current commit, with `-dirty` if files differ from it; `None` outside of git.
    pub fn commit(&self) -> Option<String> {
        let output = self
            .command("git")
            .args(["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
            .output()
            .ok()?;
        let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !name.is_empty()).then_some(name)
    }

    fn release(&self) -> PathBuf {
        self.target().join("release")
    }

    /// Returns cargo's build folder.
    pub fn target(&self) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        self.root.join(target)
    }
}

/// Returns the first `name = "..."` of a manifest, which is the name of the package.
fn package_name(manifest: &str) -> Option<String> {
    let line = manifest.lines().find_map(|l| l.strip_prefix("name = \""))?;
    line.split('"').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_material_is_found() {
        let packages = Workspace::here().unwrap().materials().unwrap();
        for id in ["drucker", "elastic", "mises"] {
            assert!(packages.iter().any(|p| p.contains(id)), "{id} in {packages:?}");
        }
        assert!(packages.iter().all(|p| p != "tuff-material-sdk"));
    }

    #[test]
    fn the_package_name_is_read() {
        assert_eq!(package_name("[package]\nname = \"a-b\"\n[lib]\nname = \"c\"").as_deref(), Some("a-b"));
    }
}
