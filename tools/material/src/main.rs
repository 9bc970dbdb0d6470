//! `tuff-material`, also `tuff material`: the kit for adding a model of your own.
//!
//! `main` parses the arguments ([`args`]) and calls one module per command; every error is an [`exit::Stop`] with the exit code that the
//! user sees.

mod args;
mod check;
mod compare;
mod curves;
mod drive;
mod eval;
mod exit;
mod find;
mod helpers;
mod new;
mod path;
mod plot;
mod report;
mod sets;
mod tensor_curves;
mod vectors;

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use args::Command;
use exit::{INTERNAL, NOT_WRITTEN, Stop};

fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        note(&format!(
            "tuff-material: internal error: {info}\nThis is a bug in Tuff. Please report it with the command line."
        ));
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| match args::parse() {
        Command::New(args) => new::new(&args),
        Command::Eval(args) => eval::eval(&args),
        Command::Check(args) => check::check(&args),
        Command::Drive(args) => drive::drive(&args),
        Command::Plot(args) => plot::plot(&args),
    }));
    match outcome {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Stop { code, message })) => {
            if !message.is_empty() {
                note(&message);
            }
            ExitCode::from(code)
        }
        Err(_) => ExitCode::from(INTERNAL),
    }
}

/// Writes to stderr; if nobody listens any more, the text is dropped.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a result to stdout. A closed pipe is not an error: the reader has seen enough.
fn print(text: &str) -> Result<(), Stop> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::new(NOT_WRITTEN, format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}
