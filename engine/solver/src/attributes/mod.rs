//! Arrays that the substep keeps on the device. A row of `table.rs` defines a buffer, its number of elements, the shader's macro, and
//! its lanes with their units and accessors.
//!
//! An attribute that particles [keep](KEPT) has one row for two arrays. From this row follow the initial values, the copies that the
//! sort and a repeated substep make, the contents of a checkpoint and of the state from which a frame is repeated, and the accesses
//! of the stages that touch all kept attributes.
//!
//! If the stages of one scheme use an array for something else, its row names this use as well (`or TANGENT_X "tangent_x" ..`);
//! shaders then know the array by either name.

mod first;
mod headers;
mod table;

use tuff_gpu::{Access, AttributeId};

use crate::colliders::mesh::NODE_WORDS;
use crate::constants::*;

pub use first::Start;
pub use headers::{kept_header, lanes_header};
pub use table::*;

/// A part of each element of an attribute with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// Components, as GLSL names them.
    pub at: &'static str,
    /// Name; shaders may read a single component by `NAME_of(element)`.
    pub name: &'static str,
    /// Unit; 1 for dimensionless numbers.
    pub unit: &'static str,
}

/// Returns the bits of the initial value of an element of a kept attribute, in the order of ids.
pub type First = fn(&Start<'_>, usize) -> [u32; 4];

/// Extent of an attribute: the items for which it has one element each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Particle.
    Particle,
    /// Word that a particle carries for models of the tensor variant.
    History,
    /// Column of a particle's deformation gradient, if frames show it.
    Deformation,
    /// Particle, times two, only if there are total bodies.
    Plastic,
    /// Particle of a total body, times the given number of words.
    Total(u64),
    /// Particle of a total body, and one more for the end of a list.
    TotalAndOne,
    /// Pair that a particle of a total body keeps.
    TotalPair,
    /// The same, only if pairs may break.
    BreakingPair,
    /// Cell in which total bodies started, and one more for the end of a list.
    TotalCell,
    /// Cell of the grid.
    Cell,
    /// Cell, and one more for the total of a prefix sum.
    CellAndTotal,
    /// Tile of cells in their prefix sum.
    ScanTile,
    /// Pair record.
    Pair,
    /// Pair record, only with Newton's scheme.
    NewtonPair,
    /// Contact that a particle can track.
    Contact,
    /// Contact that a particle can track, times the given number of words, only if there are meshes.
    Near(u64),
    /// Particle, times the given number of words, only if there are walls between particles: thin colliders or sheets.
    Walled(u64),
    /// Particle, only if there are fluids.
    Fluid,
    /// Particle, only if fluids seep through grains.
    Mixed,
    /// Tile of particles in a reduction, times the given number of words.
    Tile(u64),
    /// Tile of particles, times the number of collider faces.
    TileCollider,
    /// Word of the data of collider faces over all substeps of a batch.
    ColliderWord,
    /// Word of the data of pins over all substeps of a batch.
    PinWord,
    /// Point of the profiles of revolved colliders.
    ProfilePoint,
    /// Word of a node in the tree of a mesh collider.
    MeshNodeWord,
    /// Word of a triangle of a mesh collider.
    MeshTriangleWord,
    /// Corner of a triangle of a mesh collider, if one deforms.
    MeshDrift,
    /// Vertex of a deforming mesh, times the given number of words.
    MeshPoint(u64),
    /// Vertex of a deforming mesh at a knot around a batch.
    MeshKnot,
    /// Word of a deforming mesh over all substeps of a batch.
    MeshSpan,
    /// Vertex of a deforming patch.
    PatchPoint,
    /// Pair of corners around such a vertex.
    PatchAround,
    /// Triangle of a deforming patch, times the given number of words.
    PatchTriangle(u64),
    /// Node in the tree of a deforming patch.
    RefitNode,
    /// Level of these trees, and one more.
    RefitLevel,
    /// Particle, only with Newton's scheme.
    Newton,
    /// Contact that a particle can track, only with Newton's scheme.
    NewtonContact,
    /// Linked particle.
    Linked,
    /// Linked particle, and one more for the end of a list.
    LinkedAndTotal,
    /// Link between given particles, times the given number of words.
    Link(u64),
    /// Color of links, and one more.
    LinkColor,
    /// Link of a particle.
    Incidence,
    /// Sheet of cloth that others touch.
    Sheet,
    /// Triangle of such a sheet, times the given number of words.
    SheetTriangle(u64),
    /// Edge of such a sheet.
    SheetEdge,
    /// Node in the tree of these triangles, times the given number of words.
    SheetNode(u64),
    /// Contact with a sheet, times the given number of words.
    Meeting(u64),
    /// Particle, times the given number of words, only if there are sheets.
    Sheeted(u64),
    /// Body.
    Body,
    /// Rigid body, times the given number of words.
    Rigid(u64),
    /// Tile of particles, times the number of rigid bodies and the given number of words.
    TileRigid(u64),
    /// Body with rigid modes, times the given number of words.
    Mode(u64),
    /// Tile of particles, for each body with rigid modes, times the given number of words.
    TileMode(u64),
    /// Fixed number of elements.
    Fixed(u64),
}

/// Numbers that determine the extents of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Number of particles.
    pub particles: u64,
    /// Words that a particle carries for models of the tensor variant, 0 to 5.
    pub history: u64,
    /// Columns of deformation gradients: 3 per particle if frames show them, otherwise 0.
    pub deformation: u64,
    /// Number of particles of total bodies.
    pub total: u64,
    /// Number of pairs that they keep.
    pub total_pairs: u64,
    /// The same if pairs may break, otherwise 0.
    pub breaking_pairs: u64,
    /// Number of cells in which they started.
    pub total_cells: u64,
    /// Capacity for cells.
    pub cells: u64,
    /// Capacity for pair records.
    pub pairs: u64,
    /// Number of collider faces.
    pub faces: u64,
    /// Number of pins.
    pub pins: u64,
    /// Number of substeps in a batch.
    pub batch: u64,
    /// Number of profile points of all revolved colliders.
    pub profile_points: u64,
    /// Words of all faces and their cuts in a substep.
    pub collider_words: u64,
    /// Number of nodes in the trees of mesh colliders.
    pub mesh_nodes: u64,
    /// Number of triangles of mesh colliders.
    pub mesh_triangles: u64,
    /// Number of deforming meshes.
    pub deforming: u64,
    /// Number of their vertices.
    pub mesh_points: u64,
    /// Number of their vertices at all knots around a batch.
    pub mesh_knots: u64,
    /// Number of vertices of their patches.
    pub patch_points: u64,
    /// Number of pairs of corners around these.
    pub patch_around: u64,
    /// Number of triangles of their patches.
    pub patch_triangles: u64,
    /// Number of nodes in the trees of their patches.
    pub refit_nodes: u64,
    /// Number of levels of these trees, and one more.
    pub refit_levels: u64,
    /// Number of bodies.
    pub bodies: u64,
    /// Number of rigid bodies.
    pub rigid: u64,
    /// Bodies with rigid modes.
    pub modes: u64,
    /// Number of linked particles.
    pub linked: u64,
    /// Number of links between them.
    pub links: u64,
    /// Number of colors of links.
    pub link_colors: u64,
    /// Number of links of each particle, summed over all particles.
    pub incidences: u64,
    /// Number of sheets of cloth that others touch.
    pub sheets: u64,
    /// Number of their triangles.
    pub sheet_triangles: u64,
    /// Number of their edges.
    pub sheet_edges: u64,
    /// Capacity for contacts with them.
    pub meetings: u64,
    /// Number of particles if there are walls between particles, otherwise 0.
    pub walled: u64,
    /// Particles, if there are fluids.
    pub fluid: u64,
    /// Particles, if fluids seep through grains.
    pub mixed: u64,
    /// Number of particles with Newton's scheme, otherwise 0.
    pub newton: u64,
}

impl Sizes {
    /// Returns the number of elements of an attribute's buffer: at least one, since empty buffers do not exist.
    pub fn count(&self, extent: Extent) -> u64 {
        self.used(extent).max(1)
    }

    /// Returns the number of elements of an attribute in use.
    pub fn used(&self, extent: Extent) -> u64 {
        let tiles = self.particles.div_ceil(u64::from(TILE));
        match extent {
            Extent::Particle => self.particles,
            Extent::History => self.particles * self.history,
            Extent::Deformation => self.deformation,
            Extent::Plastic => {
                if self.total > 0 {
                    2 * self.particles
                } else {
                    0
                }
            }
            Extent::Total(words) => self.total * words,
            Extent::TotalAndOne => self.total + 1,
            Extent::TotalPair => self.total_pairs,
            Extent::BreakingPair => self.breaking_pairs,
            Extent::TotalCell => self.total_cells + 1,
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
            Extent::Near(words) => {
                if self.mesh_nodes > 0 {
                    self.particles * u64::from(CONTACT_SLOTS) * words
                } else {
                    0
                }
            }
            Extent::Walled(words) => self.walled * words,
            Extent::Fluid => self.fluid,
            Extent::Mixed => self.mixed,
            Extent::Tile(words) => tiles * words,
            Extent::TileCollider => tiles * self.faces,
            Extent::ColliderWord => self.batch * self.collider_words,
            Extent::PinWord => self.batch * self.pins * u64::from(PIN_WORDS),
            Extent::ProfilePoint => self.profile_points,
            Extent::MeshNodeWord => self.mesh_nodes * NODE_WORDS,
            Extent::MeshTriangleWord => self.mesh_triangles * u64::from(TRIANGLE_WORDS),
            Extent::MeshDrift => {
                if self.deforming > 0 {
                    3 * self.mesh_triangles
                } else {
                    0
                }
            }
            Extent::MeshPoint(words) => self.mesh_points * words,
            Extent::MeshKnot => self.mesh_knots,
            Extent::MeshSpan => self.batch * self.deforming * 2,
            Extent::PatchPoint => self.patch_points,
            Extent::PatchAround => self.patch_around,
            Extent::PatchTriangle(words) => self.patch_triangles * words,
            Extent::RefitNode => self.refit_nodes,
            Extent::RefitLevel => self.refit_levels,
            Extent::Newton => self.newton,
            Extent::NewtonContact => self.newton * u64::from(CONTACT_SLOTS),
            Extent::Linked => self.linked,
            Extent::LinkedAndTotal => self.linked + 1,
            Extent::Link(words) => self.links * words,
            Extent::LinkColor => self.link_colors + 1,
            Extent::Incidence => self.incidences,
            Extent::Sheet => self.sheets,
            Extent::SheetTriangle(words) => self.sheet_triangles * words,
            Extent::SheetEdge => self.sheet_edges,
            Extent::SheetNode(words) => {
                if self.sheets > 0 {
                    2 * self.sheet_triangles.next_power_of_two() * words
                } else {
                    0
                }
            }
            Extent::Meeting(words) => self.meetings * words,
            Extent::Sheeted(words) => {
                if self.sheets > 0 {
                    self.particles * words
                } else {
                    0
                }
            }
            Extent::Body => self.bodies,
            Extent::Rigid(words) => self.rigid * words,
            Extent::TileRigid(words) => tiles * self.rigid * words,
            Extent::Mode(words) => self.modes * words,
            Extent::TileMode(words) => tiles * self.modes * words,
            Extent::Fixed(count) => count,
        }
    }

    /// Returns the number of elements of every attribute's buffer, in table order.
    pub fn counts(&self) -> Vec<u64> {
        EXTENTS.iter().map(|&extent| self.count(extent)).collect()
    }

    /// Returns the device memory of all attributes [bytes].
    pub fn bytes(&self) -> u64 {
        TABLE.iter().zip(self.counts()).map(|(row, count)| row.element.bytes() * count).sum()
    }
}

/// An attribute that particles keep from substep to substep. It has two arrays: one holds the state between substeps, in the order of
/// the last sort, the other holds the same state sorted by cell for the present substep.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// Array that holds the state between substeps.
    pub committed: AttributeId,
    /// Array sorted by cell.
    pub sorted: AttributeId,
    /// Sorted array that holds the state at the start until the next sort; a substep is repeated from it.
    pub start: AttributeId,
    /// Extent of both arrays.
    pub extent: Extent,
    /// Initial values, before the first substep.
    pub first: First,
}

/// One of the two arrays of a kept attribute.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    /// Between substeps.
    Committed,
    /// Sorted by cell.
    Sorted,
}

/// Number of kept attributes with one element per particle.
pub const KEPT_BY_EACH: usize = {
    let (mut count, mut i) = (0, 0);
    while i < KEPT.len() {
        count += matches!(KEPT[i].extent, Extent::Particle) as usize;
        i += 1;
    }
    count
};

/// Returns a stage's accesses to the kept attributes with one element per particle.
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

/// Returns a stage's accesses to all kept attributes.
pub const fn kept(side: Side, access: Access) -> [(AttributeId, Access); KEPT.len()] {
    let mut accesses = [(KEPT[0].sorted, access); KEPT.len()];
    let mut i = 0;
    while i < KEPT.len() {
        accesses[i].0 = KEPT[i].array(side);
        i += 1;
    }
    accesses
}

/// Concatenates lists of accesses, `N` in total.
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

    /// Copies of whole elements on host and device rely on this size.
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
            collider_words: 0,
            mesh_nodes: 0,
            mesh_triangles: 0,
            deforming: 0,
            mesh_points: 0,
            mesh_knots: 0,
            patch_points: 0,
            patch_around: 0,
            patch_triangles: 0,
            refit_nodes: 0,
            refit_levels: 0,
            bodies: 1,
            rigid: 0,
            linked: 0,
            links: 0,
            link_colors: 0,
            incidences: 0,
            sheets: 0,
            sheet_triangles: 0,
            sheet_edges: 0,
            meetings: 0,
            walled: 0,
            fluid: 0,
            mixed: 0,
            modes: 0,
            total: 0,
            total_cells: 0,
            total_pairs: 0,
            breaking_pairs: 0,
            newton: 0,
        };
        let bytes = sizes.bytes() as f64 / particles as f64;
        assert!(bytes <= 1200.0, "{bytes} bytes a particle");
    }
}
