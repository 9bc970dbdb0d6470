//! `tuff NAME ...` runs `tuff-NAME`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use tuff_cli::exit::Stop;

const OWN: [&str; 9] =
    ["run", "check", "preview", "graph", "devices", "materials", "presets", "schema", "profile"];

/// Runs the program for a command that is not built in, and exits with its code.
pub fn external(words: &[OsString]) -> Result<(), Stop> {
    let Some((name, arguments)) = words.split_first() else { return Ok(()) };
    let name = name.to_string_lossy();
    match program(&name) {
        Some(program) => run(&program, arguments),
        None => Err(Stop::bad_input(format!(
            "there is no command `{name}`: the commands are {}, and no program tuff-{name} is beside tuff or on PATH; \
             see tuff --help",
            OWN.join(", ")
        ))),
    }
}

/// Runs a program that is installed together with this one.
pub fn beside(name: &str, arguments: &[OsString]) -> Result<(), Stop> {
    match program(name) {
        Some(program) => run(&program, arguments),
        None => Err(Stop::bad_input(format!(
            "the program tuff-{name} is neither beside tuff nor on PATH: `cargo xtask install` installs both, \
             `cargo build -p tuff-{name}` builds it"
        ))),
    }
}

fn run(program: &Path, arguments: &[OsString]) -> Result<(), Stop> {
    match Command::new(program).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        // The program has reported the reason itself; a program killed by a signal has no code.
        Ok(status) => {
            let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
            Err(Stop { code, message: String::new(), details: String::new() })
        }
        Err(error) => Err(Stop::bad_input(format!("cannot run {}: {error}", program.display()))),
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let file = format!("tuff-{name}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok().and_then(|p| p.parent().map(PathBuf::from));
    let path = env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(env::split_paths(&path)).map(|folder| folder.join(&file)).find(|p| p.is_file())
}
