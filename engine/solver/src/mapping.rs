//! Mapping of the work to the lanes of a device.

use tuff_gpu::{DeviceInfo, DeviceKind};

use crate::constants::TILE;

/// Invocations per cell and workgroup sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// Number of invocations that share a cell in a sweep: 1, 8, 16 or 32, at most the subgroup size.
    pub lanes: u32,
    /// Workgroup size of the colored stages.
    pub solve_group: u32,
    /// Workgroup size of the neighbor search, which gives 8 lanes to a cell.
    pub search_group: u32,
    /// Whether a workgroup shares a tile of particles in the sums of a Newton pass; otherwise an invocation takes a whole tile.
    pub shared_tiles: bool,
    /// Number of equal runs of workgroups into which the device divides a dispatch in advance.
    pub shares: u32,
}

impl Mapping {
    /// Chooses the mapping for a device. Software drivers run one invocation per cell, because the eigenvalue solve that a group of
    /// lanes would repeat costs them the full vector; a GPU needs the lanes to fill its width. Software drivers give each thread a run
    /// of workgroups, whereas a GPU starts workgroups as others end. A GPU waits for a chain of loads as long as for a whole pass, so it
    /// gets short chains.
    pub fn choose(device: &DeviceInfo) -> Self {
        if device.kind == DeviceKind::Cpu {
            let shares = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u32);
            Self { lanes: 1, solve_group: 8, search_group: 8, shared_tiles: false, shares }
        } else {
            Self::with_lanes(8)
        }
    }

    /// Returns the mapping with groups of `lanes` invocations per cell.
    pub fn with_lanes(lanes: u32) -> Self {
        Self { lanes, solve_group: 64.max(lanes), search_group: 64, shared_tiles: true, shares: 1 }
    }

    /// Returns the number of invocations that share a tile of particles in the sums of a Newton pass.
    pub fn sharers(&self) -> u32 {
        if self.shared_tiles { TILE } else { 1 }
    }
}
