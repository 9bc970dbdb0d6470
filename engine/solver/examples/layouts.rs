//! Writes the shader headers that are generated from Rust tables; with `--check` compares instead.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders/include/generated");
    let check = std::env::args().any(|a| a == "--check");
    let headers = [
        ("constants.glsl", tuff_solver::constants::header()),
        ("kept.glsl", tuff_solver::attributes::kept_header()),
        ("lanes.glsl", tuff_solver::attributes::lanes_header()),
        ("constraint_forces.glsl", tuff_solver::constraints::header()),
        ("link_kinds.glsl", tuff_solver::constraints::links::header()),
    ];
    for (name, wanted) in headers {
        let file = folder.join(name);
        let outcome = match check {
            true if std::fs::read_to_string(&file).is_ok_and(|text| text == wanted) => Ok(()),
            true => Err("it is stale: run `cargo run -p tuff-solver --example layouts`".to_owned()),
            false => std::fs::write(&file, wanted).map_err(|error| error.to_string()),
        };
        if let Err(fault) = outcome {
            eprintln!("{}: {fault}", file.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
