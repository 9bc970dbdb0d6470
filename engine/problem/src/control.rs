//! Communication between a simulation and whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Asks a simulation to stop and tells how far it has come within a frame. Shared between threads.
#[derive(Debug, Default)]
pub struct Control {
    cancel: Arc<AtomicBool>,
    /// Bits of the time [s].
    time: AtomicU64,
    substeps: AtomicU32,
}

impl Control {
    /// Creates the control of a simulation that stops soon after `cancel` becomes true.
    pub fn new(cancel: Arc<AtomicBool>) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Returns true if the simulation should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Records that the simulation has reached `time` [s after the frame's start] with `substeps` substeps.
    pub fn reach(&self, time: f64, substeps: u32) {
        self.time.store(time.to_bits(), Ordering::Relaxed);
        self.substeps.store(substeps, Ordering::Relaxed);
    }

    /// Returns the time [s after the frame's start] and the substeps last recorded; attempts that were rolled back do not count.
    pub fn reached(&self) -> (f64, u32) {
        (f64::from_bits(self.time.load(Ordering::Relaxed)), self.substeps.load(Ordering::Relaxed))
    }
}
