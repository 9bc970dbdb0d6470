//! Recordings: the commands of a run as plain data.

use crate::attributes::{Attribute, AttributeId};
use crate::plan::Plan;
use crate::stage::StageDeclaration;
use std::fmt;

/// Maximum number of workgroups that Vulkan guarantees in one dimension of a dispatch.
pub const MAX_GROUPS: u32 = 65_535;

/// Index of a stage in its executor's list.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct StageId(pub u16);

/// Number of workgroups of a dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Groups {
    /// Workgroups in x, y, z. Any of them may be 0: nothing runs.
    Direct([u32; 3]),
    /// Three `uint` read by the device from `attribute`, `offset` bytes after its start (a multiple of 4).
    Indirect {
        /// Attribute with the counts.
        attribute: AttributeId,
        /// Offset of the counts, in bytes.
        offset: u64,
    },
}

impl Groups {
    /// Returns workgroups of `local_size` invocations that cover `count`, split over y where x would exceed [`MAX_GROUPS`]. The
    /// shader computes its index with `invocation()` of `include/launch.glsl`.
    pub const fn linear(count: u64, local_size: u32) -> Groups {
        let groups = count.div_ceil(local_size as u64);
        let rows = if groups == 0 { 1 } else { groups.div_ceil(MAX_GROUPS as u64) };
        Groups::Direct([groups.div_ceil(rows) as u32, rows as u32, 1])
    }
}

/// Push constants of a dispatch: up to 32 words in the layout of the executor's push fields.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct PushConstants {
    words: [u32; 32],
    count: u8,
}

impl PushConstants {
    /// No push constants.
    pub const NONE: PushConstants = PushConstants { words: [0; 32], count: 0 };

    /// Returns the words of a `#[repr(C)]` struct of 4-byte members that lists the push fields in order.
    ///
    /// # Panics
    /// If `value` has more than 128 bytes or is not a whole number of words.
    pub fn of<T: bytemuck::Pod>(value: &T) -> PushConstants {
        let bytes = bytemuck::bytes_of(value);
        assert!(bytes.len() <= 128 && bytes.len().is_multiple_of(4), "push constants are at most 32 words");
        let mut words = [0; 32];
        bytemuck::cast_slice_mut::<u32, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        PushConstants { words, count: (bytes.len() / 4) as u8 }
    }

    /// Returns the constants with one more word.
    ///
    /// # Panics
    /// If there are 32 words already.
    #[must_use]
    pub const fn uint(mut self, value: u32) -> PushConstants {
        self.words[self.count as usize] = value;
        self.count += 1;
        self
    }

    /// Returns the constants with one more float.
    ///
    /// # Panics
    /// If there are 32 words already.
    #[must_use]
    pub const fn float(self, value: f32) -> PushConstants {
        self.uint(value.to_bits())
    }

    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.words[..usize::from(self.count)]
    }
}

/// One step of a recording.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Runs a stage.
    Dispatch {
        /// Stage to run.
        stage: StageId,
        /// Workgroups.
        groups: Groups,
        /// Push constants.
        push: PushConstants,
    },
    /// Sets every word of an attribute.
    Fill {
        /// Attribute to fill.
        attribute: AttributeId,
        /// Bits of each 4-byte word.
        value: u32,
    },
    /// Copies the first `bytes` of an attribute to the start of another.
    Copy {
        /// Source.
        from: AttributeId,
        /// Destination; another attribute.
        to: AttributeId,
        /// Size in bytes, a multiple of 4.
        bytes: u64,
    },
}

/// A list of commands. Order is execution order; barriers are derived ([`plan`](crate::plan)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The commands.
    pub commands: Vec<Command>,
}

impl Recording {
    /// Creates an empty recording.
    pub fn new() -> Recording {
        Recording::default()
    }

    /// Appends a dispatch.
    pub fn dispatch(&mut self, stage: StageId, groups: Groups, push: PushConstants) {
        self.commands.push(Command::Dispatch { stage, groups, push });
    }

    /// Appends a fill.
    pub fn fill(&mut self, attribute: AttributeId, value: u32) {
        self.commands.push(Command::Fill { attribute, value });
    }

    /// Appends a copy.
    pub fn copy(&mut self, from: AttributeId, to: AttributeId, bytes: u64) {
        self.commands.push(Command::Copy { from, to, bytes });
    }

    /// Returns the recording as text, one line per command with the attributes that it reads and writes, by name.
    pub fn listing<'a>(
        &'a self,
        table: &'a [Attribute],
        stages: &'a [StageDeclaration],
    ) -> impl fmt::Display + 'a {
        Listing { recording: self, table, stages, plan: None }
    }
}

/// One line per command, with indices instead of names. [`Recording::listing`] has names.
impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Listing { recording: self, table: &[], stages: &[], plan: None })
    }
}

/// A recording as text, optionally with its barriers.
pub(crate) struct Listing<'a> {
    pub(crate) recording: &'a Recording,
    pub(crate) table: &'a [Attribute],
    pub(crate) stages: &'a [StageDeclaration],
    pub(crate) plan: Option<&'a Plan>,
}

impl Listing<'_> {
    fn attribute(&self, id: AttributeId) -> String {
        self.table.get(usize::from(id.0)).map_or_else(|| format!("#{}", id.0), |row| row.name.to_owned())
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, command) in self.recording.commands.iter().enumerate() {
            if let Some(Some(barrier)) = self.plan.map(|plan| &plan.barriers[index]) {
                let reasons: Vec<String> = barrier
                    .hazards
                    .iter()
                    .map(|hazard| format!("{} ({})", self.attribute(hazard.attribute), hazard.kind))
                    .collect();
                writeln!(f, "barrier {} -> {}: {}", barrier.from, barrier.to, reasons.join(", "))?;
            }
            match command {
                Command::Dispatch { stage, groups, push } => self.dispatch(f, *stage, groups, push)?,
                Command::Fill { attribute, value } => {
                    writeln!(f, "fill {} with {value:#x}", self.attribute(*attribute))?;
                }
                Command::Copy { from, to, bytes } => {
                    writeln!(f, "copy {} to {}, {bytes} bytes", self.attribute(*from), self.attribute(*to))?;
                }
            }
        }
        Ok(())
    }
}

impl Listing<'_> {
    fn dispatch(
        &self,
        f: &mut fmt::Formatter<'_>,
        stage: StageId,
        groups: &Groups,
        push: &PushConstants,
    ) -> fmt::Result {
        let declaration = self.stages.get(usize::from(stage.0));
        match declaration {
            Some(declaration) => write!(f, "dispatch {}", declaration.name)?,
            None => write!(f, "dispatch stage {}", stage.0)?,
        }
        match groups {
            Groups::Direct([x, y, z]) => write!(f, " [{x} {y} {z}]")?,
            Groups::Indirect { attribute, offset } => {
                write!(f, " [{} + {offset}]", self.attribute(*attribute))?
            }
        }
        if !push.words().is_empty() {
            write!(f, " push {}", push.words().len())?;
        }
        for label in ["reads", "writes"] {
            let names: Vec<String> = declaration
                .into_iter()
                .flat_map(|declaration| declaration.accesses)
                .filter(|(_, access)| if label == "reads" { access.reads() } else { access.writes() })
                .map(|(id, _)| self.attribute(*id))
                .collect();
            if !names.is_empty() {
                write!(f, " {label} {}", names.join(" "))?;
            }
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::{Element, Memory};
    use crate::stage::Access;

    #[test]
    fn linear_groups_cover_the_count_within_the_limit() {
        assert_eq!(Groups::linear(0, 64), Groups::Direct([0, 1, 1]));
        assert_eq!(Groups::linear(1, 64), Groups::Direct([1, 1, 1]));
        assert_eq!(Groups::linear(65, 64), Groups::Direct([2, 1, 1]));
        assert_eq!(Groups::linear(65_535, 1), Groups::Direct([65_535, 1, 1]));
        assert_eq!(Groups::linear(65_536, 1), Groups::Direct([32_768, 2, 1]));
        for count in [65_537u64, 10_000_019, 4_000_000_000] {
            for local in [1, 8, 64, 1024] {
                let Groups::Direct([x, y, 1]) = Groups::linear(count, local) else { panic!() };
                let (x, y, local) = (u64::from(x), u64::from(y), u64::from(local));
                assert!(x <= 65_535 && y <= 65_535, "{x} {y}");
                assert!(x * y * local >= count && x * y < count.div_ceil(local) + y);
            }
        }
    }

    #[test]
    fn push_constants_keep_the_order_of_words() {
        let built = PushConstants::NONE.uint(3).float(1.5).uint(4);
        assert_eq!(built.words(), [3, 1.5f32.to_bits(), 4]);
        assert_eq!(PushConstants::of(&[3, 1.5f32.to_bits(), 4]), built);
        assert!(PushConstants::NONE.words().is_empty());
    }

    #[test]
    fn listings_name_stages_attributes_and_barriers() {
        const fn row(name: &'static str) -> Attribute {
            Attribute { name, aliases: &[], element: Element::Uint, memory: Memory::Device, help: "" }
        }
        let table = [row("key"), row("order")];
        let stages = [StageDeclaration {
            name: "sort",
            shader: "sort.comp",
            accesses: &[(AttributeId(0), Access::ReadWrite), (AttributeId(1), Access::Write)],
            indirect: None,
        }];
        let mut recording = Recording::new();
        recording.fill(AttributeId(0), 255);
        recording.dispatch(StageId(0), Groups::Direct([4, 1, 1]), PushConstants::NONE.uint(1));
        recording.copy(AttributeId(0), AttributeId(1), 16);
        recording.dispatch(
            StageId(0),
            Groups::Indirect { attribute: AttributeId(1), offset: 8 },
            PushConstants::NONE,
        );
        assert_eq!(
            recording.listing(&table, &stages).to_string(),
            "fill key with 0xff\n\
             dispatch sort [4 1 1] push 1 reads key writes key order\n\
             copy key to order, 16 bytes\n\
             dispatch sort [order + 8] reads key writes key order\n"
        );
        let plan = crate::plan::plan(&stages, &recording);
        let text = plan.listing(&recording, &table, &stages).to_string();
        assert_eq!(
            text.lines().nth(1),
            Some("barrier transfer -> compute: key (read after write)"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 7, "{text}");
        assert_eq!(recording.to_string().lines().next_back(), Some("dispatch stage 0 [#1 + 8]"));
    }
}
