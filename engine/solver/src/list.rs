//! The list of a particle's neighbors among the pair records (shaders/include/neighborhood.glsl).

use crate::constants::MOST_NEIGHBORS;

/// A row of `neighbor_range`, unpacked: a list takes every `stride`-th record from the first on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    /// Index of the first record.
    pub first: usize,
    /// Distance of its records: the number of lists that are interleaved.
    pub stride: usize,
    /// Number of neighbors.
    pub count: usize,
    /// Number of neighbors that may touch the particle; they come first.
    pub near: usize,
}

impl List {
    /// Returns the indices of the records.
    pub fn records(self) -> impl ExactSizeIterator<Item = usize> + Clone {
        (0..self.count).map(move |k| self.first + k * self.stride)
    }

    /// Returns the number of records that have to be downloaded to read these lists.
    pub fn extent(lists: &[Self]) -> usize {
        lists.iter().filter_map(|list| list.records().last()).max().map_or(0, |last| last + 1)
    }
}

impl From<[u32; 2]> for List {
    fn from([first, packed]: [u32; 2]) -> Self {
        let count = |word: u32| (word & MOST_NEIGHBORS) as usize;
        Self {
            first: first as usize,
            stride: (packed >> 28) as usize + 1,
            count: count(packed),
            near: count(packed >> 14),
        }
    }
}
