//! What goes on between a simulation and whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Asks a simulation to end, and says how far it is within a frame. Shared between threads.
#[derive(Debug, Default)]
pub struct Control {
    cancel: Arc<AtomicBool>,
    /// Bits of the time [s].
    time: AtomicU64,
    substeps: AtomicU32,
}

impl Control {
    /// A simulation ends soon after `cancel` becomes true.
    pub fn new(cancel: Arc<AtomicBool>) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Whether the simulation is to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Within its frame the simulation has come to `time` [s after the frame's start], by that many substeps.
    pub fn reach(&self, time: f64, substeps: u32) {
        self.time.store(time.to_bits(), Ordering::Relaxed);
        self.substeps.store(substeps, Ordering::Relaxed);
    }

    /// What was reached last: time [s after the frame's start] and substeps, those of attempts that were taken back left out.
    pub fn reached(&self) -> (f64, u32) {
        (f64::from_bits(self.time.load(Ordering::Relaxed)), self.substeps.load(Ordering::Relaxed))
    }
}
