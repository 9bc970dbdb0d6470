//! `tuff`: simulates scenes from the command line.
//!
//! `main` parses the arguments ([`args`]) and calls one module per command; every error is a
//! [`tuff_cli::exit::Stop`] with the exit code that the user sees. A run reads top to bottom in [`run`].

mod args;
mod check;
mod details;
mod devices;
mod executable;
mod external;
mod failure;
mod frames;
mod graph;
mod materials;
mod neighbors;
mod presets;
mod preview;
mod progress;
mod resume;
mod run;
mod schema;
mod ticker;
mod view;
mod watch;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    tuff_cli::main(|| match args::parse() {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Graph(args) => graph::graph(&args),
        Command::Devices => devices::devices(),
        Command::Materials(args) => materials::materials(&args),
        Command::Presets(args) => presets::presets(&args),
        Command::Preview(args) => preview::preview(&args),
        Command::Schema => schema::schema(),
        Command::Profile { arguments } => external::beside("profile", &arguments),
        Command::External(words) => external::external(&words),
    })
}
