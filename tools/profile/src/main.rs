//! `tuff-profile`, also `tuff profile`: measures where the time of a substep goes, and whether it has changed.

use std::process::ExitCode;

use tuff_profile::args::{self, Command};
use tuff_profile::{compare, show};

fn main() -> ExitCode {
    tuff_cli::main(|| match args::parse() {
        Command::Scene(args) => show::show(&args),
        Command::Compare(args) => compare::compare(&args),
    })
}
