//! Formats a profile for people. The program's help explains the columns.

use std::fmt::Write as _;

use tuff_cli::print;
use tuff_problem::profile::Part;

use crate::record::{Record, Spread};
use crate::statistics::{extremes, median};

/// Maximum number of rows in a histogram.
const BARS: usize = 12;
/// Width of the longest bar.
const BAR: f64 = 40.0;
/// Maximum number of substeps whose residuals are listed.
const LISTED: usize = 12;

/// Formats the whole profile.
pub fn table(record: &Record) -> String {
    let mut text = head(record);
    text += &stages(record);
    text += &parts(record);
    text += &clocks(record);
    text += &materials(record);
    text += &residuals(record);
    text += &spread(&record.spread);
    text
}

fn head(record: &Record) -> String {
    let scene = &record.scene;
    let pairs = median(&record.substeps.iter().map(|s| s.pairs as f64).collect::<Vec<_>>());
    let particles = scene.particles.max(1) as f64;
    let repeated = record.substeps.iter().filter(|s| s.submissions > 1).count();
    let repeated = if repeated > 0 { format!(", {repeated} of them repeated") } else { String::new() };
    format!(
        "{} on {}: {} particles, {:.1} neighbors each, {} of memory ({:.0} B per particle)\n\
         {} substeps of {:.3e} s from frame {} on{repeated}, at most {} iterations\n",
        scene.name,
        record.device.name,
        print::count(scene.particles),
        pairs / particles,
        print::bytes(record.memory_bytes),
        record.memory_bytes as f64 / particles,
        record.substeps.len(),
        scene.substep_seconds,
        scene.frame,
        scene.iterations
    )
}

/// Formats minimum, median and maximum time [ms] and the share of the whole.
fn times(seconds: &[f64], whole: f64) -> String {
    let [least, middle, most] = extremes(seconds).map(|s| 1e3 * s);
    let share = 100.0 * seconds.iter().sum::<f64>() / whole.max(f64::MIN_POSITIVE);
    format!("{least:>9.4} {middle:>9.4} {most:>9.4} {share:>6.1}%")
}

/// Formats a count in at most six characters.
fn number(count: f64) -> String {
    if count < 1000.0 { count.to_string() } else { print::quantity(count).trim_end().to_owned() }
}

fn stages(record: &Record) -> String {
    let whole: f64 = record.totals().iter().sum();
    let mut text = format!(
        "\n{:<28} {:>9} {:>9} {:>9} {:>7} {:>10} {:>8} {:>8} {:>10}\n",
        "ms / substep", "min", "median", "max", "share", "dispatches", "threads", "moved", "bandwidth"
    );
    for stage in &record.stages {
        let twice = record.stages.iter().filter(|other| other.name == stage.name).count() > 1;
        let name = if twice { format!("{} ({})", stage.name, stage.part) } else { stage.name.clone() };
        let _ = writeln!(
            text,
            "{name:<28} {} {:>10} {:>8} {:>8} {:>10}",
            times(&stage.seconds, whole),
            stage.dispatches,
            number(stage.threads),
            print::bytes(stage.bytes as u64),
            format!("{}/s", print::bytes(stage.bandwidth() as u64))
        );
    }
    let totals = record.totals();
    let _ = writeln!(text, "{:<28} {}", "all stages", times(&totals, whole));
    text
}

fn parts(record: &Record) -> String {
    let whole: f64 = record.totals().iter().sum();
    let mut text = String::from("\nin the parts of the paper's Fig. 17\n");
    for part in Part::ALL.map(Part::name) {
        let _ = writeln!(text, "  {part:<26} {}", times(&record.part_totals(part), whole));
    }
    text
}

fn clocks(record: &Record) -> String {
    let of =
        |value: fn(&crate::record::Substep) -> f64| record.substeps.iter().map(value).collect::<Vec<_>>();
    let between: Vec<f64> = of(|s| s.device_seconds)
        .iter()
        .zip(record.totals())
        .map(|(span, sum)| (span - sum).max(0.0))
        .collect();
    let three = |seconds: &[f64]| {
        let [least, middle, most] = extremes(seconds).map(|s| 1e3 * s);
        format!("{least:>9.4} {middle:>9.4} {most:>9.4}")
    };
    let mut text = format!("\n{:<28} {}\n", "between stages", three(&between));
    let _ = writeln!(text, "{:<28} {}", "wall, profiled", three(&of(|s| s.wall_seconds)));
    let plain = &record.plain;
    let each = 1e3 / f64::from(plain.substeps.max(1));
    let _ = writeln!(text, "{:<28} {:>9} {:>9.4}", "wall", "", each * plain.wall_seconds);
    if let Some(processor) = plain.processor_seconds {
        let busy = processor / plain.wall_seconds;
        let _ = writeln!(
            text,
            "{:<28} {:>9} {:>9.4} {busy:>9.2} threads busy",
            "processor",
            "",
            each * processor
        );
    }
    let _ = writeln!(
        text,
        "{}neighbor-pair-iterations per second of wall time",
        print::quantity(plain.pair_iterations_per_second)
    );
    text
}

fn materials(record: &Record) -> String {
    if record.materials.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n{:<28} {:>10} {:>14} {:>10} {:>14}\n",
        "material", "particles", "projection ns", "law ns", "of the solve"
    );
    for material in &record.materials {
        let projection = material.projection_ns.map_or_else(|| "-".to_owned(), |ns| format!("{ns:.4}"));
        let _ = writeln!(
            text,
            "{:<28} {:>10} {projection:>14} {:>10.4} {:>13.1}%",
            format!("{} ({})", material.name, material.model),
            print::count(material.particles),
            material.law_ns,
            100.0 * material.solve_share
        );
    }
    text
}

fn residuals(record: &Record) -> String {
    let mut text =
        format!("\n{:<28} {:>10} {:>12} {:>18}\n", "substep", "iterations", "force", "multiplier sqrt(Pa)");
    let count = record.residuals.len();
    let step = count.div_ceil(LISTED).max(1);
    for (index, residual) in record.residuals.iter().enumerate().step_by(step) {
        let _ = writeln!(
            text,
            "{index:<28} {:>10} {:>12.3e} {:>18.3e}",
            residual.iterations, residual.force, residual.multiplier
        );
    }
    let cost = if record.residual_cost > 0.0 {
        format!(
            "in separate substeps: computing the residuals makes a substep {:.0} % longer",
            100.0 * record.residual_cost
        )
    } else {
        "in the substeps above, where they end the iteration".to_owned()
    };
    let _ = writeln!(text, "{cost}");
    text
}

fn spread(spread: &Spread) -> String {
    let mut text = bars("neighbors of a particle", &spread.particles_by_neighbors);
    text += &bars("particles of a cell", &spread.cells_by_particles);
    let cells: Vec<f64> = spread.cells_of_color.iter().map(|&c| f64::from(c)).collect();
    let particles: Vec<f64> = spread.particles_of_color.iter().map(|&c| c as f64).collect();
    text += "\nper color, in the order of the sweep\n";
    text += &sparks("cells", &cells);
    text += &sparks("particles", &particles);
    text
}

/// Formats a histogram whose classes are wide enough for it to fit.
fn bars(name: &str, counts: &[u64]) -> String {
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let sum: f64 = counts.iter().enumerate().map(|(value, &count)| value as f64 * count as f64).sum();
    let mut text =
        format!("\n{name}: {:.1} on average, at most {}\n", sum / total, counts.len().saturating_sub(1));
    let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
    let width = (counts.len() - first.min(counts.len())).div_ceil(BARS).max(1);
    let classes: Vec<u64> =
        counts[first.min(counts.len())..].chunks(width).map(|class| class.iter().sum()).collect();
    let most = classes.iter().max().copied().unwrap_or(0).max(1) as f64;
    for (index, &count) in classes.iter().enumerate() {
        let low = first + index * width;
        let high = (low + width - 1).min(counts.len() - 1);
        let label = if low == high { low.to_string() } else { format!("{low}-{high}") };
        let bar = "#".repeat((BAR * count as f64 / most).ceil() as usize);
        let _ = writeln!(text, "{label:>12} {:>6.1}% {bar}", 100.0 * count as f64 / total);
    }
    text
}

/// Formats a line of small bars, one per value.
fn sparks(name: &str, values: &[f64]) -> String {
    const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let [least, middle, most] = extremes(values);
    let level = |value: &f64| LEVELS[(8.0 * value / most.max(1.0)).ceil() as usize];
    let line: String = values.iter().map(level).collect();
    format!("{name:>12} |{line}| {least} to {most}, median {middle}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_join_values_and_begin_at_the_first() {
        // 24 values from 6 to 29 in twelve classes of two.
        let mut counts = vec![0; 30];
        counts[6] = 1;
        counts[29] = 3;
        let text = bars("neighbors", &counts);
        assert!(text.contains("neighbors: 23.2 on average, at most 29"), "{text}");
        assert!(text.contains(" 6-7   25.0% #") && text.contains("28-29   75.0% ####"), "{text}");
        assert_eq!(text.lines().count(), 2 + BARS);
        assert!(bars("none", &[]).contains("at most 0"));
    }

    #[test]
    fn sparks_show_the_fullest_color() {
        assert_eq!(sparks("cells", &[0.0, 4.0, 8.0]), "       cells | ▄█| 0 to 8, median 4\n");
    }
}
