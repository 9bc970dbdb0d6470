//! The committed state on the host, to the bit.

use tuff_gpu::GpuError;
use tuff_problem::{Column, Grid, SimulationError, SolverState};

use super::{GpuSolver, failed};
use crate::attributes::{KEPT, Kept, TABLE};
use crate::setup;

/// The column that is not of particles: edge of a cell [m], as bits, and cells along each axis.
const GRID: &str = "grid";

impl GpuSolver {
    /// The committed state: 128 bytes per particle, 16 for each word of history, and 16 with Newton's scheme.
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
        // Nothing is overwritten by a state that is not whole.
        let columns = columns.collect::<Result<Vec<_>, SimulationError>>()?;
        let grid = state.words(GRID, 4)?;
        for (id, words) in columns {
            self.store.upload(id, words).map_err(failed)?;
        }
        self.grid = Grid { edge: f32::from_bits(grid[0]), size: [grid[1], grid[2], grid[3]] };
        Ok(())
    }

    /// What particles keep of this problem, and how many words that is.
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
