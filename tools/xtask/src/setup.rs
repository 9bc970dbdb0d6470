//! Requirements for building and running the workspace, and their installation on Debian.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{Failure, output, run, succeeds};

/// Something that the machine needs.
struct Need {
    /// Name of the Debian and Ubuntu package.
    package: &'static str,
    /// Description, for users of other systems.
    purpose: &'static str,
    /// Whether it is present, regardless of how it was installed.
    present: fn() -> bool,
    /// Whether it is for the Vulkan devices alone: programs build without it, and run on the processor.
    vulkan: bool,
}

const NEEDS: [Need; 7] = [
    Need {
        package: "g++",
        purpose: "a C++ compiler",
        present: || succeeds("c++", &["--version"]),
        vulkan: false,
    },
    Need {
        package: "libvulkan1",
        purpose: "the Vulkan loader",
        present: || in_library_folders("libvulkan.so.1"),
        vulkan: true,
    },
    Need {
        package: "mesa-vulkan-drivers",
        purpose: "a Vulkan 1.2 driver (Mesa's works without a GPU)",
        present: || in_folders(&VULKAN_FOLDERS, "icd.d", "json"),
        vulkan: true,
    },
    Need {
        package: "vulkan-validationlayers",
        purpose: "the Vulkan validation layers (tests use them)",
        present: || in_folders(&VULKAN_FOLDERS, "explicit_layer.d", "khronos_validation.json"),
        vulkan: true,
    },
    Need {
        package: "libshaderc-dev",
        purpose: "the shaderc libraries",
        present: || {
            in_library_folders("libshaderc_combined.a") || std::env::var_os("SHADERC_LIB_DIR").is_some()
        },
        vulkan: false,
    },
    Need {
        package: "glslang-dev",
        purpose: "the glslang libraries",
        present: || in_library_folders("libSPIRV.a") || std::env::var_os("SHADERC_LIB_DIR").is_some(),
        vulkan: false,
    },
    Need {
        package: "spirv-tools",
        purpose: "the SPIR-V tools' libraries",
        present: || in_library_folders("libSPIRV-Tools.a") || std::env::var_os("SHADERC_LIB_DIR").is_some(),
        vulkan: false,
    },
];

const VULKAN_FOLDERS: [&str; 4] =
    ["/usr/share/vulkan", "/etc/vulkan", "/usr/local/share/vulkan", "/usr/local/etc/vulkan"];

/// Installs what is missing, or tells the user what to install; with `vulkan` also what Vulkan devices need.
///
/// # Errors
/// Exit status 2 if something is missing that cannot be installed from here.
pub fn ensure(vulkan: bool) -> Result<(), Failure> {
    let wanted = |need: &&Need| (vulkan || !need.vulkan) && !(need.present)();
    let missing: Vec<&Need> = NEEDS.iter().filter(wanted).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    if !Path::new("/etc/debian_version").exists() || !succeeds("apt-get", &["--version"]) {
        let list: String =
            missing.iter().map(|n| format!("\n  - {} (Debian: {})", n.purpose, n.package)).collect();
        return Err(Failure::usage(format!(
            "this machine lacks:{list}\nInstall them and try again. Where shaderc is not packaged, cargo builds it from source with \
             `--features tuff-gpu/from-source` (needs cmake, git and python3), and --no-setup skips this check."
        )));
    }
    let command = format!("apt-get install --no-install-recommends {}", packages.join(" "));
    let Some(prefix) = rights() else {
        return Err(Failure::usage(format!(
            "these packages are missing: {}\nInstall them and try again:\n\n  sudo apt-get update && sudo {command}\n",
            packages.join(" ")
        )));
    };
    println!("Installing with apt-get:");
    for need in &missing {
        println!("  {:<26} {}", need.package, need.purpose);
    }
    run(&mut apt_get(prefix, &["update"]))?;
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages);
    run(&mut apt_get(prefix, &arguments))?;
    match NEEDS.iter().find(|need| !(need.present)()) {
        None => Ok(()),
        Some(need) => Err(Failure::usage(format!(
            "{} is still not found after installing {}; --no-setup skips this check",
            need.purpose, need.package
        ))),
    }
}

/// Installs one more package if that is possible.
///
/// # Errors
/// Fails if the system is not Debian, or without root rights.
pub fn apt_install(package: &str) -> Result<(), Failure> {
    let refused = || Failure::usage(format!("{package} is missing and cannot be installed from here"));
    let prefix = rights().filter(|_| Path::new("/etc/debian_version").exists()).ok_or_else(refused)?;
    run(&mut apt_get(prefix, &["update"]))?;
    run(&mut apt_get(prefix, &["install", "--yes", "--no-install-recommends", package]))
}

/// Returns the prefix that runs a command as root; `None` without the right to do so.
fn rights() -> Option<&'static [&'static str]> {
    if output("id", &["-u"]).is_some_and(|id| id.trim() == "0") {
        Some(&[])
    } else if succeeds("sudo", &["-n", "true"]) {
        Some(&["sudo", "-n"])
    } else {
        None
    }
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> Command {
    // With `env` instead of the command's own environment, which sudo would drop.
    let words: Vec<&str> =
        prefix.iter().copied().chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(arguments);
    command
}

/// Returns whether the linker's usual folders contain a library.
fn in_library_folders(name: &str) -> bool {
    let arch = std::env::consts::ARCH;
    let own = format!("/usr/lib/{arch}-linux-gnu");
    let folders = [own.as_str(), "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/lib64"];
    folders.iter().any(|folder| Path::new(folder).join(name).exists())
}

/// Returns whether the subfolder `sub` of one of the folders contains a file whose name has this ending.
fn in_folders(folders: &[&str], sub: &str, ending: &str) -> bool {
    folders.iter().any(|folder| {
        fs::read_dir(Path::new(folder).join(sub))
            .is_ok_and(|entries| entries.flatten().any(|e| e.file_name().to_string_lossy().ends_with(ending)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_run_as_root_keep_the_environment() {
        let plain = apt_get(&[], &["update"]);
        assert_eq!(plain.get_program(), "env");
        let sudo = apt_get(&["sudo", "-n"], &["install", "g++"]);
        assert_eq!(sudo.get_program(), "sudo");
        let arguments: Vec<_> = sudo.get_args().collect();
        assert_eq!(arguments, ["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "g++"]);
    }

    #[test]
    fn files_are_found_by_ending() {
        assert!(in_folders(&[env!("CARGO_MANIFEST_DIR")], "src", "setup.rs"));
        assert!(!in_folders(&[env!("CARGO_MANIFEST_DIR")], "src", ".json"));
        assert!(!in_library_folders("libthis_is_not_there.so"));
    }
}
