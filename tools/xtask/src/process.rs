//! Runs other programs.

use std::process::Command;

/// Why xtask stops.
#[derive(Debug)]
pub struct Failure {
    /// Message for the user.
    pub message: String,
    /// Exit status of xtask.
    pub status: u8,
}

impl Failure {
    /// Creates the failure of a step.
    pub fn new(message: String) -> Self {
        Self { message, status: 1 }
    }

    /// Creates a failure that requires the user to change the command line or the machine.
    pub fn usage(message: String) -> Self {
        Self { message, status: 2 }
    }
}

/// Prints a command, runs it, and fails if it fails.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let line = describe(command);
    eprintln!("> {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
            Err(Failure { message: format!("`{line}` failed ({status})"), status: code })
        }
        Err(error) => Err(Failure::new(format!("cannot run `{line}`: {error}"))),
    }
}

/// Prints a command, runs it, and returns the text of its stderr; if the command fails, prints the lines of it that are `wanted`.
pub fn captured(command: &mut Command, wanted: impl Fn(&str) -> bool) -> Result<String, Failure> {
    let line = describe(command);
    eprintln!("> {line}");
    let output = command.output().map_err(|error| Failure::new(format!("cannot run `{line}`: {error}")))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    text.lines().filter(|line| wanted(line)).for_each(|line| eprintln!("{line}"));
    let code = output.status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
    Err(Failure { message: format!("`{line}` failed ({})", output.status), status: code })
}

/// Returns whether a program runs and succeeds; its output is discarded.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    output(program, arguments).is_some()
}

/// Returns what a program prints, if it succeeds.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn describe(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    let mut words = vec![name];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}
