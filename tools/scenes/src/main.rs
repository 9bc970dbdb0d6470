//! `tuff-scenes`: draws random scenes, runs them and reports what no scene may do.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use tuff_plugin::{Library, SearchPath};
use tuff_scenes::{JudgeError, draw, judge};

/// A run did what none may.
const FAULTY: u8 = 1;
/// Bad libraries.
const BAD_INPUT: u8 = 2;
/// No usable device.
const NO_DEVICE: u8 = 3;
/// Scenes cannot be written.
const NOT_WRITTEN: u8 = 5;

const AFTER: &str = "\
Nothing may be faster than a fall from the highest start allows on top of the fastest start (three times that where
one body is less than half as dense as another); energy may not grow; no particle may
lie beyond the surface of a collider; no frame may cost 20 times the median; matter at rest keeps its volume within 10 %.
Scenes that are refused are not run, nor are scenes that sweeps cannot balance according to a warning of the engine.

Exit codes: 0 no faults   1 a scene has faults   2 bad arguments or material libraries   3 no usable device
            5 a scene cannot be written";

/// Runs random scenes and checks what must hold in any scene.
#[derive(Debug, Parser)]
#[command(name = "tuff-scenes", version, after_help = AFTER, max_term_width = 110)]
struct Arguments {
    /// Seed of the first scene; the next ones follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of scenes
    #[arg(long, default_value_t = 10)]
    count: u64,
    /// Approximate maximum number of particles in a scene
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(500..))]
    particles: u32,
    /// Substep of all scenes instead of the one that each draws: a length in s or auto
    #[arg(long, value_name = "STEP", value_parser = step)]
    step: Option<String>,
    /// Print the scenes without running them
    #[arg(long)]
    print: bool,
    /// Folder for the scenes with faults, as SEED.toml
    #[arg(long, value_name = "DIR", default_value = "out/scenes")]
    out: PathBuf,
    /// Device by index or part of its name
    #[arg(long)]
    device: Option<String>,
    /// Folder with material libraries, or one library; searched first
    #[arg(long, value_name = "DIR")]
    material_path: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(FAULTY),
        Err((code, message)) => {
            eprintln!("tuff-scenes: {message}");
            ExitCode::from(code)
        }
    }
}

/// Parses a substep in the notation of scenes.
fn step(text: &str) -> Result<String, String> {
    match text.parse::<f64>() {
        Ok(length) if length > 0.0 && length.is_finite() => Ok(format!("{length:e}")),
        _ if text == "auto" => Ok("\"auto\"".to_owned()),
        _ => Err("a length in s or auto".to_owned()),
    }
}

/// Draws the scene of a seed, with the given step if there is one.
fn scene(seed: u64, arguments: &Arguments) -> String {
    let text = draw(seed, arguments.particles);
    let Some(step) = &arguments.step else { return text };
    let lines = text.lines().filter(|line| !line.starts_with("max_substep"));
    let with_step = |line: &str| match line {
        "[time]" => format!("[time]\nmax_substep = {step}\n"),
        _ => format!("{line}\n"),
    };
    lines.map(with_step).collect()
}

/// Runs the scenes and returns the number of those that did what none may.
fn run(arguments: &Arguments) -> Result<usize, (u8, String)> {
    let seeds = arguments.seed..arguments.seed.saturating_add(arguments.count);
    if arguments.print {
        let text: Vec<String> = seeds.map(|seed| scene(seed, arguments)).collect();
        // The reader may close the pipe early.
        let _ = std::io::stdout().write_all(text.join("\n").as_bytes());
        return Ok(0);
    }
    let library = Library::discover(&SearchPath::standard(&arguments.material_path))
        .map_err(|error| (BAD_INPUT, error.to_string()))?;
    let (mut faulty, mut refused) = (0, 0);
    for seed in seeds.clone() {
        let text = scene(seed, arguments);
        let start = Instant::now();
        let judgement = match judge(&text, &library, arguments.device.as_deref()) {
            Ok(judgement) => judgement,
            Err(JudgeError::Refused(why)) => {
                refused += 1;
                println!("{seed:>5}  refused: {}", why.to_string().lines().next().unwrap_or_default());
                continue;
            }
            Err(warned @ JudgeError::WarnedOf(_)) => {
                refused += 1;
                println!("{seed:>5}  {warned}");
                continue;
            }
            Err(JudgeError::Problem(error)) => return Err((BAD_INPUT, error.to_string())),
            Err(JudgeError::Solver(error)) => return Err((NO_DEVICE, error.to_string())),
        };
        let word = if judgement.faults.is_empty() { "ok" } else { "FAULTY" };
        println!(
            "{seed:>5}  {word:<6}  {} particles, {} substeps, {} iterations, {:.1} s",
            judgement.particles,
            judgement.substeps,
            judgement.iterations,
            start.elapsed().as_secs_f64()
        );
        for fault in &judgement.faults {
            println!("       {fault}");
        }
        if !judgement.faults.is_empty() {
            faulty += 1;
            let file = arguments.out.join(format!("{seed}.toml"));
            std::fs::create_dir_all(&arguments.out)
                .and_then(|()| std::fs::write(&file, &text))
                .map_err(|error| (NOT_WRITTEN, format!("{}: {error}", file.display())))?;
        }
    }
    let total = seeds.end - seeds.start;
    println!(
        "{} of {total} scenes without faults, {refused} refused or warned of, {faulty} with faults",
        total as usize - faulty - refused
    );
    Ok(faulty)
}
