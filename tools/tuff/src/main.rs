//! `tuff`: simulates scenes from the command line.
//!
//! `main` parses the arguments ([`args`]) and calls one module per command; every error is a
//! [`exit::Stop`] with the exit code that the user sees. A run reads top to bottom in [`run`].

mod args;
mod check;
mod details;
mod devices;
mod exit;
mod external;
mod failure;
mod frames;
mod graph;
mod interrupt;
mod materials;
mod neighbors;
mod presets;
mod print;
mod profile;
mod progress;
mod run;
mod schema;
mod session;
mod simulation;
mod watch;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use args::Command;
use exit::{INTERNAL, Stop};

fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        print::note(&format!(
            "tuff: internal error: {info}\nThis is a bug in Tuff. Please report it with the command line and the scene."
        ));
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| match args::parse() {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Graph(args) => graph::graph(&args),
        Command::Devices => devices::devices(),
        Command::Materials(args) => materials::materials(&args),
        Command::Presets(args) => presets::presets(&args),
        Command::Schema => schema::schema(),
        Command::Profile(args) => profile::profile(&args),
        Command::External(words) => external::external(&words),
    }));
    match outcome {
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
