//! Bitwise copies of the committed state on the host.

use std::sync::Arc;

use tuff_gpu::{AttributeId, GpuError};
use tuff_problem::{
    Column, Grid, Problem, SimulationError, SolverState, broken_column, broken_pairs, renumbered,
};
use tuff_rigid::Bodies;

use super::{GpuSolver, failed};
use crate::attributes::{COMMITTED_IDENTITY, COMMITTED_POSITION, KEPT, Kept, Start, TABLE};
use crate::setup;
use crate::transfer::{by_id, upload_linked_places, upload_total};

/// Name of the column that does not belong to particles: cell edge [m], as bits, and number of cells along each axis.
const GRID: &str = "grid";
/// Name of the column of triangles of cloth that have torn.
const TORN: &str = "torn";
/// Name of the column of rigid bodies.
const RIGID_BODIES: &str = "rigid";

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
        if !self.rigid.is_empty() {
            columns.push(Column::new(RIGID_BODIES, bytemuck::pod_collect_to_vec(&self.rigid.saved())));
        }
        columns.extend(broken_column(&self.broken));
        if !self.torn.is_empty() {
            columns.push(Column::new(TORN, self.torn.clone()));
        }
        Ok(SolverState { columns })
    }

    /// Commits a saved state.
    pub(super) fn take_back(&mut self, state: &SolverState) -> Result<(), SimulationError> {
        let columns =
            self.kept_words().map(|(kept, words)| Ok((kept.committed, state.words(name(kept), words)?)));
        // An incomplete state must not overwrite anything.
        let columns = columns.collect::<Result<Vec<_>, SimulationError>>()?;
        let grid = state.words(GRID, 4)?;
        let rigid: Vec<f64> = match self.rigid.len() {
            0 => Vec::new(),
            bodies => bytemuck::pod_collect_to_vec(state.words(RIGID_BODIES, 2 * Bodies::SAVED * bodies)?),
        };
        let broken = broken_pairs(state)?;
        let torn = match self.torn.len() {
            0 => Vec::new(),
            triangles => state.words(TORN, triangles)?.to_vec(),
        };
        for (id, words) in columns {
            self.store.upload(id, words).map_err(failed)?;
        }
        self.break_anew(broken).map_err(failed)?;
        self.tear_anew(torn).map_err(failed)?;
        self.rigid.restore(&rigid);
        self.grid = Grid { edge: f32::from_bits(grid[0]), size: [grid[1], grid[2], grid[3]] };
        Ok(())
    }

    /// Replaces the particles: those with the ids `kept` come first and keep their state, the others of `problem` are at rest.
    pub(super) fn populated(&mut self, problem: &Problem, kept: &[u32]) -> Result<(), GpuError> {
        let before = setup::sizes(&self.problem, 0);
        let identity: Vec<[u32; 4]> =
            self.store.download(COMMITTED_IDENTITY, self.problem.particle_count())?;
        let place = by_id(&identity);
        let download = |attribute: &Kept| {
            self.store.download::<[u32; 4]>(attribute.committed, before.used(attribute.extent) as usize)
        };
        let old = KEPT.iter().map(download).collect::<Result<Vec<_>, _>>()?;
        let old_total = std::mem::replace(&mut self.problem, problem.clone()).total;
        let sizes = setup::sizes(problem, 0);
        for (index, &needed) in sizes.counts().iter().enumerate() {
            let id = AttributeId(index as u16);
            if needed > self.store.count(id) {
                self.store.resize(id, needed + needed / 2)?;
            }
        }
        let start = Start::new(problem);
        for (attribute, old) in KEPT.iter().zip(old) {
            let of_each = (sizes.used(attribute.extent) / sizes.particles.max(1)) as usize;
            let mut new: Vec<[u32; 4]> = Vec::with_capacity(sizes.used(attribute.extent) as usize);
            for &id in kept {
                let first = place[id as usize] * of_each;
                new.extend(&old[first..first + of_each]);
            }
            new.extend(
                (new.len()..sizes.used(attribute.extent) as usize).map(|i| (attribute.first)(&start, i)),
            );
            if attribute.committed == COMMITTED_IDENTITY {
                new.iter_mut().zip(0..).for_each(|(row, id)| row[0] = id);
            }
            self.store.upload(attribute.committed, &new)?;
        }
        let position: Vec<[f32; 4]> = self.store.download(COMMITTED_POSITION, problem.particle_count())?;
        let (min, max) = tuff_problem::bounds(position.iter().map(|&[x, y, z, _]| [x, y, z].map(f64::from)));
        self.grid = problem.grid(min, max);
        self.sorted = None;
        upload_linked_places(&problem.links, &mut self.store)?;
        if *old_total != *problem.total {
            self.total = Arc::clone(&problem.total);
            upload_total(&self.total, &mut self.store)?;
            self.break_anew(renumbered(&self.broken, kept))?;
        }
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
