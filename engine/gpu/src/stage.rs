//! Stages: one named shader with the attributes that it reads and writes.

use crate::attributes::AttributeId;

/// Access of a stage to an attribute. Shaders that access it otherwise do not compile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Write only.
    Write,
    /// Read and write, atomics included.
    ReadWrite,
    /// Read and write, and invocations see what others have written before a barrier that they share.
    Coherent,
}

impl Access {
    /// Returns true if the stage may read the attribute.
    pub fn reads(self) -> bool {
        self != Access::Write
    }

    /// Returns true if the stage may write the attribute.
    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

/// A stage: name, shader and declared accesses.
#[derive(Copy, Clone, Debug)]
pub struct StageDeclaration {
    /// Name in listings, timings, debug labels and errors.
    pub name: &'static str,
    /// Path under `shaders/`, such as `stages/sort.comp`, or the name of a virtual source.
    pub shader: &'static str,
    /// Attributes that the shader may use. Each at most once.
    pub accesses: &'static [(AttributeId, Access)],
    /// Attribute that holds the workgroup counts (three `uint`) if the stage is dispatched indirectly.
    pub indirect: Option<AttributeId>,
}

/// Compile-time inputs of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specialization {
    /// Specialization constants: (constant_id, bits of the value).
    pub constants: Vec<(u32, u32)>,
    /// Virtual files for `#include` (and for [`StageDeclaration::shader`]): name, text. They take precedence over files on disk.
    pub sources: Vec<(String, String)>,
    /// Macros: name, value.
    pub defines: Vec<(String, String)>,
}
