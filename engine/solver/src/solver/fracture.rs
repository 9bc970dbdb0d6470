//! Pairs of total bodies that break and triangles of cloth that tear: the device ends a batch when one of them is stretched too far, the host
//! takes it out.

use std::sync::Arc;

use glam::DVec3;
use tuff_gpu::GpuError;
use tuff_problem::{BrokenPair, FrameReport};

use super::GpuSolver;
use crate::attributes::COMMITTED_IDENTITY;
use crate::sheets::upload_parts;
use crate::transfer::{by_id, positions, upload_links, upload_pairs};

impl GpuSolver {
    /// Takes out what is stretched further than it bears in the committed state.
    pub(super) fn fracture(&mut self, report: &mut FrameReport) -> Result<(), GpuError> {
        let identity: Vec<[u32; 4]> =
            self.store.download(COMMITTED_IDENTITY, self.problem.particle_count())?;
        let position = positions(&self.store, &by_id(&identity))?;
        let at = |id: u32| DVec3::from(position[id as usize]);
        let broken = if self.total.may_break() { self.total.overstretched(at) } else { Vec::new() };
        if !broken.is_empty() {
            report.counters.fractured += broken.len() as u64;
            Arc::make_mut(&mut self.total).break_pairs(&broken);
            self.broken.extend(broken);
            upload_pairs(&self.total, &mut self.store)?;
        }
        if self.torn.is_empty() {
            return Ok(());
        }
        let torn = self.problem.links.overstretched(&self.torn, at);
        report.counters.torn += torn.len() as u64;
        torn.iter().for_each(|&triangle| self.torn[triangle as usize] = 1);
        if torn.is_empty() { Ok(()) } else { self.upload_cloth() }
    }

    /// Takes pairs out of those of the whole bodies.
    pub(super) fn break_anew(&mut self, broken: Vec<BrokenPair>) -> Result<(), GpuError> {
        let before = Arc::clone(&self.total);
        self.total = match &*broken {
            [] => Arc::clone(&self.problem.total),
            broken => Arc::new(self.problem.total.without(broken)),
        };
        self.broken = broken;
        if Arc::ptr_eq(&before, &self.total) { Ok(()) } else { upload_pairs(&self.total, &mut self.store) }
    }

    /// Sets which triangles of cloth have torn.
    pub(super) fn tear_anew(&mut self, torn: Vec<u32>) -> Result<(), GpuError> {
        if torn == self.torn {
            return Ok(());
        }
        self.torn = torn;
        self.upload_cloth()
    }

    fn upload_cloth(&mut self) -> Result<(), GpuError> {
        upload_links(&self.problem.links, &self.torn, &mut self.store)?;
        upload_parts(&self.problem, &self.torn, &mut self.store)
    }
}
