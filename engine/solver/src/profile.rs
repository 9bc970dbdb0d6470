//! Cost of substeps on the device.

use tuff_gpu::{Access, AttributeId, Command, Groups, Recording, StageTime};
use tuff_problem::profile::{DispatchProfile, Part, Spread};
use tuff_scene::SolverSettings;

use crate::attributes::*;
use crate::constants::*;
use crate::list::List;
use crate::stages::{Launch, Stage};

/// Number of lanes that share a cell in the neighbor search.
const SEARCH_LANES: u64 = 8;

/// Counts from the sorted arrays of a substep: `lists` of every particle, `cell_start` of every cell and the total, `color_count`,
/// and the occupied cells listed by color.
pub(crate) fn spread(lists: &[[u32; 2]], cell_start: &[u32], color_count: &[u32], colored: &[u32]) -> Spread {
    let size = |cell: usize| cell_start[cell + 1] - cell_start[cell];
    let cells = cell_start.len() - 1;
    let of_color = |(color, &count): (usize, &u32)| {
        let first = color * (cells / COLORS as usize);
        colored[first..first + count as usize].iter().map(|&cell| u64::from(size(cell as usize))).sum()
    };
    let color_cells = color_count[..COLORS as usize].to_vec();
    Spread {
        neighbors: lists.iter().map(|&list| List::from(list).count as u32).collect(),
        cell_particles: (0..cells).map(size).filter(|&count| count > 0).collect(),
        color_particles: color_cells.iter().enumerate().map(of_color).collect(),
        color_cells,
    }
}

/// Work of the device in one substep: the counts that determine the sizes of dispatches and attributes.
pub(crate) struct Work<'a> {
    /// Numbers of live elements.
    pub sizes: Sizes,
    /// Number of occupied cells of each color, and of all.
    pub color_count: &'a [u32],
    /// Number of invocations that share a cell in a sweep.
    pub lanes: u32,
    /// Number of invocations that share a tile in a sum.
    pub sharers: u32,
    /// Settings of the scene.
    pub settings: &'a SolverSettings,
    /// Failure bits.
    pub failed: u32,
    /// Number of iterations that ran, whether or not the substep was committed.
    pub iterations: u32,
}

impl Work<'_> {
    /// Returns the timed dispatches of a recording of one substep; `end`: time from the start of the substep to the end of the
    /// submission [s].
    pub fn dispatches(&self, recording: &Recording, times: &[StageTime], end: f64) -> Vec<DispatchProfile> {
        let recorded = recording.commands.iter().filter_map(|command| match command {
            Command::Dispatch { stage, groups, .. } => Stage::of(*stage).map(|stage| (stage, groups)),
            Command::Fill { .. } | Command::Copy { .. } => None,
        });
        let length = times.last().map_or(0.0, |last| (last.start + last.ns) as f64 * 1e-9);
        let (mut iteration, mut plans, mut smoothing) = (0, 0, false);
        let profile = |((stage, groups), time): ((Stage, &Groups), &StageTime)| {
            plans += u32::from(stage == Stage::NewtonPlan);
            // The first one opens the solve.
            iteration +=
                u32::from(stage == Stage::CountIteration || (stage == Stage::NewtonPlan && plans > 1));
            smoothing = (smoothing || stage == Stage::SmoothVelocity)
                && !matches!(stage, Stage::Commit | Stage::CommitGrains);
            let (threads, share) = self.threads(stage, groups, iteration, plans > 0);
            DispatchProfile {
                stage: stage.declaration().name,
                // Stages between the smoothing and the commit belong to the smoothing.
                part: if smoothing { Part::Xsph } else { stage.facts().part },
                start: (end - length).max(0.0) + time.start as f64 * 1e-9,
                seconds: time.ns as f64 * 1e-9,
                threads,
                bytes: if threads > 0 { (share * self.bytes(stage) as f64).round() as u64 } else { 0 },
            }
        };
        recorded.zip(times).map(profile).collect()
    }

    /// Returns the number of invocations with work, and the share of the stage's elements that they touch.
    fn threads(&self, stage: Stage, groups: &Groups, iteration: u32, newton: bool) -> (u64, f64) {
        let Sizes { particles, cells, mesh_points, patch_points, patch_triangles, .. } = self.sizes;
        let deforming = [mesh_points, patch_points, patch_triangles];
        let occupied = u64::from(self.color_count[COLORS as usize]);
        let tiles = particles.div_ceil(u64::from(TILE));
        let Groups::Indirect { offset, .. } = groups else {
            let threads = match stage.facts().launch {
                Launch::One(group) => group.into(),
                Launch::Over(count, _) => {
                    let bodies = [self.sizes.rigid as u32, self.sizes.modes as u32];
                    let parts = (self.sizes.sheet_edges + self.sizes.sheet_triangles) as u32;
                    count
                        .of(cells as u32, particles as u32, deforming.map(|n| n as u32), bodies, parts)
                        .into()
                }
                Launch::Sized(_) | Launch::Iterated | Launch::Colors(_) => {
                    unreachable!("sized by the device")
                }
                Launch::Levels(_) => {
                    let level = self.sizes.refit_nodes / (self.sizes.refit_levels - 1).max(1);
                    return (level, 1.0 / (self.sizes.refit_levels - 1).max(1) as f64);
                }
                Launch::TotalColors(_) => {
                    let ran = self.iterations >= iteration && self.failed == 0;
                    let share = self.sizes.total as f64 / (particles.max(1) * u64::from(COLORS)) as f64;
                    return if ran { (self.sizes.total_cells / u64::from(COLORS), share) } else { (0, 0.0) };
                }
                Launch::Links(_) => {
                    let ran = self.iterations >= iteration && self.failed == 0;
                    let links = self.sizes.links / self.sizes.link_colors.max(1);
                    let share = (2 * links) as f64 / particles.max(1) as f64;
                    return if ran { (links, share.min(1.0)) } else { (0, 0.0) };
                }
            };
            return (threads, 1.0);
        };
        // The device empties the stages after lists that did not fit, and iterations after convergence.
        let listed = self.failed & (FAILED_PAIRS | FAILED_LIST) == 0;
        let solved = self.failed & (FAILED_PASSES | FAILED_UNBALANCED) == 0;
        let solving = listed && (solved || iteration <= self.iterations);
        let iterating = solving && iteration <= self.iterations;
        let color = |first: u32, entry: u32, lanes: u32| {
            let count = self.color_count[(entry - first) as usize];
            (u64::from(count * lanes), f64::from(count) / occupied.max(1) as f64)
        };
        match (offset / 16) as u32 {
            ARGUMENTS_PARTICLES => (particles, 1.0),
            // The position correction follows the passes.
            entry @ ARGUMENTS_COLORS..ARGUMENTS_RESIDUAL
                if solving && newton && stage == Stage::SolveContacts =>
            {
                color(ARGUMENTS_COLORS, entry, self.lanes)
            }
            ARGUMENTS_SUMS if iterating => (tiles * u64::from(self.sharers), 1.0),
            ARGUMENTS_TILES => (tiles, 1.0),
            ARGUMENTS_SEARCH => (SEARCH_LANES * occupied, 1.0),
            ARGUMENTS_CELLS => (occupied, 1.0),
            ARGUMENTS_MEETINGS if iterating => (self.sizes.meetings, 1.0),
            ARGUMENTS_SOLVE if solving => (particles, 1.0),
            ARGUMENTS_ITERATE if iterating => (particles, 1.0),
            entry @ ARGUMENTS_COLORS..ARGUMENTS_RESIDUAL if iterating => {
                color(ARGUMENTS_COLORS, entry, self.lanes)
            }
            entry @ ARGUMENTS_RESIDUAL..ARGUMENTS_CELLS if iterating => color(ARGUMENTS_RESIDUAL, entry, 1),
            _ => (0, 0.0),
        }
    }

    /// Returns the declared traffic of a stage over all colors [bytes].
    fn bytes(&self, stage: Stage) -> u64 {
        let idle = (stage.facts().idle)(self.settings);
        let of_links: &[_] = if self.sizes.links == 0 { stage.facts().of_links } else { &[] };
        let unused = [idle, of_links, stage.facts().of_few];
        let used = |access: &&(AttributeId, Access)| !unused.iter().any(|list| list.contains(&access.0));
        let traffic = |&(id, access): &(AttributeId, Access)| {
            let times = u64::from(access.reads()) + u64::from(access.writes());
            times * TABLE[usize::from(id.0)].element.bytes() * self.live(id)
        };
        stage.declaration().accesses.iter().filter(used).map(traffic).sum()
    }

    /// Returns the number of elements of an attribute in use.
    fn live(&self, id: AttributeId) -> u64 {
        match id {
            OCCUPIED_CELL | COLORED_CELL => u64::from(self.color_count[COLORS as usize]),
            _ => self.sizes.used(EXTENTS[usize::from(id.0)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_are_spread_over_cells_and_colors() {
        // 54 cells, two for each color's list; cell 5 holds 3 particles and cell 40 one.
        let mut start = vec![0; 55];
        start[6..=40].fill(3);
        start[41..].fill(4);
        let mut color_count = vec![0; COLORS as usize + 1];
        (color_count[2], color_count[7], color_count[27]) = (1, 1, 2);
        let mut colored = vec![0; 54];
        (colored[4], colored[14]) = (40, 5);
        // Counts are in the low half; the last particle has 2 near candidates.
        let range = [[0, 2], [2, 2], [4, 2], [6, 6 | 2 << 16]];
        let spread = spread(&range, &start, &color_count, &colored);
        assert_eq!(spread.neighbors, [2, 2, 2, 6]);
        assert_eq!(spread.cell_particles, [3, 1]);
        assert_eq!((spread.color_cells[2], spread.color_particles[2]), (1, 1));
        assert_eq!((spread.color_cells[7], spread.color_particles[7]), (1, 3));
        assert_eq!(spread.color_particles.iter().sum::<u64>(), 4);
    }
}
