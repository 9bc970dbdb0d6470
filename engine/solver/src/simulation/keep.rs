//! Frames to return to: the committed state, on the host, to the bit.

use tuff_gpu::{AttributeId, GpuError};
use tuff_problem::{Counters, Grid};

use super::GpuSimulation;
use crate::attributes::*;
use crate::materials::History;
use crate::setup;

/// The state between two substeps with what a particle has one element of.
pub(super) const COMMITTED: [AttributeId; 8] = [
    COMMITTED_POSITION,
    COMMITTED_POSITION_LOW,
    COMMITTED_VELOCITY,
    COMMITTED_STRAIN_DIAGONAL,
    COMMITTED_STRAIN_SHEAR,
    COMMITTED_MEMORY,
    COMMITTED_STATE,
    COMMITTED_IDENTITY,
];

/// A state to return to: 128 bytes of host memory per particle, 16 for each word of history, and 16 with Newton's scheme.
pub(super) struct Kept {
    committed: Vec<Vec<[u32; 4]>>,
    history: Vec<[u32; 4]>,
    internal_acceleration: Vec<[u32; 4]>,
    grid: Grid,
    frame: u32,
    last_frame: Option<Counters>,
}

impl GpuSimulation {
    /// The committed state, to return to.
    pub(super) fn kept_now(&self) -> Result<Kept, GpuError> {
        let count = self.problem.particle_count();
        let newton = setup::newton_particles(&self.problem) as usize;
        let words = History::of(&self.problem).words() as usize;
        Ok(Kept {
            committed: COMMITTED
                .iter()
                .map(|&id| self.store.download(id, count))
                .collect::<Result<_, _>>()?,
            history: self.store.download(COMMITTED_HISTORY, count * words)?,
            internal_acceleration: self.store.download(COMMITTED_INTERNAL_ACCELERATION, newton)?,
            grid: self.grid,
            frame: self.frame,
            last_frame: self.last_frame,
        })
    }

    /// Commits a kept state again.
    pub(super) fn return_to(&mut self, kept: &Kept) -> Result<(), GpuError> {
        for (&id, rows) in COMMITTED.iter().zip(&kept.committed) {
            self.store.upload(id, rows)?;
        }
        self.store.upload(COMMITTED_HISTORY, &kept.history)?;
        self.store.upload(COMMITTED_INTERNAL_ACCELERATION, &kept.internal_acceleration)?;
        self.grid = kept.grid;
        self.frame = kept.frame;
        self.last_frame = kept.last_frame;
        Ok(())
    }
}
