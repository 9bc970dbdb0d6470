//! Every array that the substep keeps on the device: one row gives the buffer, the shader's macro and
//! the number of elements.
//!
//! What particles [keep](KEPT) has two rows made of one: from it follow the copies that the sort and a repeated substep make, what a
//! frame that may be taken again holds, and the accesses of the stages that touch all of it.

use tuff_gpu::{Access, Attribute, AttributeId, Element, Memory};

use crate::constants::*;

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
}

macro_rules! attributes {
    (
        kept { $($sorted:ident, $committed:ident, $start:ident = $kept:literal, $kept_element:ident, $kept_extent:expr, $what:literal;)* }
        others { $($id:ident = $name:literal, $element:ident, $memory:ident, $extent:expr, $help:literal;)* }
    ) => {
        #[repr(u16)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants they number")]
        enum Index { $($committed,)* $($sorted,)* $($id),* }
        $(
            #[doc = concat!($what, " Between substeps.")]
            pub const $committed: AttributeId = AttributeId(Index::$committed as u16);
            #[doc = concat!($what, " Sorted by cell.")]
            pub const $sorted: AttributeId = AttributeId(Index::$sorted as u16);
        )*
        $(#[doc = $help] pub const $id: AttributeId = AttributeId(Index::$id as u16);)*
        /// What particles keep.
        pub const KEPT: &[Kept] = &[
            $(Kept { committed: $committed, sorted: $sorted, start: $start, extent: $kept_extent }),*
        ];
        /// The attribute table.
        pub static TABLE: &[Attribute] = &[
            $(Attribute {
                name: concat!("committed_", $kept), element: Element::$kept_element, memory: Memory::Device,
                help: concat!($what, " Between substeps."),
            },)*
            $(Attribute {
                name: $kept, element: Element::$kept_element, memory: Memory::Device, help: concat!($what, " Sorted by cell."),
            },)*
            $(Attribute {
                name: $name, element: Element::$element, memory: Memory::$memory, help: $help,
            }),*
        ];
        /// What each attribute has one element of, in table order.
        pub static EXTENTS: &[Extent] = &[$($kept_extent,)* $($kept_extent,)* $($extent),*];
    };
}

attributes! {
kept {
    POSITION, COMMITTED_POSITION, POSITION = "position", Vec4, Extent::Particle, "Positions at the start, f32 part [m]; w, of the sorted ones: current elastic volume V [m^3].";
    POSITION_LOW, COMMITTED_POSITION_LOW, POSITION_LOW = "position_low", Vec4, Extent::Particle, "What rounding positions to f32 left over [m]; w: most displacement that the memory may answer for [m].";
    VELOCITY, COMMITTED_VELOCITY, VELOCITY_START = "velocity", Vec4, Extent::Particle, "Velocities, those sorted being solved for [m/s]; w: inverse mass [1/kg], 0 for pinned particles.";
    STRAIN_DIAGONAL, COMMITTED_STRAIN_DIAGONAL, STRAIN_DIAGONAL = "strain_diagonal", Vec4, Extent::Particle, "E = b - I at the start: xx yy zz [dimensionless]; w: total volume ratio J.";
    STRAIN_SHEAR, COMMITTED_STRAIN_SHEAR, STRAIN_SHEAR = "strain_shear", Vec4, Extent::Particle, "E = b - I at the start: yz xz xy [dimensionless]; w: bound of the principal tensions, max(0, tr tau / 3) + sqrt(2/3) |dev tau| [Pa].";
    MEMORY, COMMITTED_MEMORY, MEMORY = "memory", Vec4, Extent::Particle, "Remembered non-affine displacement at the start [m]; w: rest volume [m^3].";
    STATE, COMMITTED_STATE, STATE = "state", Vec4, Extent::Particle, "State words of the material at the start.";
    IDENTITY, COMMITTED_IDENTITY, IDENTITY = "identity", Uvec4, Extent::Particle, "Id, material, body, pin (all bits set: none).";
    HISTORY, COMMITTED_HISTORY, HISTORY = "history", Vec4, Extent::History, "For models of the tensor variant, at the start: the second elastic strain E_N [dimensionless], xx yy zz and yz xz xy; the deformation gradient F [dimensionless], three columns.";
    DEFORMATION, COMMITTED_DEFORMATION, DEFORMATION = "deformation", Vec4, Extent::Deformation, "Deformation gradient F since the first frame, three columns [dimensionless].";
    INTERNAL_ACCELERATION, COMMITTED_INTERNAL_ACCELERATION, INTERNAL_ACCELERATION = "internal_acceleration", Vec4, Extent::Newton, "What internal forces did in the last Newton solve [m/s^2].";
}
others {
    KERNEL_WEIGHT = "kernel_weight", Vec2, Device, Extent::Particle, "Current elastic volume V [m^3] and inverse mass [1/kg], for the kernel correction alone.";
    METRIC_DIAGONAL = "metric_diagonal", Vec4, Device, Extent::Particle, "(I + E)^-1 - I: xx yy zz [dimensionless].";
    METRIC_SHEAR = "metric_shear", Vec4, Device, Extent::Particle, "(I + E)^-1 - I: yz xz xy [dimensionless].";
    VELOCITY_START = "velocity_start", Vec4, Device, Extent::Particle, "Velocities at the start [m/s]; w: inverse mass [1/kg].";
    VELOCITY_GRADIENT_X = "velocity_gradient_x", Vec4, Device, Extent::Particle, "First column of the velocity gradient before the smoothing, d v / d x [1/s]; w: not used.";
    VELOCITY_GRADIENT_Y = "velocity_gradient_y", Vec4, Device, Extent::Particle, "Its second column [1/s].";
    VELOCITY_GRADIENT_Z = "velocity_gradient_z", Vec4, Device, Extent::Particle, "Its third column [1/s].";
    VELOCITY_CHANGE = "velocity_change", Vec4, Device, Extent::Particle, "Velocity changes of a Jacobi sweep, of the smoothing or of a round of the position correction [m/s]; w: pairs that made the latter.";
    PARTICLE_CELL = "particle_cell", Uvec2, Device, Extent::Particle, "Cell of a committed particle and its slot there, before sorting.";
    CELL_COUNT = "cell_count", Uint, Device, Extent::Cell, "Particles in a cell.";
    CELL_START = "cell_start", Uint, Device, Extent::CellAndTotal, "Index of a cell's first particle.";
    CELL_MEMBER = "cell_member", Uvec2, Device, Extent::Particle, "Id and committed index of the particles, grouped by cell.";
    OCCUPIED_CELL = "occupied_cell", Uint, Device, Extent::Cell, "Cells that hold particles.";
    COLORED_CELL = "colored_cell", Uint, Device, Extent::Cell, "Occupied cells by color, those with most particles first; every color owns an equal part of the array.";
    SIZE_CLASS = "size_class", Uint, Device, Extent::Fixed((COLORS * SIZE_CLASSES) as u64), "By color and class of size, largest first: occupied cells; then where the next one goes in the color's list.";
    COLOR_COUNT = "color_count", Uint, Device, Extent::Fixed(COLORS as u64 + 1), "Occupied cells of each color, and of all.";
    SCAN_TILE_SUM = "scan_tile", Uint, Device, Extent::ScanTile, "Sums of the tiles of a prefix sum.";
    NEIGHBOR_RANGE = "neighbor_range", Uvec2, Device, Extent::Particle, "First pair record; number of records and, in the high half, of candidates for the position correction, which come first.";
    PAIR = "pair", Uvec4, Device, Extent::Pair, "Index of the neighbor (24 bits) and weight code (8 bits); as float bits x_b - x_p [m] after the search, the corrected gradient g [1/m] after the correction.";
    MOMENT_DIAGONAL = "moment_diagonal", Vec4, Device, Extent::Particle, "S = sum g g^T / m: xx yy zz [1/(kg m^2)]; w: largest eigenvalue of S + s s^T / m_p.";
    MOMENT_SHEAR = "moment_shear", Vec4, Device, Extent::Particle, "S: yz xz xy [1/(kg m^2)]; w: D_h of the memory [1/kg].";
    GRADIENT_SUM = "gradient_sum", Vec4, Device, Extent::Particle, "s = sum g [1/m]; w: sum of w' [dimensionless].";
    MEMORY_RESPONSE = "memory_response", Vec4, Device, Extent::Particle, "c: change of grad v per impulse of the memory [1/(kg m)]; w: most displacement that it may answer for [m].";
    MEMORY_WEIGHT = "memory_weight", Vec4, Device, Extent::Particle, "q of w' = w^ (1 - g . q) / sum w^ [m]; w: 1 / sum w^.";
    IMPULSE_X = "impulse_x", Vec4, Device, Extent::Particle, "Applied impulse H, first row [N s m]; w: x of the memory's scaled multiplier [m].";
    IMPULSE_Y = "impulse_y", Vec4, Device, Extent::Particle, "Applied impulse H, second row [N s m]; w: y of the memory's scaled multiplier [m].";
    IMPULSE_Z = "impulse_z", Vec4, Device, Extent::Particle, "Applied impulse H, third row [N s m]; w: z of the memory's scaled multiplier [m].";
    MULTIPLIER = "multiplier", Float, Device, Extent::Particle, "Scaled multiplier alpha~ lambda of the inelastic constraint [sqrt(Pa)].";
    CORRECTION_IMPULSE = "correction_impulse", Vec4, Device, Extent::Particle, "Impulse of the position correction in sweeps [N s]; w: pairs too near in its last round after a Newton solve.";
    TOUCHING = "touching", Uint, Device, Extent::Particle, "Faces of colliders that a particle may touch: index plus one, a byte each, 0: none.";
    CONTACT = "contact", Vec4, Device, Extent::Contact, "Velocity change that each tracked face has given in this substep [m/s].";
    FORCE = "force", Vec4, Device, Extent::Particle, "Internal forces times dt [N s]; w: (C + alpha~ lambda)^2 [Pa].";
    PARTIAL = "partial", Vec4, Device, Extent::Tile(3), "Sums over tiles of particles.";
    COLLIDER_IMPULSE = "collider_impulse", Vec4, Device, Extent::TileCollider, "Impulse that each face of a collider received from a tile over the frame [N s].";
    COLLIDER = "collider", Vec4, HostVisible, Extent::ColliderWord, "Faces of the colliders at every substep of a batch (shaders/include/colliders.glsl).";
    PROFILE_POINT = "profile_point", Vec2, HostVisible, Extent::ProfilePoint, "Profiles of revolved colliders: radius, height [m].";
    DENSITY_LIMIT = "density_limit", Float, HostVisible, Extent::Body, "Density of a body above which the position correction acts [dimensionless].";
    PACKING_LIMIT = "packing_limit", Float, HostVisible, Extent::Body, "Density of a body above which what flows is packed more densely than at rest [dimensionless].";
    AWAKE = "awake", Uint, Device, Extent::Body, "19 for each unpinned particle of a body that moves, less 1 for each that is slow.";
    PIN = "pin", Vec4, HostVisible, Extent::PinWord, "Pins at every substep of a batch: center [m], its velocity [m/s], rows of the map from x - center to velocity [1/s].";
    NEWTON = "newton", Uint, Device, Extent::Fixed(NEWTON_WORDS as u64), "What the Newton solve is at: the words NEWTON_* of the shared constants; numbers as float bits.";
    REVERSE = "reverse", Uint, Device, Extent::NewtonPair, "Index of the pair record in which the neighbor has the particle.";
    PAIR_FORCE = "pair_force", Vec4, Device, Extent::NewtonPair, "What a particle does to its neighbor: internal force times dt, or that of a product [N s]; w: trace of the neighbor's diagonal block [kg].";
    NEWTON_START = "newton_start", Vec4, Device, Extent::Newton, "Velocities at the start of a Newton step or of a round of relaxation [m/s]; w: inverse mass [1/kg].";
    NEWTON_CHANGE = "newton_change", Vec4, Device, Extent::Newton, "Step of the conjugate gradients from there [m/s]; in relaxation the move before the last.";
    NEWTON_RESIDUAL = "newton_residual", Vec4, Device, Extent::Newton, "Impulse that the linear model still misses; where forces were evaluated, minus the imbalance [N s].";
    NEWTON_DIRECTION = "newton_direction", Vec4, Device, Extent::Newton, "Search direction [m/s]; in relaxation the last move.";
    NEWTON_PRODUCT = "newton_product", Vec4, Device, Extent::Newton, "Matrix times the search direction [N s]; in relaxation the imbalance before the last move, then what it did to it.";
    NEWTON_OLDER = "newton_older", Vec4, Device, Extent::Newton, "What the move before the last did to the imbalance [N s].";
    NEWTON_STRESS_DIAGONAL = "newton_stress_diagonal", Vec4, Device, Extent::Newton, "Kirchhoff stress at the last evaluation, xx yy zz, and the modulus of uniaxial strain [Pa].";
    NEWTON_STRESS_SHEAR = "newton_stress_shear", Vec4, Device, Extent::Newton, "The same: yz xz xy.";
    NEWTON_BLOCK_DIAGONAL = "newton_block_diagonal", Vec4, Device, Extent::Newton, "Diagonal block of the first matrix less the mass, xx yy zz [kg]; after the first evaluation its inverse, mass included [1/kg]; w: trace of that block, mass included [kg].";
    NEWTON_BLOCK_SHEAR = "newton_block_shear", Vec4, Device, Extent::Newton, "The same: yz xz xy.";
    NEWTON_BLOCKED = "newton_blocked", Vec4, Device, Extent::Newton, "Directions that contacts block: w counts them; with one, its unit vector, with two, that of the direction left.";
    NEWTON_CONTACT = "newton_contact", Vec4, Device, Extent::NewtonContact, "Contacts where NEWTON_START was kept [m/s].";
    LINKED_PLACE = "linked_place", Uint, Device, Extent::Linked, "Index of a linked particle, by its id less that of the first one.";
    LINK = "link", Uvec4, Device, Extent::Link, "Ids of the particles of a link between given ones; all bits set: none. By color.";
    LINK_NUMBERS = "link_numbers", Vec4, Device, Extent::Link, "What the kind of a link needs (engine/problem/src/links).";
    LINK_COLOR = "link_color", Uvec2, Device, Extent::LinkColor, "First link of a color, and its kind.";
    LINK_START = "link_start", Uint, Device, Extent::LinkedAndTotal, "First of the links of a linked particle.";
    LINK_LIST = "link_list", Uint, Device, Extent::Incidence, "Links by particle: index (28 bits), kind, which of its members the particle is (2 bits each).";
    LINK_MULTIPLIER = "link_multiplier", Vec4, Device, Extent::Link, "Multipliers of links in sweeps, scaled by alpha~.";
    STATUS = "status", Uint, Device, Extent::Fixed(STATUS_WORDS as u64), "Status block: failures, residuals and counters of a batch.";
    ARGUMENTS = "arguments", Uvec4, Device, Extent::Fixed(ARGUMENTS_COUNT as u64), "Workgroup counts of indirect dispatches.";
}
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

/// The shader header `shaders/include/generated/kept.glsl`: what moves and what stays of what particles keep.
pub fn kept_header() -> String {
    let name = |id: AttributeId| TABLE[usize::from(id.0)].name;
    let mut text = String::from("// Written from engine/solver/src/attributes.rs; do not edit.\n");
    let mut function = |comment: &str, signature: &str, line: &dyn Fn(&Kept) -> Option<String>| {
        let lines: String = KEPT.iter().filter_map(line).map(|line| format!("    {line}\n")).collect();
        text += &format!("\n// {comment}\nvoid {signature} {{\n{lines}}}\n");
    };
    function(
        "What particle `from` keeps comes to its place `to` in the order of the cells.",
        "sort_kept(uint from, uint to)",
        &|kept| {
            let (sorted, committed) = (name(kept.sorted), name(kept.committed));
            match kept.extent {
                Extent::Particle => Some(format!("{sorted}(to) = {committed}(from);")),
                Extent::Newton => Some(format!("if (NEWTON) {sorted}(to) = {committed}(from);")),
                Extent::History => Some(format!(
                    "for (uint k = 0u; k < HISTORY_WORDS; ++k) {sorted}(to * HISTORY_WORDS + k) = {committed}(from * HISTORY_WORDS + k);"
                )),
                Extent::Deformation => Some(format!(
                    "if (DEFORMATION) for (uint k = 0u; k < 3u; ++k) {sorted}(to * 3u + k) = {committed}(from * 3u + k);"
                )),
                _ => None,
            }
        },
    );
    text
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
