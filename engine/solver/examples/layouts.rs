//! Writes the shader headers that are generated from Rust tables; with `--check` compares instead.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders/include/generated/constants.glsl");
    let wanted = tuff_solver::constants::header();
    if std::env::args().any(|a| a == "--check") {
        if std::fs::read_to_string(&file).is_ok_and(|text| text == wanted) {
            return ExitCode::SUCCESS;
        }
        eprintln!("{} is stale: run `cargo run -p tuff-solver --example layouts`", file.display());
        return ExitCode::FAILURE;
    }
    match std::fs::write(&file, wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}
