//! Frames to return to: the committed state, on the host, to the bit.

use tuff_gpu::GpuError;
use tuff_problem::{Counters, Grid};

use super::GpuSimulation;
use crate::attributes::{KEPT, Kept};
use crate::setup;

/// A state to return to: 128 bytes of host memory per particle, 16 for each word of history, and 16 with Newton's scheme.
pub(super) struct State {
    /// In the order of [`KEPT`].
    committed: Vec<Vec<[u32; 4]>>,
    grid: Grid,
    frame: u32,
    last_frame: Option<Counters>,
}

impl GpuSimulation {
    /// The committed state, to return to.
    pub(super) fn kept_now(&self) -> Result<State, GpuError> {
        let sizes = setup::sizes(&self.problem, 0);
        let download = |kept: &Kept| self.store.download(kept.committed, sizes.used(kept.extent) as usize);
        Ok(State {
            committed: KEPT.iter().map(download).collect::<Result<_, _>>()?,
            grid: self.grid,
            frame: self.frame,
            last_frame: self.last_frame,
        })
    }

    /// Commits a kept state again.
    pub(super) fn return_to(&mut self, kept: &State) -> Result<(), GpuError> {
        for (of, rows) in KEPT.iter().zip(&kept.committed) {
            self.store.upload(of.committed, rows)?;
        }
        self.grid = kept.grid;
        self.frame = kept.frame;
        self.last_frame = kept.last_frame;
        Ok(())
    }
}
