//! Barrier planning: a pure function of the declared accesses.
//!
//! Every command reads and writes attributes within one or two scopes (compute, indirect, transfer). A command waits for
//! an earlier one when it reads what that wrote (read after write), or writes what that read or wrote (write after read,
//! write after write). Barriers are global: one barrier orders all attributes between its scopes, so that a later command
//! that needs the same order pays nothing.

use crate::attributes::AttributeId;
use crate::recording::{Command, Groups, Recording};
use crate::stage::StageDeclaration;
use std::fmt;

/// A set of the scopes in which commands touch memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// No scope.
    pub const NONE: Scopes = Scopes(0);
    /// Shader accesses of dispatches.
    pub const COMPUTE: Scopes = Scopes(1);
    /// Workgroup counts read by indirect dispatches.
    pub const INDIRECT: Scopes = Scopes(2);
    /// Fills and copies.
    pub const TRANSFER: Scopes = Scopes(4);

    const COUNT: usize = 3;

    /// Both sets.
    #[must_use]
    pub const fn union(self, other: Scopes) -> Scopes {
        Scopes(self.0 | other.0)
    }

    /// Whether all of `other` is in this set.
    pub const fn contains(self, other: Scopes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        (0..Scopes::COUNT).filter(move |index| self.0 & (1 << index) != 0)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["compute", "indirect", "transfer"];
        let list: Vec<&str> = self.indices().map(|index| names[index]).collect();
        f.write_str(&list.join("+"))
    }
}

/// Why a command has to wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// It reads what was written.
    ReadAfterWrite,
    /// It writes what was read.
    WriteAfterRead,
    /// It writes what was written.
    WriteAfterWrite,
}

/// A reason for a barrier.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The attribute.
    pub attribute: AttributeId,
    /// The order to be kept.
    pub kind: HazardKind,
    /// Command that has to be finished, by its index in the recording.
    pub after: usize,
}

/// A global execution and memory barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Scopes of the commands that must be finished.
    pub from: Scopes,
    /// Scopes of the commands that wait.
    pub to: Scopes,
    /// Why.
    pub hazards: Vec<Hazard>,
}

/// The barriers of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// For every command, the barrier that precedes it.
    pub barriers: Vec<Option<Barrier>>,
}

impl Plan {
    /// Number of barriers.
    pub fn barrier_count(&self) -> usize {
        self.barriers.iter().flatten().count()
    }
}

/// When an attribute was last touched within one scope: index of the command + 1, or 0 for never.
type Stamps = [usize; Scopes::COUNT];

#[derive(Copy, Clone, Default)]
struct History {
    write: Stamps,
    read: Stamps,
}

/// What one command does with one attribute.
struct Use {
    attribute: AttributeId,
    scope: usize,
    reads: bool,
    writes: bool,
}

/// Barriers that `recording` needs. Indices of stages and attributes that do not exist are ignored here; the executor
/// refuses them.
pub fn plan(stages: &[StageDeclaration], recording: &Recording) -> Plan {
    let mut histories: Vec<History> = Vec::new();
    // ordered[from][to]: commands before this index, as far as they lie in scope `from`, are finished and visible for
    // later commands in scope `to`.
    let mut ordered = [[0; Scopes::COUNT]; Scopes::COUNT];
    let mut barriers = Vec::with_capacity(recording.commands.len());
    let mut uses = Vec::new();
    for (index, command) in recording.commands.iter().enumerate() {
        uses.clear();
        collect_uses(stages, command, &mut uses);
        let mut barrier = Barrier { from: Scopes::NONE, to: Scopes::NONE, hazards: Vec::new() };
        for wanted in &uses {
            let slot = usize::from(wanted.attribute.0);
            if slot >= histories.len() {
                histories.resize(slot + 1, History::default());
            }
            let history = &histories[slot];
            for (from, reached) in ordered.iter().enumerate() {
                let done = reached[wanted.scope];
                let kind = if history.write[from] > done {
                    if wanted.reads { HazardKind::ReadAfterWrite } else { HazardKind::WriteAfterWrite }
                } else if wanted.writes && history.read[from] > done {
                    HazardKind::WriteAfterRead
                } else {
                    continue;
                };
                barrier.from.0 |= 1 << from;
                barrier.to.0 |= 1 << wanted.scope;
                let stamp = if kind == HazardKind::WriteAfterRead { history.read } else { history.write };
                barrier.hazards.push(Hazard { attribute: wanted.attribute, kind, after: stamp[from] - 1 });
            }
        }
        for from in barrier.from.indices() {
            for to in barrier.to.indices() {
                ordered[from][to] = index;
            }
        }
        for used in &uses {
            let history = &mut histories[usize::from(used.attribute.0)];
            if used.writes {
                history.write[used.scope] = index + 1;
            }
            if used.reads {
                history.read[used.scope] = index + 1;
            }
        }
        barriers.push((!barrier.hazards.is_empty()).then_some(barrier));
    }
    Plan { barriers }
}

fn collect_uses(stages: &[StageDeclaration], command: &Command, uses: &mut Vec<Use>) {
    const COMPUTE: usize = 0;
    const INDIRECT: usize = 1;
    const TRANSFER: usize = 2;
    match command {
        Command::Dispatch { stage, groups, .. } => {
            if let Some(declaration) = stages.get(usize::from(stage.0)) {
                uses.extend(declaration.accesses.iter().map(|(attribute, access)| Use {
                    attribute: *attribute,
                    scope: COMPUTE,
                    reads: access.reads(),
                    writes: access.writes(),
                }));
            }
            if let Groups::Indirect { attribute, .. } = groups {
                uses.push(Use { attribute: *attribute, scope: INDIRECT, reads: true, writes: false });
            }
        }
        Command::Fill { attribute, .. } => {
            uses.push(Use { attribute: *attribute, scope: TRANSFER, reads: false, writes: true });
        }
        Command::Copy { from, to, .. } => {
            uses.push(Use { attribute: *from, scope: TRANSFER, reads: true, writes: false });
            uses.push(Use { attribute: *to, scope: TRANSFER, reads: false, writes: true });
        }
    }
}
