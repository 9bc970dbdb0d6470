//! `tuff NAME ...` runs `tuff-NAME`.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::exit::Stop;

const OWN: [&str; 7] = ["run", "check", "graph", "devices", "materials", "schema", "profile"];

/// Runs the program for a command that is not built in and ends like it.
pub fn external(words: &[OsString]) -> Result<(), Stop> {
    let Some((name, arguments)) = words.split_first() else { return Ok(()) };
    let name = name.to_string_lossy();
    let Some(program) = find(&format!("tuff-{name}{}", env::consts::EXE_SUFFIX)) else {
        return Err(Stop::bad_input(format!(
            "there is no command `{name}`: it is none of {}, and no program tuff-{name} is beside tuff or on PATH; \
             see tuff --help",
            OWN.join(", ")
        )));
    };
    match Command::new(&program).args(arguments).status() {
        Ok(status) if status.success() => Ok(()),
        // The program has said why; one that was killed by a signal has no code.
        Ok(status) => {
            let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
            Err(Stop { code, message: String::new(), details: String::new() })
        }
        Err(error) => Err(Stop::bad_input(format!("cannot run {}: {error}", program.display()))),
    }
}

fn find(file: &str) -> Option<PathBuf> {
    let own = env::current_exe().ok().and_then(|p| p.parent().map(PathBuf::from));
    let path = env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(env::split_paths(&path)).map(|folder| folder.join(file)).find(|p| p.is_file())
}
