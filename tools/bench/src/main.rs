//! Benchmarks of the solver: on Vulkan devices the collapsing sand column at fixed sizes, beside a plain gather kernel that measures the
//! machine at the same moment; on all devices kinds of matter side by side; stored runs, and the cost per particle that they show.

mod column;
mod gather;
mod matter;
mod plot;
mod runs;
mod scene;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use serde_json::{Value, json};
use tuff_gpu::Device;

const EXAMPLES: &str = "\
Sizes: 8k (8,192 particles), 56k (54,000), 400k (390,224); for GPUs 1m (1,024,000), 3m (3,041,750), 10m (10,000,422).

Examples:
  tuff-bench --size 8k --size 56k --rounds 3
  tuff-bench --keep                                      into tools/bench/runs, named after device and commit
  tuff-bench plot tools/bench/runs/*.json --out out      out/cost_per_particle.svg and .png
  tuff-bench matter                                      water, cloth and other matter beside sand, on all devices

Figures are for substeps of 1e-4 s with 5 iterations, 0.6 ms after the column was released. `--residual` finds how many
iterations bring the force residual below a target in a substep of the same length, and times substeps with that many.";

/// Particles along the short edge, by the name of a size.
const SIZES: [(&str, u32); 6] =
    [("8k", 16), ("56k", 30), ("400k", 58), ("1m", 80), ("3m", 115), ("10m", 171)];

/// Benchmarks of the solver: throughput of the sand column beside a plain gather kernel.
#[derive(Parser)]
#[command(name = "tuff-bench", args_conflicts_with_subcommands = true, after_help = EXAMPLES, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    bench: BenchArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Plot the cost per particle against the number of particles, from stored runs.
    Plot {
        /// Files written with --keep or --json
        #[arg(value_name = "RUN.json", required = true)]
        runs: Vec<PathBuf>,
        /// Folder for cost_per_particle.svg and .png
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
    /// Time kinds of matter beside sand: what a pass of the default solver costs per particle, and what the rest of a substep costs.
    Matter {
        /// About as many particles of each kind
        #[arg(long, default_value_t = 8000, value_parser = clap::value_parser!(u32).range(500..=10_000_000))]
        particles: u32,
        /// Number of timed rounds over all kinds and devices, three substeps each
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// `cpu`, or a Vulkan device by index or part of its name; repeat for several [default: cpu and, if there is one, the best Vulkan
        /// device]
        #[arg(long)]
        device: Vec<String>,
        /// Also write the figures as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}

#[derive(Args)]
struct BenchArguments {
    /// A fixed size; repeat for several columns [default: 8k 56k 400k]
    #[arg(long, value_name = "NAME", value_parser = edge_of_size)]
    size: Vec<u32>,
    /// Particles along the short edge of the 1 : 1 : 2 column; repeat for several columns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=203))]
    edge: Vec<u32>,
    /// Material of the column; repeat for several materials [default: drucker_prager]; `all` for all
    #[arg(long, value_name = "NAME")]
    material: Vec<String>,
    /// Number of timed rounds, each a run of the gather kernel and four substeps; machines are shared and
    /// noisy, so the two alternate
    #[arg(long, default_value_t = 8)]
    rounds: u32,
    /// Also find how many iterations bring the force residual below this, and time them [default when given without a value: 1e-2]
    #[arg(long, value_name = "TARGET", num_args = 0..=1, require_equals = true, default_missing_value = "1e-2", value_parser = target)]
    residual: Option<f64>,
    /// Also run the 8,192-particle column for a simulated second at max_substep = 1e-3
    #[arg(long)]
    collapse: bool,
    /// Device by index or part of its name
    #[arg(long)]
    device: Option<String>,
    /// Also write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the figures in tools/bench/runs, in a file named after the device and NAME [default: the commit]
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    keep: Option<Option<String>>,
}

fn edge_of_size(name: &str) -> Result<u32, String> {
    let found = SIZES.iter().find(|(size, _)| *size == name.to_ascii_lowercase());
    found
        .map(|(_, edge)| *edge)
        .ok_or_else(|| format!("the sizes are {}", SIZES.map(|(size, _)| size).join(", ")))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Some(Command::Plot { runs, out }) => plot::plot(&runs, &out),
        Some(Command::Matter { particles, rounds, device, json }) => {
            matter(particles, rounds, device, json.as_deref())
        }
        None => bench(&arguments.bench),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tuff-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line. A closed pipe does not end a measurement.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn target(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(target) if target > 0.0 && target < 1.0 => Ok(target),
        _ => Err("the target is relative to the residual at the start: a number between 0 and 1".to_owned()),
    }
}

fn bench(arguments: &BenchArguments) -> Result<()> {
    let device = arguments.device.as_deref();
    let kept = arguments.keep.as_ref().map(|name| runs::path(name.as_deref(), device)).transpose()?;
    let mut edges = [arguments.size.clone(), arguments.edge.clone()].concat();
    if edges.is_empty() {
        edges = SIZES[..3].iter().map(|(_, edge)| *edge).collect();
    }
    let mut materials: Vec<&str> = arguments.material.iter().map(String::as_str).collect();
    if materials.is_empty() {
        materials.push(column::SAND);
    } else if materials.contains(&"all") {
        materials = column::materials().collect();
    }
    let mut columns: Vec<Value> = Vec::new();
    for &edge in &edges {
        for material in &materials {
            let run = column::throughput(edge, material, arguments.rounds, arguments.residual, device)?;
            say(&run.table());
            columns.push(run.json());
        }
    }
    let collapse = arguments.collapse.then(|| column::collapse(device)).transpose()?;
    if let Some(collapse) = &collapse {
        say(&collapse.to_string());
    }
    let figures = json!({ "columns": columns, "collapse": collapse.map(|c| c.json()) });
    for file in arguments.json.iter().chain(&kept) {
        runs::write(file, &figures, &runs::describe(device)?)?;
        say(&format!("written to {}", file.display()));
    }
    Ok(())
}

fn matter(particles: u32, rounds: u32, mut devices: Vec<String>, json: Option<&Path>) -> Result<()> {
    if devices.is_empty() {
        devices.push("cpu".to_owned());
        devices.extend(Device::chosen(None).ok().map(|info| info.index.to_string()));
    }
    let costs = matter::matter(particles, rounds, &devices)?;
    say(&costs.table());
    let Some(file) = json else { return Ok(()) };
    let vulkan = devices.iter().find(|device| !tuff_run::names_cpu(Some(device)));
    let device = vulkan.map_or(Ok(Value::Null), |device| runs::describe(Some(device)))?;
    runs::write(file, &json!({ "matter": costs.json() }), &device)?;
    say(&format!("written to {}", file.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_the_help_says() {
        for (name, edge) in SIZES {
            let particles = 2 * u64::from(edge).pow(3);
            let digits = particles.to_string();
            let groups: Vec<&str> =
                digits.as_bytes().rchunks(3).rev().filter_map(|g| std::str::from_utf8(g).ok()).collect();
            assert!(EXAMPLES.contains(&format!("{name} ({}", groups.join(","))), "{name}: {particles}");
        }
        assert_eq!(edge_of_size("56K"), Ok(30));
        assert!(edge_of_size("7k").unwrap_err().contains("8k, 56k"));
    }
}
