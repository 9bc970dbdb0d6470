//! Every array that the substep keeps on the device. A row of [`table`] gives the buffer, the number of elements, the
//! shader's macro, its lanes with their units and accessors.
//!
//! What particles [keep](KEPT) has two rows made of one: from it follow the first values, the copies that the sort and a
//! repeated substep make, the contents of a frame that may be repeated and of a checkpoint, and the accesses of the
//! stages that touch all of it.
//!
//! Where the stages of one scheme use an array for something else, its row names that use as well (`or TANGENT_X
//! "tangent_x" ..`): shaders then know the array by either name.

mod first;
mod headers;
mod table;

use tuff_gpu::{Access, AttributeId};

use crate::constants::*;

pub use first::Start;
pub use headers::{kept_header, lanes_header};
pub use table::*;

/// A part of an attribute's elements with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// Its components, as GLSL names them.
    pub at: &'static str,
    /// Its name; shaders read a single component by `NAME_of(element)`.
    pub name: &'static str,
    /// Unit; 1 for numbers without one.
    pub unit: &'static str,
}

/// Bits of the first value of an element of what particles keep, in the order of ids.
pub type First = fn(&Start<'_>, usize) -> [u32; 4];

/// What an attribute has one element of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A particle.
    Particle,
    /// A word of what a particle carries for models of the tensor variant.
    History,
    /// A column of the deformation gradient of a particle, where frames show it.
    Deformation,
    /// A cell of the grid.
    Cell,
    /// A cell and one more, for the total of a prefix sum.
    CellAndTotal,
    /// A tile of cells in their prefix sum.
    ScanTile,
    /// A pair record.
    Pair,
    /// A pair record, where the scheme is Newton's.
    NewtonPair,
    /// A contact that a particle can track.
    Contact,
    /// A tile of particles in a reduction, times the given number of words.
    Tile(u64),
    /// A tile of particles times a face of a collider.
    TileCollider,
    /// A word of the data of colliders' faces over all substeps of a batch.
    ColliderWord,
    /// A word of the pins' data of all substeps of a batch.
    PinWord,
    /// A point of the profiles of revolved colliders.
    ProfilePoint,
    /// A particle, where the scheme is Newton's.
    Newton,
    /// A contact that a particle can track, where the scheme is Newton's.
    NewtonContact,
    /// A linked particle.
    Linked,
    /// A linked particle and one more, for the end of a list.
    LinkedAndTotal,
    /// A link between given particles.
    Link,
    /// A color of links and one more.
    LinkColor,
    /// A link of a particle.
    Incidence,
    /// A body.
    Body,
    /// A fixed number.
    Fixed(u64),
}

/// Numbers that the extents of attributes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Particles.
    pub particles: u64,
    /// Words that a particle carries for models of the tensor variant, 0 to 5.
    pub history: u64,
    /// Columns of deformation gradients: 3 a particle where frames show them, otherwise 0.
    pub deformation: u64,
    /// Cells that fit.
    pub cells: u64,
    /// Pair records that fit.
    pub pairs: u64,
    /// Faces of colliders.
    pub faces: u64,
    /// Pins.
    pub pins: u64,
    /// Substeps of a batch.
    pub batch: u64,
    /// Profile points of all revolved colliders.
    pub profile_points: u64,
    /// Bodies.
    pub bodies: u64,
    /// Linked particles.
    pub linked: u64,
    /// Links between them.
    pub links: u64,
    /// Colors of links.
    pub link_colors: u64,
    /// Links of all particles.
    pub incidences: u64,
    /// Particles where the scheme is Newton's, otherwise 0.
    pub newton: u64,
}

impl Sizes {
    /// Elements of an attribute's buffer: at least one, since empty buffers do not exist.
    pub fn count(&self, extent: Extent) -> u64 {
        self.used(extent).max(1)
    }

    /// Elements of an attribute that hold something.
    pub fn used(&self, extent: Extent) -> u64 {
        let tiles = self.particles.div_ceil(u64::from(TILE));
        match extent {
            Extent::Particle => self.particles,
            Extent::History => self.particles * self.history,
            Extent::Deformation => self.deformation,
            Extent::Cell => self.cells,
            Extent::CellAndTotal => self.cells + 1,
            Extent::ScanTile => self.cells.div_ceil(u64::from(SCAN_TILE)),
            Extent::Pair => self.pairs,
            Extent::NewtonPair => {
                if self.newton > 0 {
                    self.pairs
                } else {
                    0
                }
            }
            Extent::Contact => self.particles * u64::from(CONTACT_SLOTS),
            Extent::Tile(words) => tiles * words,
            Extent::TileCollider => tiles * self.faces,
            Extent::ColliderWord => self.batch * self.faces * u64::from(COLLIDER_WORDS),
            Extent::PinWord => self.batch * self.pins * u64::from(PIN_WORDS),
            Extent::ProfilePoint => self.profile_points,
            Extent::Newton => self.newton,
            Extent::NewtonContact => self.newton * u64::from(CONTACT_SLOTS),
            Extent::Linked => self.linked,
            Extent::LinkedAndTotal => self.linked + 1,
            Extent::Link => self.links,
            Extent::LinkColor => self.link_colors + 1,
            Extent::Incidence => self.incidences,
            Extent::Body => self.bodies,
            Extent::Fixed(count) => count,
        }
    }

    /// Elements of every attribute, in table order.
    pub fn counts(&self) -> Vec<u64> {
        EXTENTS.iter().map(|&extent| self.count(extent)).collect()
    }

    /// Device memory of all attributes [bytes].
    pub fn bytes(&self) -> u64 {
        TABLE.iter().zip(self.counts()).map(|(row, count)| row.element.bytes() * count).sum()
    }
}

/// An attribute that particles keep from substep to substep. It has two arrays: one holds the state between substeps, in the order of
/// the last sort, the other the same sorted by cell for the substep at work.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The array between substeps.
    pub committed: AttributeId,
    /// The sorted array.
    pub sorted: AttributeId,
    /// The sorted array that holds the state at the start until the next sort, from which a substep is repeated.
    pub start: AttributeId,
    /// What it has one element of.
    pub extent: Extent,
    /// Its values before the first substep.
    pub first: First,
}

/// One of the two arrays of what particles keep.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    /// Between substeps.
    Committed,
    /// Sorted by cell.
    Sorted,
}

/// How many attributes particles keep with one element each.
pub const KEPT_BY_EACH: usize = {
    let (mut count, mut i) = (0, 0);
    while i < KEPT.len() {
        count += matches!(KEPT[i].extent, Extent::Particle) as usize;
        i += 1;
    }
    count
};

/// The accesses of a stage to what particles keep with one element each.
pub const fn kept_by_each(side: Side, access: Access) -> [(AttributeId, Access); KEPT_BY_EACH] {
    let mut accesses = [(KEPT[0].sorted, access); KEPT_BY_EACH];
    let (mut count, mut i) = (0, 0);
    while i < KEPT.len() {
        if matches!(KEPT[i].extent, Extent::Particle) {
            accesses[count] = (KEPT[i].array(side), access);
            count += 1;
        }
        i += 1;
    }
    accesses
}

/// The accesses of a stage to all that particles keep.
pub const fn kept(side: Side, access: Access) -> [(AttributeId, Access); KEPT.len()] {
    let mut accesses = [(KEPT[0].sorted, access); KEPT.len()];
    let mut i = 0;
    while i < KEPT.len() {
        accesses[i].0 = KEPT[i].array(side);
        i += 1;
    }
    accesses
}

/// The `N` accesses of some lists after each other.
pub const fn join<const N: usize>(lists: &[&[(AttributeId, Access)]]) -> [(AttributeId, Access); N] {
    let mut all = [lists[0][0]; N];
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        let mut i = 0;
        while i < lists[list].len() {
            all[count] = lists[list][i];
            count += 1;
            i += 1;
        }
        list += 1;
    }
    assert!(count == N, "lists shorter than their sum");
    all
}

impl Kept {
    const fn array(&self, side: Side) -> AttributeId {
        match side {
            Side::Committed => self.committed,
            Side::Sorted => self.sorted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of whole elements on host and device rely on it.
    #[test]
    fn what_particles_keep_has_elements_of_16_bytes_and_a_copy_by_the_sort() {
        let header = kept_header();
        for kept in KEPT {
            for id in [kept.committed, kept.sorted, kept.start] {
                let row = &TABLE[usize::from(id.0)];
                assert_eq!(row.element.bytes(), 16, "{}", row.name);
            }
            let [committed, sorted] = [kept.committed, kept.sorted].map(|id| TABLE[usize::from(id.0)].name);
            assert_eq!(committed, format!("committed_{sorted}"));
            assert!(header.contains(&format!("= {committed}(from")), "the sort leaves {sorted} behind");
        }
    }

    #[test]
    fn a_particle_with_32_neighbors_takes_at_most_1200_bytes() {
        let particles = 1_000_000;
        let sizes = Sizes {
            particles,
            history: 0,
            deformation: 0,
            cells: particles / 4,
            pairs: 32 * particles,
            faces: 7,
            pins: 1,
            batch: 64,
            profile_points: 0,
            bodies: 1,
            linked: 0,
            links: 0,
            link_colors: 0,
            incidences: 0,
            newton: 0,
        };
        let bytes = sizes.bytes() as f64 / particles as f64;
        assert!(bytes <= 1200.0, "{bytes} bytes a particle");
    }
}
