//! Common parts of the programs that take a scene: arguments, exit codes, messages, and the way from a scene file to a simulation.

pub mod args;
pub mod exit;
pub mod interrupt;
pub mod log;
pub mod print;
pub mod session;
pub mod simulation;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use exit::{INTERNAL, Stop};

/// Runs a program. An error ends it with the exit code and message of its [`Stop`]; a panic is reported as a bug.
pub fn main(command: impl FnOnce() -> Result<(), Stop>) -> ExitCode {
    if tuff_plugin::answer() {
        tuff_plugin::end_if_stuck(0);
        return ExitCode::SUCCESS;
    }
    log::subscribe();
    panic::set_hook(Box::new(|info| {
        print::note(&format!(
            "tuff: internal error: {info}\nThis is a bug in Tuff. Please report it with the command line and the scene."
        ));
    }));
    match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(())) => {
            tuff_plugin::end_if_stuck(0);
            ExitCode::SUCCESS
        }
        Ok(Err(Stop { code, message, details })) => {
            for text in [message, details].iter().filter(|text| !text.is_empty()) {
                print::note(text);
            }
            tuff_plugin::end_if_stuck(code);
            ExitCode::from(code)
        }
        Err(_) => ExitCode::from(INTERNAL),
    }
}
