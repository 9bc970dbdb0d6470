//! Bitwise copies of the committed state on the host.

use tuff_gpu::GpuError;
use tuff_problem::{Column, Grid, SimulationError, SolverState};

use super::{GpuSolver, failed};
use crate::attributes::{KEPT, Kept, TABLE};
use crate::setup;

/// Name of the column that does not belong to particles: cell edge [m], as bits, and number of cells along each axis.
const GRID: &str = "grid";

impl GpuSolver {
    /// Returns the committed state: 128 bytes per particle, 16 for each word of history, 48 for the deformation gradient if frames
    /// show it, and 16 with Newton's scheme.
    pub(super) fn saved(&self) -> Result<SolverState, GpuError> {
        let column = |(kept, words): (&Kept, usize)| -> Result<Column, GpuError> {
            Ok(Column::new(name(kept), self.store.download(kept.committed, words)?))
        };
        let mut columns = self.kept_words().map(column).collect::<Result<Vec<_>, _>>()?;
        let [x, y, z] = self.grid.size;
        columns.push(Column::new(GRID, vec![self.grid.edge.to_bits(), x, y, z]));
        Ok(SolverState { columns })
    }

    /// Commits a saved state.
    pub(super) fn take_back(&mut self, state: &SolverState) -> Result<(), SimulationError> {
        let columns =
            self.kept_words().map(|(kept, words)| Ok((kept.committed, state.words(name(kept), words)?)));
        // An incomplete state must not overwrite anything.
        let columns = columns.collect::<Result<Vec<_>, SimulationError>>()?;
        let grid = state.words(GRID, 4)?;
        for (id, words) in columns {
            self.store.upload(id, words).map_err(failed)?;
        }
        self.grid = Grid { edge: f32::from_bits(grid[0]), size: [grid[1], grid[2], grid[3]] };
        Ok(())
    }

    /// Returns the kept attributes of this problem, each with its number of words.
    fn kept_words(&self) -> impl Iterator<Item = (&'static Kept, usize)> + use<> {
        let sizes = setup::sizes(&self.problem, 0);
        KEPT.iter().map(move |kept| {
            let bytes = sizes.used(kept.extent) * TABLE[usize::from(kept.committed.0)].element.bytes();
            (kept, bytes as usize / size_of::<u32>())
        })
    }
}

fn name(kept: &Kept) -> &'static str {
    TABLE[usize::from(kept.sorted.0)].name
}
