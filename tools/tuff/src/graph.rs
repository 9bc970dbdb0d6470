//! `tuff graph SCENE`.

use std::fmt::Write;

use crate::args::GraphArgs;
use tuff_cli::exit::Stop;
use tuff_cli::print;
use tuff_cli::session::{self, Session};

/// Prints the stages of a substep.
pub fn graph(args: &GraphArgs) -> Result<(), Stop> {
    let (mut problem, warnings) = Session::open(&args.scene)?.problem(None)?;
    session::warn(&warnings);
    let iterations = problem.scene.solver.iterations;
    problem.scene.solver.iterations = 1;
    let listing = tuff_solver::stage_listing(&problem);
    let steps = collapse(&listing);
    if args.dot { print::out(&dot(&steps)) } else { print::out(&text(&steps, iterations)) }
}

/// A command of the substep and its number of consecutive repetitions.
#[derive(Debug, PartialEq)]
struct Step<'a> {
    name: &'a str,
    reads: Vec<&'a str>,
    writes: Vec<&'a str>,
    repeats: u32,
}

/// Parses the listing's lines `dispatch NAME ... reads A B writes C D` (other lines are kept as they are) and joins consecutive
/// dispatches of the same name, such as the colors of a sweep.
fn collapse(listing: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step> = Vec::new();
    for line in listing.lines().filter(|l| !l.trim().is_empty()) {
        let step = match line.strip_prefix("dispatch ") {
            Some(rest) => dispatch(rest),
            None => Step { name: line, reads: Vec::new(), writes: Vec::new(), repeats: 1 },
        };
        match steps.last_mut().filter(|last| last.name == step.name) {
            Some(last) => last.repeats += 1,
            None => steps.push(step),
        }
    }
    steps
}

fn dispatch(rest: &str) -> Step<'_> {
    let (before, writes) = rest.split_once(" writes ").unwrap_or((rest, ""));
    let (before, reads) = before.split_once(" reads ").unwrap_or((before, ""));
    let name = before.split_whitespace().next().unwrap_or_default();
    Step {
        name,
        reads: reads.split_whitespace().collect(),
        writes: writes.split_whitespace().collect(),
        repeats: 1,
    }
}

fn text(steps: &[Step], iterations: u32) -> String {
    let mut text = format!("One substep; of its {iterations} iterations one is shown.\n\n");
    for step in steps {
        let repeats = if step.repeats > 1 { format!("  x {}", step.repeats) } else { String::new() };
        let _ = writeln!(text, "{}{repeats}", step.name);
        for (label, names) in [("reads ", &step.reads), ("writes", &step.writes)] {
            if !names.is_empty() {
                let _ = writeln!(text, "    {label}  {}", names.join(" "));
            }
        }
    }
    text
}

/// Formats the stages as a Graphviz graph: nodes in order, with an edge from the last writer of an attribute to each of its readers.
fn dot(steps: &[Step]) -> String {
    let mut text = String::from(
        "digraph substep {\n  rankdir = TB;\n  node [shape = box, fontname = \"sans-serif\"];\n",
    );
    for (i, step) in steps.iter().enumerate() {
        let repeats = if step.repeats > 1 { format!("\\nx {}", step.repeats) } else { String::new() };
        let _ = writeln!(text, "  s{i} [label = \"{}{repeats}\"];", step.name.replace('"', "'"));
        let mut edges: Vec<(usize, Vec<&str>)> = Vec::new();
        for attribute in &step.reads {
            if let Some(writer) = (0..i).rev().find(|&j| steps[j].writes.contains(attribute)) {
                match edges.iter_mut().find(|e| e.0 == writer) {
                    Some(edge) => edge.1.push(attribute),
                    None => edges.push((writer, vec![attribute])),
                }
            }
        }
        for (writer, attributes) in edges {
            let _ = writeln!(text, "  s{writer} -> s{i} [label = \"{}\"];", attributes.join("\\n"));
        }
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "dispatch bin [4 1 1] push 20 reads position writes cell\n\
        dispatch solve [sizes + 16] push 20 reads cell velocity writes velocity\n\
        dispatch solve [sizes + 32] push 20 reads cell velocity writes velocity\n\
        fill cell with 0x0\n";

    #[test]
    fn colors_are_joined_and_accesses_are_kept() {
        let steps = collapse(LISTING);
        assert_eq!(steps.len(), 3);
        assert_eq!(steps[0], Step { name: "bin", reads: vec!["position"], writes: vec!["cell"], repeats: 1 });
        assert_eq!((steps[1].name, steps[1].repeats), ("solve", 2));
        assert_eq!(steps[1].reads, ["cell", "velocity"]);
        assert_eq!(steps[2].name, "fill cell with 0x0");
    }

    #[test]
    fn edges_go_from_the_last_writer() {
        let graph = dot(&collapse(LISTING));
        assert!(graph.contains("s0 -> s1 [label = \"cell\"]"), "{graph}");
        assert!(graph.starts_with("digraph") && graph.ends_with("}\n"));
    }
}
