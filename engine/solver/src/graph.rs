//! The commands of a substep with their accesses, for listings.

use tuff_gpu::{AttributeId, Command, Recording};
use tuff_problem::Problem;

use crate::attributes::TABLE;
use crate::setup::push;
use crate::stages::Stage;
use crate::substep::Recorder;

/// Consecutive commands of one kind, such as the colors of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Name of the stage, or description of a fill or copy.
    pub name: String,
    /// Names of the attributes read.
    pub reads: Vec<&'static str>,
    /// Names of the attributes written.
    pub writes: Vec<&'static str>,
    /// Number of commands.
    pub repeats: u32,
}

/// Returns the commands of a substep of the problem, in order.
pub fn nodes(problem: &Problem) -> Vec<Node> {
    collapse(recording(problem).commands.iter().filter_map(node))
}

/// Returns the stages of a substep of the problem, in the order of their first launch.
pub fn stages(problem: &Problem) -> Vec<Stage> {
    let mut stages = Vec::new();
    for command in recording(problem).commands {
        if let Command::Dispatch { stage, .. } = command
            && let Some(stage) = Stage::of(stage)
            && !stages.contains(&stage)
        {
            stages.push(stage);
        }
    }
    stages
}

fn recording(problem: &Problem) -> Recording {
    let (min, max) = problem.bounds();
    let mut recording = Recording::new();
    let push = push(problem, &problem.grid(min, max), problem.dt(), 0, 0);
    Recorder::new(&mut recording, problem, push, u32::MAX).substep(&problem.scene.solver, false);
    recording
}

fn name(id: AttributeId) -> &'static str {
    TABLE[usize::from(id.0)].name
}

/// Converts a command; returns `None` for a stage that is not in the table.
fn node(command: &Command) -> Option<Node> {
    let (name, reads, writes) = match *command {
        Command::Dispatch { stage, .. } => {
            let declaration = Stage::of(stage)?.declaration();
            let accesses = declaration.accesses.iter();
            let reads = accesses.clone().filter(|(_, access)| access.reads()).map(|(id, _)| name(*id));
            let writes = accesses.filter(|(_, access)| access.writes()).map(|(id, _)| name(*id));
            (declaration.name.to_owned(), reads.collect(), writes.collect())
        }
        Command::Fill { attribute, value } => {
            (format!("fill {} with {value:#x}", name(attribute)), Vec::new(), vec![name(attribute)])
        }
        Command::Copy { from, to, .. } => {
            (format!("copy {} to {}", name(from), name(to)), vec![name(from)], vec![name(to)])
        }
    };
    Some(Node { name, reads, writes, repeats: 1 })
}

/// Joins consecutive nodes of the same name.
fn collapse(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut joined: Vec<Node> = Vec::new();
    for node in nodes {
        match joined.last_mut().filter(|last| last.name == node.name) {
            Some(last) => last.repeats += 1,
            None => joined.push(node),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use tuff_gpu::{Groups, PushConstants};

    use super::*;
    use crate::attributes::CELL_COUNT;

    #[test]
    fn colors_are_joined_and_accesses_are_kept() {
        let mut recording = Recording::new();
        recording.fill(CELL_COUNT, 0);
        for _ in 0..3 {
            let groups = Groups::Direct([1, 1, 1]);
            recording.dispatch(Stage::ScanTiles.id(), groups, PushConstants::default());
        }
        let nodes = collapse(recording.commands.iter().filter_map(node));
        assert_eq!(nodes.len(), 2);
        assert_eq!(
            (nodes[0].name.as_str(), &nodes[0].writes[..]),
            ("fill cell_count with 0x0", &["cell_count"][..])
        );
        assert_eq!((nodes[1].name.as_str(), nodes[1].repeats), ("scan_tiles", 3));
        assert_eq!((&nodes[1].reads[..], &nodes[1].writes[..]), (&["cell_count"][..], &["scan_tile"][..]));
    }
}
