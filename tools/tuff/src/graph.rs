//! `tuff graph SCENE`.

use std::fmt::Write;

use crate::args::GraphArgs;
use tuff_cli::exit::Stop;
use tuff_cli::print;
use tuff_cli::session::{self, Session};
use tuff_solver::graph::Node;

/// Prints the stages of a subnode.
pub fn graph(args: &GraphArgs) -> Result<(), Stop> {
    let (mut problem, warnings) = Session::open(&args.scene)?.problem(None)?;
    session::warn(&warnings);
    let iterations = problem.scene.solver.iterations;
    problem.scene.solver.iterations = 1;
    let nodes = tuff_solver::graph::nodes(&problem);
    if args.dot { print::out(&dot(&nodes)) } else { print::out(&text(&nodes, iterations)) }
}

fn text(nodes: &[Node], iterations: u32) -> String {
    let mut text = format!("One substep; of its {iterations} iterations one is shown.\n\n");
    for node in nodes {
        let repeats = if node.repeats > 1 { format!("  x {}", node.repeats) } else { String::new() };
        let _ = writeln!(text, "{}{repeats}", node.name);
        for (label, names) in [("reads ", &node.reads), ("writes", &node.writes)] {
            if !names.is_empty() {
                let _ = writeln!(text, "    {label}  {}", names.join(" "));
            }
        }
    }
    text
}

/// Formats the stages as a Graphviz graph: nodes in order, with an edge from the last writer of an attribute to each of its readers.
fn dot(nodes: &[Node]) -> String {
    let mut text = String::from(
        "digraph substep {\n  rankdir = TB;\n  node [shape = box, fontname = \"sans-serif\"];\n",
    );
    for (i, node) in nodes.iter().enumerate() {
        let repeats = if node.repeats > 1 { format!("\\nx {}", node.repeats) } else { String::new() };
        let _ = writeln!(text, "  s{i} [label = \"{}{repeats}\"];", node.name.replace('"', "'"));
        let mut edges: Vec<(usize, Vec<&str>)> = Vec::new();
        for attribute in &node.reads {
            if let Some(writer) = (0..i).rev().find(|&j| nodes[j].writes.contains(attribute)) {
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

    #[test]
    fn edges_go_from_the_last_writer() {
        let node = |name: &str, reads, writes| Node { name: name.to_owned(), reads, writes, repeats: 1 };
        let graph = dot(&[
            node("bin", vec!["position"], vec!["cell"]),
            node("solve", vec!["cell", "velocity"], vec!["velocity"]),
        ]);
        assert!(graph.contains("s0 -> s1 [label = \"cell\"]"), "{graph}");
        assert!(graph.starts_with("digraph") && graph.ends_with("}\n"));
    }
}
