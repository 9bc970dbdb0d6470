//! `tuff-scenes`: draws random scenes, runs them and reports what no scene may do.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use tuff_plugin::{Library, SearchPath};
use tuff_scenes::{Company, Drawn, JudgeError, draw, judge};

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
one body is less than half as dense as another, or with cloth or ropes, which may themselves be faster); energy may
not grow; nothing may lie deeper in a collider or a rigid body than at the start (sheets have no inside); no frame
may cost 20 times the median; matter at rest keeps its volume within 10 %. Scenes that are refused are not run, nor
are scenes that the engine warns of because sweeps cannot balance them, or pins or a rope through cloth stretch
something from the start.

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
    /// Approximate maximum number of particles of the bodies in a scene; cloth, ropes and emitters come on top
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(500..))]
    particles: u32,
    /// Substep of all scenes instead of the one that each draws: a length in s or auto
    #[arg(long, value_name = "STEP", value_parser = step)]
    step: Option<String>,
    /// Print the scenes, without their mesh files, instead of running them
    #[arg(long)]
    print: bool,
    /// Folder for the scenes with faults, as SEED.toml
    #[arg(long, value_name = "DIR", default_value = "out/scenes")]
    out: PathBuf,
    /// Draw matter and analytic colliders alone; otherwise half of the scenes have rigid bodies, cloth, ropes, surfaces of triangles or
    /// emitters, too
    #[arg(long, conflicts_with = "company")]
    matter: bool,
    /// Draw such company in every scene
    #[arg(long)]
    company: bool,
    /// Device as in `tuff run`: cpu, or a Vulkan device by index or part of its name; the one that runs take by default if not given
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
fn scene(seed: u64, arguments: &Arguments) -> Drawn {
    let company = match (arguments.matter, arguments.company) {
        (true, _) => Company::None,
        (_, true) => Company::Always,
        _ => Company::Half,
    };
    let mut drawn = draw(seed, arguments.particles, company);
    if let Some(step) = &arguments.step {
        let lines = drawn.text.lines().filter(|line| !line.starts_with("max_substep"));
        let with_step = |line: &str| match line {
            "[time]" => format!("[time]\nmax_substep = {step}\n"),
            _ => format!("{line}\n"),
        };
        drawn.text = lines.map(with_step).collect();
    }
    drawn
}

/// Runs the scenes and returns the number of those that did what none may.
fn run(arguments: &Arguments) -> Result<usize, (u8, String)> {
    let seeds = arguments.seed..arguments.seed.saturating_add(arguments.count);
    if arguments.print {
        let text: Vec<String> = seeds.map(|seed| scene(seed, arguments).text).collect();
        // The reader may close the pipe early.
        let _ = std::io::stdout().write_all(text.join("\n").as_bytes());
        return Ok(0);
    }
    let library = Library::discover(&SearchPath::standard(&arguments.material_path))
        .map_err(|error| (BAD_INPUT, error.to_string()))?;
    let (mut faulty, mut refused) = (0, 0);
    for seed in seeds.clone() {
        let drawn = scene(seed, arguments);
        let start = Instant::now();
        let judgement = match judge(&drawn, &library, arguments.device.as_deref()) {
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
            Err(JudgeError::Device(error)) => return Err((NO_DEVICE, error.to_string())),
            Err(error @ JudgeError::NotWritten(..)) => return Err((NOT_WRITTEN, error.to_string())),
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
            keep(&drawn, seed, &arguments.out)?;
        }
    }
    let total = seeds.end - seeds.start;
    println!(
        "{} of {total} scenes without faults, {refused} refused or warned of, {faulty} with faults",
        total as usize - faulty - refused
    );
    Ok(faulty)
}

/// Writes a scene as SEED.toml, with its mesh files as SEED_NAME.
fn keep(drawn: &Drawn, seed: u64, folder: &Path) -> Result<(), (u8, String)> {
    let write = |name: &str, content: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, content))
            .map_err(|error| (NOT_WRITTEN, format!("{}: {error}", file.display())))
    };
    let mut text = drawn.text.clone();
    for (name, content) in &drawn.files {
        let own = format!("{seed}_{name}");
        text = text.replace(name, &own);
        write(&own, content)?;
    }
    write(&format!("{seed}.toml"), &text)
}
