//! The executor: compiled stages over a store.
use crate::device::Device;
use crate::error::{GpuError, Result};
use crate::layout::PushField;
use crate::recording::{Recording, StageId};
use crate::stage::{Specialization, StageDeclaration};
use crate::store::Store;
use std::sync::Arc;
use std::time::Duration;

/// What all stages of an executor share.
#[derive(Copy, Clone, Debug, Default)]
pub struct ExecutorOptions {
    /// Members of the push constant block; at most 128 bytes.
    pub push: &'static [PushField],
}

/// How a recording is run.
#[derive(Copy, Clone, Debug, Default)]
pub struct RunOptions {
    /// Measure the device time of every command.
    pub timestamps: bool,
}

/// Device time of one dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// Which stage.
    pub stage: StageId,
    /// Begin, since the begin of the run [ns].
    pub start: u64,
    /// Duration [ns].
    pub ns: u64,
}

/// What a run took.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// Each dispatch in order, when timestamps were asked for (and the device has them).
    pub stages: Vec<StageTime>,
    /// Wall time from the call to the end of the device's work.
    pub wall: Duration,
}

/// Compiled stages over a store.
pub struct Executor {
    stages: Vec<StageDeclaration>,
}

impl Executor {
    /// Compiles `stages` for the attributes of `store`. A stage's [`StageId`] is its position.
    pub fn new(
        _device: &Arc<Device>,
        _store: &Store,
        _stages: Vec<(StageDeclaration, Specialization)>,
        _options: ExecutorOptions,
    ) -> Result<Executor> {
        Err(GpuError::Invalid(String::new()))
    }

    /// Records, submits and waits. Follows resized attributes of `store`, which must be the one of [`new`](Executor::new).
    pub fn run(&mut self, _store: &Store, _recording: &Recording, _options: RunOptions) -> Result<RunReport> {
        Err(GpuError::Invalid(String::new()))
    }

    /// The declarations, by [`StageId`].
    pub fn stages(&self) -> &[StageDeclaration] {
        &self.stages
    }
}
