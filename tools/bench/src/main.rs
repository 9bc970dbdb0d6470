//! Benchmarks of the Vulkan solver: the collapsing sand column at fixed sizes, and a plain gather kernel
//! as the yardstick of the machine at the same moment.

mod column;
mod gather;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use serde_json::{Value, json};

/// Benchmarks of the solver: throughput of the sand column beside a plain gather kernel.
#[derive(Parser)]
struct Arguments {
    /// Particles along the short edge of the 1 : 1 : 2 column, once per column to run [default: 16 30 58]
    #[arg(long, value_name = "N")]
    edge: Vec<u32>,
    /// Material of the column, once per material to run [default: drucker_prager]; `all` for all
    #[arg(long, value_name = "NAME")]
    material: Vec<String>,
    /// Rounds that are timed, each a run of the gather kernel and four substeps; machines are shared and
    /// noisy, so the two alternate
    #[arg(long, default_value_t = 8)]
    rounds: u32,
    /// Also run the 8,192-particle column for a simulated second at max_substep = 1e-3
    #[arg(long)]
    collapse: bool,
    /// Device by index or part of its name
    #[arg(long)]
    device: Option<String>,
    /// Also write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let device = arguments.device.as_deref();
    let edges = if arguments.edge.is_empty() { vec![16, 30, 58] } else { arguments.edge.clone() };
    let mut columns: Vec<Value> = Vec::new();
    let mut materials: Vec<&str> = arguments.material.iter().map(String::as_str).collect();
    if materials.is_empty() {
        materials.push(column::SAND);
    } else if materials.contains(&"all") {
        materials = column::materials().collect();
    }
    for &edge in &edges {
        for material in &materials {
            let run = column::throughput(edge, material, arguments.rounds, device)?;
            println!("{}", run.table());
            columns.push(run.json());
        }
    }
    let collapse = arguments.collapse.then(|| column::collapse(device)).transpose()?;
    if let Some(collapse) = &collapse {
        println!("{collapse}");
    }
    if let Some(file) = &arguments.json {
        let name = tuff_gpu::Device::open(device)?.info().name.clone();
        let all = json!({ "device": name, "columns": columns, "collapse": collapse.map(|c| c.json()) });
        let text = serde_json::to_string_pretty(&all)?;
        std::fs::write(file, text + "\n").with_context(|| format!("writing {}", file.display()))?;
    }
    Ok(())
}
