//! Third-party programs from PyPI, in Python environments of their own beside the build: VTK and USD, which read our frames in tests,
//! and the spelling check of CI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Failure, run, succeeds};
use crate::setup;

/// Packages to install. Versions are pinned: a test must not change because a reader does.
const PACKAGES: [&str; 3] = ["vtk==9.7.2", "usd-core==26.11", "numpy==2.4.6"];

/// The spelling checker.
const TYPOS: &str = "typos==1.52.0";

/// Environment variable that tells the tests the path of the Python.
pub const VARIABLE: &str = "TUFF_CLIENTS";

/// Returns the Python that has the readers, after installing them into `folder` if necessary. `None` if that is impossible, without a
/// network for example; their tests are then ignored.
pub fn python(folder: &Path, with_setup: bool) -> Option<PathBuf> {
    if let Some(given) = std::env::var_os(VARIABLE) {
        return Some(given.into());
    }
    let python = folder.join("bin/python");
    // Written last, so that an incomplete installation is repeated.
    let done = folder.join("installed");
    let wanted = PACKAGES.join(" ");
    if fs::read_to_string(&done).is_ok_and(|packages| packages == wanted) {
        return Some(python);
    }
    if !with_setup {
        return None;
    }
    let installed = install(folder, &python).and_then(|()| {
        fs::write(&done, wanted).map_err(|error| Failure::new(format!("{}: {error}", done.display())))
    });
    match installed {
        Ok(()) => Some(python),
        Err(failure) => {
            eprintln!("xtask: {}\nTests of frames in other programs are ignored.", failure.message);
            None
        }
    }
}

/// Returns the spelling checker, after installing it into `folder` if necessary; `None` if that is impossible.
pub fn typos(folder: &Path, with_setup: bool) -> Option<PathBuf> {
    let program = folder.join("bin/typos");
    if !program.is_file() && with_setup {
        let environment = make_environment(folder);
        let installed = environment.and_then(|()| {
            run(Command::new(folder.join("bin/python")).args(["-m", "pip", "install", "--quiet", TYPOS]))
        });
        if let Err(failure) = installed {
            eprintln!("xtask: {}", failure.message);
        }
    }
    program.is_file().then_some(program)
}

fn make_environment(folder: &Path) -> Result<(), Failure> {
    let make = || Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder).status();
    if make().is_ok_and(|status| status.success()) {
        return Ok(());
    }
    setup::apt_install("python3-venv")?;
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))
}

fn install(folder: &Path, python: &Path) -> Result<(), Failure> {
    make_environment(folder)?;
    run(Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    let readers = "from pxr import Usd; from vtkmodules.vtkIOXML import vtkXMLPolyDataReader";
    if !succeeds(&python.to_string_lossy(), &["-c", readers]) {
        return Err(Failure::new("vtk or usd-core does not load".to_owned()));
    }
    Ok(())
}
