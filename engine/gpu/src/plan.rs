//! Barrier planning: a pure function of the declared accesses.
//!
//! Every command reads and writes attributes within one or two scopes (compute, indirect, transfer). A command waits for an
//! earlier one if it reads what the other wrote (read after write), or writes what the other read or wrote (write after read,
//! write after write). Barriers are global: one barrier orders all attributes between its scopes, so a later command that needs
//! the same order costs nothing extra.

use crate::attributes::{Attribute, AttributeId};
use crate::recording::{Command, Groups, Listing, Recording};
use crate::stage::StageDeclaration;
use std::fmt;

/// A set of scopes in which commands access memory.
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

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, other: Scopes) -> Scopes {
        Scopes(self.0 | other.0)
    }

    /// Returns true if all of `other` is in this set.
    pub const fn contains(self, other: Scopes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns true if the set is empty.
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

/// Reason why a command has to wait.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HazardKind {
    /// It reads what was written.
    ReadAfterWrite,
    /// It writes what was read.
    WriteAfterRead,
    /// It writes what was written.
    WriteAfterWrite,
}

impl fmt::Display for HazardKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HazardKind::ReadAfterWrite => "read after write",
            HazardKind::WriteAfterRead => "write after read",
            HazardKind::WriteAfterWrite => "write after write",
        })
    }
}

/// A reason for a barrier.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The attribute.
    pub attribute: AttributeId,
    /// Kind of conflict.
    pub kind: HazardKind,
    /// Command that has to finish first, by its index in the recording.
    pub after: usize,
}

/// A global execution and memory barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Scopes of the commands that must be finished.
    pub from: Scopes,
    /// Scopes of the commands that wait.
    pub to: Scopes,
    /// Reasons.
    pub hazards: Vec<Hazard>,
}

/// The barriers of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// For every command, the barrier that precedes it.
    pub barriers: Vec<Option<Barrier>>,
}

impl Plan {
    /// Returns the number of barriers.
    pub fn barrier_count(&self) -> usize {
        self.barriers.iter().flatten().count()
    }

    /// Returns the planned recording as text, one line per command and barrier, by name.
    pub fn listing<'a>(
        &'a self,
        recording: &'a Recording,
        table: &'a [Attribute],
        stages: &'a [StageDeclaration],
    ) -> impl fmt::Display + 'a {
        Listing { recording, table, stages, plan: Some(self) }
    }
}

/// Last access to an attribute within one scope: index of the command + 1, or 0 for never.
type Stamps = [usize; Scopes::COUNT];

#[derive(Copy, Clone, Default)]
struct History {
    write: Stamps,
    read: Stamps,
}

/// Use of one attribute by one command.
struct Use {
    attribute: AttributeId,
    scope: usize,
    reads: bool,
    writes: bool,
}

/// Plans the barriers that `recording` needs. Ignores indices of stages and attributes that do not exist; the executor rejects
/// them.
pub fn plan(stages: &[StageDeclaration], recording: &Recording) -> Plan {
    let mut histories: Vec<History> = Vec::new();
    // ordered[from][to]: commands before this index that lie in scope `from` are finished and visible to later commands in scope
    // `to`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{PushConstants, StageId};
    use crate::stage::Access::{Read, ReadWrite, Write};

    const A: AttributeId = AttributeId(0);
    const B: AttributeId = AttributeId(1);
    const C: AttributeId = AttributeId(2);

    const fn stage(
        name: &'static str,
        accesses: &'static [(AttributeId, crate::Access)],
    ) -> StageDeclaration {
        StageDeclaration { name, shader: "", accesses, indirect: Some(C) }
    }

    const STAGES: [StageDeclaration; 6] = [
        stage("write_a", &[(A, Write)]),
        stage("read_a_write_b", &[(A, Read), (B, Write)]),
        stage("read_b", &[(B, Read)]),
        stage("update_a", &[(A, ReadWrite)]),
        stage("write_c", &[(C, Write)]),
        stage("read_a", &[(A, Read)]),
    ];

    const fn run(stage: u16) -> Command {
        Command::Dispatch { stage: StageId(stage), groups: Groups::Direct([1; 3]), push: PushConstants::NONE }
    }

    const fn run_indirect(stage: u16) -> Command {
        let groups = Groups::Indirect { attribute: C, offset: 0 };
        Command::Dispatch { stage: StageId(stage), groups, push: PushConstants::NONE }
    }

    /// (from, to, hazards) of each command's barrier.
    fn planned(commands: &[Command]) -> Vec<Option<String>> {
        let recording = Recording { commands: commands.to_vec() };
        let text = |barrier: Barrier| {
            let hazards: Vec<String> = barrier
                .hazards
                .iter()
                .map(|hazard| format!("{}: {} {}", hazard.attribute.0, hazard.kind, hazard.after))
                .collect();
            format!("{} > {} | {}", barrier.from, barrier.to, hazards.join(", "))
        };
        plan(&STAGES, &recording).barriers.into_iter().map(|barrier| barrier.map(text)).collect()
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn read_after_write_waits() {
        assert_eq!(planned(&[run(0), run(1)]), [None, some("compute > compute | 0: read after write 0")]);
    }

    #[test]
    fn write_after_read_waits() {
        assert_eq!(planned(&[run(5), run(0)]), [None, some("compute > compute | 0: write after read 0")]);
    }

    #[test]
    fn write_after_write_waits() {
        assert_eq!(planned(&[run(0), run(0)]), [None, some("compute > compute | 0: write after write 0")]);
    }

    #[test]
    fn an_update_waits_for_itself() {
        let barrier = |after| some(&format!("compute > compute | 0: read after write {after}"));
        assert_eq!(planned(&[run(3), run(3), run(3)]), [None, barrier(0), barrier(1)]);
    }

    #[test]
    fn readers_and_strangers_do_not_wait() {
        assert_eq!(planned(&[run(5), run(2), run(5), run(4)]), [None, None, None, None]);
    }

    #[test]
    fn one_barrier_serves_everything_before_it() {
        // The barrier before command 2 also orders the write of C, which no command has needed yet.
        let plan = planned(&[run(0), run(4), run(1), run(5), run_indirect(2)]);
        assert_eq!(plan[..4], [None, None, some("compute > compute | 0: read after write 0"), None]);
        // Its counts and its attribute are needed in different scopes, ordered by one barrier.
        assert_eq!(
            plan[4],
            some("compute > compute+indirect | 1: read after write 2, 2: read after write 1")
        );
    }

    #[test]
    fn a_barrier_to_one_scope_does_not_serve_another() {
        // C is visible to indirect reads, not yet to transfers.
        let copy = Command::Copy { from: C, to: B, bytes: 4 };
        assert_eq!(
            planned(&[run(4), run_indirect(5), copy]),
            [
                None,
                some("compute > indirect | 2: read after write 0"),
                some("compute > transfer | 2: read after write 0"),
            ]
        );
    }

    #[test]
    fn counts_are_not_overwritten_while_they_are_read() {
        assert_eq!(
            planned(&[run_indirect(5), run(4)]),
            [None, some("indirect > compute | 2: write after read 0")]
        );
        let fill = Command::Fill { attribute: C, value: 0 };
        assert_eq!(
            planned(&[run_indirect(5), fill]),
            [None, some("indirect > transfer | 2: write after read 0")]
        );
    }

    #[test]
    fn fills_and_copies_take_part() {
        let fill = Command::Fill { attribute: A, value: 0 };
        let copy = Command::Copy { from: A, to: B, bytes: 4 };
        assert_eq!(
            planned(&[fill, copy, run(2), run(0), fill]),
            [
                None,
                some("transfer > transfer | 0: read after write 0"),
                some("transfer > compute | 1: read after write 1"),
                // The write of A (fill) and the read of A (copy) were both finished for compute by then.
                None,
                // Transitive order does not count: each pair of scopes is considered separately.
                some("compute+transfer > transfer | 0: write after write 3, 0: write after read 1"),
            ]
        );
    }

    #[test]
    fn hazards_with_two_scopes_are_both_reported() {
        // B was read by a copy and by a shader before it is overwritten.
        let copy = Command::Copy { from: B, to: C, bytes: 4 };
        assert_eq!(
            planned(&[copy, run(2), run(1)]),
            [None, None, some("compute+transfer > compute | 1: write after read 1, 1: write after read 0")]
        );
    }

    #[test]
    fn unknown_stages_are_skipped() {
        assert_eq!(planned(&[run(77), run(0)]), [None, None]);
    }

    /// Checks that every pair of conflicting commands is ordered, by a direct search over random recordings.
    #[test]
    fn all_conflicts_are_ordered_in_random_recordings() {
        let mut state = 12345u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for _ in 0..300 {
            let commands: Vec<Command> = (0..12)
                .map(|_| match next() % 9 {
                    0 => Command::Fill { attribute: AttributeId((next() % 3) as u16), value: 0 },
                    1 => Command::Copy { from: A, to: B, bytes: 4 },
                    2 => run_indirect((next() % 6) as u16),
                    stage => run((stage % 6) as u16),
                })
                .collect();
            let plan = plan(&STAGES, &Recording { commands: commands.clone() });
            let uses = |index: usize| {
                let mut list = Vec::new();
                collect_uses(&STAGES, &commands[index], &mut list);
                list
            };
            for later in 0..commands.len() {
                for earlier in 0..later {
                    for (old, new) in uses(earlier).iter().flat_map(|old| {
                        uses(later).into_iter().map(move |new| (old, new)).collect::<Vec<_>>()
                    }) {
                        if old.attribute != new.attribute || !(old.writes || new.writes) {
                            continue;
                        }
                        let ordered = plan.barriers[earlier + 1..=later].iter().flatten().any(|barrier| {
                            barrier.from.0 & (1 << old.scope) != 0 && barrier.to.0 & (1 << new.scope) != 0
                        });
                        assert!(ordered, "{earlier} {later} {commands:?}");
                    }
                }
            }
        }
    }
}
