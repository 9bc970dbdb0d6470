//! The rows: every array that the substep keeps on the device, with its lanes and their units.

use tuff_gpu::{Attribute, AttributeId, Element, Memory};

use super::{Extent, Kept, Lane, first};
use crate::constants::*;

/// Lanes from their list in a row.
macro_rules! lanes {
    ([$($at:ident $name:ident $unit:literal),*]) => {
        &[$(Lane { at: stringify!($at), name: stringify!($name), unit: $unit }),*]
    };
}

/// The same as text.
macro_rules! lanes_text {
    ([$($at:ident $name:ident $unit:literal),*]) => {
        concat!($("\n* ", stringify!($at), ": ", stringify!($name), " `[", $unit, "]`"),*)
    };
}

macro_rules! attributes {
    (
        kept { $(
            $sorted:ident, $committed:ident, $start:ident = $kept:literal, $kept_element:ident, $kept_extent:expr, $first:expr,
            $kept_lanes:tt $(or $kept_other:ident $kept_alias:literal $kept_other_lanes:tt)?, $what:literal;
        )* }
        others { $(
            $id:ident = $name:literal, $element:ident, $memory:ident, $extent:expr,
            $lanes:tt $(or $other:ident $alias:literal $other_lanes:tt)?, $help:literal;
        )* }
    ) => {
        #[repr(u16)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named like the constants they number")]
        enum Index { $($committed,)* $($sorted,)* $($id),* }
        $(
            #[doc = concat!($what, " Between substeps.\n", lanes_text!($kept_lanes))]
            pub const $committed: AttributeId = AttributeId(Index::$committed as u16);
            #[doc = concat!($what, " Sorted by cell.\n", lanes_text!($kept_lanes))]
            pub const $sorted: AttributeId = AttributeId(Index::$sorted as u16);
            $(
                #[doc = concat!("Another use of the array `", $kept, "`.\n", lanes_text!($kept_other_lanes))]
                pub const $kept_other: AttributeId = $sorted;
            )?
        )*
        $(
            #[doc = concat!($help, "\n", lanes_text!($lanes))]
            pub const $id: AttributeId = AttributeId(Index::$id as u16);
            $(
                #[doc = concat!("Another use of the array `", $name, "`.\n", lanes_text!($other_lanes))]
                pub const $other: AttributeId = $id;
            )?
        )*
        /// What particles keep.
        pub const KEPT: &[Kept] = &[
            $(Kept { committed: $committed, sorted: $sorted, start: $start, extent: $kept_extent, first: $first }),*
        ];
        /// The attribute table.
        pub static TABLE: &[Attribute] = &[
            $(Attribute {
                name: concat!("committed_", $kept), aliases: &[], element: Element::$kept_element, memory: Memory::Device,
                help: concat!($what, " Between substeps."),
            },)*
            $(Attribute {
                name: $kept, aliases: &[$($kept_alias)?], element: Element::$kept_element, memory: Memory::Device,
                help: concat!($what, " Sorted by cell."),
            },)*
            $(Attribute {
                name: $name, aliases: &[$($alias)?], element: Element::$element, memory: Memory::$memory, help: $help,
            }),*
        ];
        /// What each attribute has one element of, in table order.
        pub static EXTENTS: &[Extent] = &[$($kept_extent,)* $($kept_extent,)* $($extent),*];
        /// The lanes of each attribute, in table order.
        pub static LANES: &[&[Lane]] = &[$(lanes!($kept_lanes),)* $(lanes!($kept_lanes),)* $(lanes!($lanes)),*];
        /// Other uses of arrays: the name there and the lanes.
        pub static ALIASES: &[(&str, &[Lane])] =
            &[$($(($kept_alias, lanes!($kept_other_lanes)),)?)* $($(($alias, lanes!($other_lanes)),)?)*];
    };
}

attributes! {
kept {
    POSITION, COMMITTED_POSITION, POSITION = "position", Vec4, Extent::Particle, first::position,
        [xyz position "m", w elastic_volume "m^3"],
        "Positions at the start, f32 part; w, of the sorted ones: current elastic volume V.";
    POSITION_LOW, COMMITTED_POSITION_LOW, POSITION_LOW = "position_low", Vec4, Extent::Particle, first::position_low,
        [xyz position_low "m", w memory_bound "m"],
        "What rounding positions to f32 left over; w: most displacement that the memory may answer for.";
    VELOCITY, COMMITTED_VELOCITY, VELOCITY_START = "velocity", Vec4, Extent::Particle, first::velocity,
        [xyz velocity "m/s", w inverse_mass "1/kg"] or OPERAND "operand" [xyz operand "m/s", w inverse_mass "1/kg"],
        "Velocities, those sorted being solved for; w: inverse mass, 0 for pinned particles.";
    STRAIN_DIAGONAL, COMMITTED_STRAIN_DIAGONAL, STRAIN_DIAGONAL = "strain_diagonal", Vec4, Extent::Particle, first::strain_diagonal,
        [xyz strain_diagonal "1", w volume_ratio "1"],
        "E = b - I at the start: xx yy zz; w: total volume ratio J.";
    STRAIN_SHEAR, COMMITTED_STRAIN_SHEAR, STRAIN_SHEAR = "strain_shear", Vec4, Extent::Particle, first::strain_shear,
        [xyz strain_shear "1", w tension_bound "Pa"],
        "E = b - I at the start: yz xz xy; w: bound of the principal tensions, max(0, tr tau / 3) + sqrt(2/3) |dev tau|.";
    MEMORY, COMMITTED_MEMORY, MEMORY = "memory", Vec4, Extent::Particle, first::memory,
        [xyz memory "m", w rest_volume "m^3"],
        "Remembered non-affine displacement at the start; w: rest volume.";
    STATE, COMMITTED_STATE, STATE = "state", Vec4, Extent::Particle, first::state,
        [xyzw state "of the model"],
        "State words of the material at the start.";
    IDENTITY, COMMITTED_IDENTITY, IDENTITY = "identity", Uvec4, Extent::Particle, first::identity,
        [x id "1", y material_index "1", z body "1", w pin "1"],
        "Id, material, body, pin (all bits set: none).";
    HISTORY, COMMITTED_HISTORY, HISTORY = "history", Vec4, Extent::History, first::history,
        [xyz history "1"],
        "For models of the tensor variant, at the start: the second elastic strain E_N, xx yy zz and yz xz xy; the deformation gradient F, three columns.";
    DEFORMATION, COMMITTED_DEFORMATION, DEFORMATION = "deformation", Vec4, Extent::Deformation, first::deformation,
        [xyz deformation "1"],
        "Deformation gradient F since the first frame, three columns.";
    INTERNAL_ACCELERATION, COMMITTED_INTERNAL_ACCELERATION, INTERNAL_ACCELERATION = "internal_acceleration", Vec4, Extent::Newton, first::internal_acceleration,
        [xyz internal_acceleration "m/s^2"],
        "What internal forces did in the last Newton solve.";
}
others {
    KERNEL_WEIGHT = "kernel_weight", Vec2, Device, Extent::Particle,
        [x kernel_volume "m^3", y kernel_inverse_mass "1/kg"],
        "Current elastic volume V and inverse mass, for the kernel correction alone.";
    METRIC_DIAGONAL = "metric_diagonal", Vec4, Device, Extent::Particle,
        [xyz metric_diagonal "1"],
        "(I + E)^-1 - I: xx yy zz.";
    METRIC_SHEAR = "metric_shear", Vec4, Device, Extent::Particle,
        [xyz metric_shear "1"],
        "(I + E)^-1 - I: yz xz xy.";
    VELOCITY_START = "velocity_start", Vec4, Device, Extent::Particle,
        [xyz velocity_start "m/s", w inverse_mass "1/kg"],
        "Velocities at the start; w: inverse mass.";
    VELOCITY_GRADIENT_X = "velocity_gradient_x", Vec4, Device, Extent::Particle,
        [xyz velocity_gradient_x "1/s"],
        "First column of the velocity gradient before the smoothing, d v / d x; w: not used.";
    VELOCITY_GRADIENT_Y = "velocity_gradient_y", Vec4, Device, Extent::Particle,
        [xyz velocity_gradient_y "1/s"],
        "Its second column.";
    VELOCITY_GRADIENT_Z = "velocity_gradient_z", Vec4, Device, Extent::Particle,
        [xyz velocity_gradient_z "1/s"],
        "Its third column.";
    VELOCITY_CHANGE = "velocity_change", Vec4, Device, Extent::Particle,
        [xyz velocity_change "m/s", w crowd "1"],
        "Velocity changes of a Jacobi sweep, of the smoothing or of a round of the position correction; w: pairs that made the latter.";
    PARTICLE_CELL = "particle_cell", Uvec2, Device, Extent::Particle,
        [x cell "1", y slot "1"],
        "Cell of a committed particle and its slot there, before sorting.";
    CELL_COUNT = "cell_count", Uint, Device, Extent::Cell,
        [x cell_count "1"],
        "Particles in a cell.";
    CELL_START = "cell_start", Uint, Device, Extent::CellAndTotal,
        [x cell_start "1"],
        "Index of a cell's first particle.";
    CELL_MEMBER = "cell_member", Uvec2, Device, Extent::Particle,
        [x id "1", y committed_index "1"],
        "Id and committed index of the particles, grouped by cell.";
    OCCUPIED_CELL = "occupied_cell", Uint, Device, Extent::Cell,
        [x occupied_cell "1"],
        "Cells that hold particles.";
    COLORED_CELL = "colored_cell", Uint, Device, Extent::Cell,
        [x colored_cell "1"],
        "Occupied cells by color, those with most particles first; every color owns an equal part of the array.";
    SIZE_CLASS = "size_class", Uint, Device, Extent::Fixed((COLORS * SIZE_CLASSES) as u64),
        [x size_class "1"],
        "By color and class of size, largest first: occupied cells; then where the next one goes in the color's list.";
    COLOR_COUNT = "color_count", Uint, Device, Extent::Fixed(COLORS as u64 + 1),
        [x color_count "1"],
        "Occupied cells of each color, and of all.";
    SCAN_TILE_SUM = "scan_tile", Uint, Device, Extent::ScanTile,
        [x scan_tile "1"],
        "Sums of the tiles of a prefix sum.";
    NEIGHBOR_RANGE = "neighbor_range", Uvec2, Device, Extent::Particle,
        [x first_pair "1", y counts "1"],
        "First pair record; number of records and, in the high half, of candidates for the position correction, which come first.";
    PAIR = "pair", Uvec4, Device, Extent::Pair,
        [x neighbor "1", yzw gradient "1/m"],
        "Index of the neighbor (24 bits) and weight code (8 bits); as float bits x_b - x_p after the search, the corrected gradient g after the correction.";
    MOMENT_DIAGONAL = "moment_diagonal", Vec4, Device, Extent::Particle,
        [xyz moment_diagonal "1/(kg m^2)", w largest_moment "1/(kg m^2)"],
        "S = sum g g^T / m: xx yy zz; w: largest eigenvalue of S + s s^T / m_p.";
    MOMENT_SHEAR = "moment_shear", Vec4, Device, Extent::Particle,
        [xyz moment_shear "1/(kg m^2)", w memory_mobility "1/kg"],
        "S: yz xz xy; w: D_h of the memory.";
    GRADIENT_SUM = "gradient_sum", Vec4, Device, Extent::Particle,
        [xyz gradient_sum "1/m", w weight_sum "1"],
        "s = sum g; w: sum of w'.";
    MEMORY_RESPONSE = "memory_response", Vec4, Device, Extent::Particle,
        [xyz memory_response "1/(kg m)", w memory_bound "m"],
        "c: change of grad v per impulse of the memory; w: most displacement that it may answer for.";
    MEMORY_WEIGHT = "memory_weight", Vec4, Device, Extent::Particle,
        [xyz weight_slope "m", w weight_scale "1"],
        "q of w' = w^ (1 - g . q) / sum w^; w: 1 / sum w^.";
    IMPULSE_X = "impulse_x", Vec4, Device, Extent::Particle,
        [xyz impulse_x "N s m", w memory_multiplier "m"] or TANGENT_X "tangent_x" [xyz inverse_x "1", w shear_stiffness "N m s^2"],
        "Applied impulse H, first row; w: x of the memory's scaled multiplier.";
    IMPULSE_Y = "impulse_y", Vec4, Device, Extent::Particle,
        [xyz impulse_y "N s m", w memory_multiplier "m"] or TANGENT_Y "tangent_y" [xyz inverse_y "1", w bulk_stiffness "N m s^2"],
        "Applied impulse H, second row; w: y of the memory's scaled multiplier.";
    IMPULSE_Z = "impulse_z", Vec4, Device, Extent::Particle,
        [xyz impulse_z "N s m", w memory_multiplier "m"] or TANGENT_Z "tangent_z" [xyz inverse_z "1", w memory_stiffness "kg"],
        "Applied impulse H, third row; w: z of the memory's scaled multiplier.";
    MULTIPLIER = "multiplier", Float, Device, Extent::Particle,
        [x multiplier "Pa^(1/2)"],
        "Scaled multiplier alpha~ lambda of the inelastic constraint.";
    CORRECTION_IMPULSE = "correction_impulse", Vec4, Device, Extent::Particle,
        [xyz correction_impulse "N s", w crowd "1"],
        "Impulse of the position correction in sweeps; w: pairs too near in its last round after a Newton solve.";
    TOUCHING = "touching", Uint, Device, Extent::Particle,
        [x touching "1"],
        "Faces of colliders that a particle may touch: index plus one, a byte each, 0: none.";
    CONTACT = "contact", Vec4, Device, Extent::Contact,
        [xyz contact "m/s", w gap "m"],
        "Velocity change that each tracked face has given in this substep.";
    FORCE = "force", Vec4, Device, Extent::Particle,
        [xyz force "N s", w violation "Pa"] or BALANCE "balance" [xyz balance "N s", w block_trace "kg"],
        "Internal forces times dt; w: (C + alpha~ lambda)^2.";
    PARTIAL = "partial", Vec4, Device, Extent::Tile(3),
        [xyzw partial "of the sum"],
        "Sums over tiles of particles.";
    COLLIDER_IMPULSE = "collider_impulse", Vec4, Device, Extent::TileCollider,
        [xyz collider_impulse "N s"],
        "Impulse that each face of a collider received from a tile over the frame.";
    COLLIDER = "collider", Vec4, HostVisible, Extent::ColliderWord,
        [xyzw collider "of the word"],
        "Faces of the colliders at every substep of a batch (shaders/include/colliders.glsl).";
    PROFILE_POINT = "profile_point", Vec2, HostVisible, Extent::ProfilePoint,
        [x profile_radius "m", y profile_height "m"],
        "Profiles of revolved colliders: radius, height.";
    DENSITY_LIMIT = "density_limit", Float, HostVisible, Extent::Body,
        [x density_limit "1"],
        "Density of a body above which the position correction acts.";
    PACKING_LIMIT = "packing_limit", Float, HostVisible, Extent::Body,
        [x packing_limit "1"],
        "Density of a body above which what flows is packed more densely than at rest.";
    AWAKE = "awake", Uint, Device, Extent::Body,
        [x awake "1"],
        "19 for each unpinned particle of a body that moves, less 1 for each that is slow.";
    PIN = "pin", Vec4, HostVisible, Extent::PinWord,
        [xyzw pin "of the word"],
        "Pins at every substep of a batch: center, its velocity, rows of the map from x - center to velocity.";
    NEWTON = "newton", Uint, Device, Extent::Fixed(NEWTON_WORDS as u64),
        [x newton "of the word"],
        "What the Newton solve is at: the words NEWTON_* of the shared constants; numbers as float bits.";
    REVERSE = "reverse", Uint, Device, Extent::NewtonPair,
        [x reverse "1"],
        "Index of the pair record in which the neighbor has the particle.";
    PAIR_FORCE = "pair_force", Vec4, Device, Extent::NewtonPair,
        [xyz pair_force "N s", w block_trace "kg"],
        "What a particle does to its neighbor: internal force times dt, or that of a product; w: trace of the neighbor's diagonal block.";
    NEWTON_START = "newton_start", Vec4, Device, Extent::Newton,
        [xyz newton_start "m/s", w inverse_mass "1/kg"],
        "Velocities at the start of a Newton step or of a round of relaxation; w: inverse mass.";
    NEWTON_CHANGE = "newton_change", Vec4, Device, Extent::Newton,
        [xyz newton_change "m/s"] or OLDER_MOVE "older_move" [xyz older_move "m/s"],
        "Step of the conjugate gradients from there; in relaxation the move before the last.";
    NEWTON_RESIDUAL = "newton_residual", Vec4, Device, Extent::Newton,
        [xyz newton_residual "N s"],
        "Impulse that the linear model still misses; where forces were evaluated, minus the imbalance.";
    NEWTON_DIRECTION = "newton_direction", Vec4, Device, Extent::Newton,
        [xyz newton_direction "m/s"] or LAST_MOVE "last_move" [xyz last_move "m/s"],
        "Search direction; in relaxation the last move.";
    NEWTON_PRODUCT = "newton_product", Vec4, Device, Extent::Newton,
        [xyz newton_product "N s"] or LAST_EFFECT "last_effect" [xyz last_effect "N s"],
        "Matrix times the search direction; in relaxation the imbalance before the last move, then what it did to it.";
    NEWTON_OLDER = "newton_older", Vec4, Device, Extent::Newton,
        [xyz older_effect "N s"],
        "What the move before the last did to the imbalance.";
    NEWTON_STRESS_DIAGONAL = "newton_stress_diagonal", Vec4, Device, Extent::Newton,
        [xyz stress_diagonal "Pa", w uniaxial_modulus "Pa"],
        "Kirchhoff stress at the last evaluation, xx yy zz, and the modulus of uniaxial strain.";
    NEWTON_STRESS_SHEAR = "newton_stress_shear", Vec4, Device, Extent::Newton,
        [xyz stress_shear "Pa"],
        "The same: yz xz xy.";
    NEWTON_BLOCK_DIAGONAL = "newton_block_diagonal", Vec4, Device, Extent::Newton,
        [xyz block_diagonal "kg"] or PRECONDITIONER_DIAGONAL "preconditioner_diagonal" [xyz preconditioner_diagonal "1/kg", w block_trace "kg"],
        "Diagonal block of the first matrix less the mass, xx yy zz; after the first evaluation its inverse, mass included; w: trace of that block, mass included.";
    NEWTON_BLOCK_SHEAR = "newton_block_shear", Vec4, Device, Extent::Newton,
        [xyz block_shear "kg"] or PRECONDITIONER_SHEAR "preconditioner_shear" [xyz preconditioner_shear "1/kg"],
        "The same: yz xz xy.";
    NEWTON_BLOCKED = "newton_blocked", Vec4, Device, Extent::Newton,
        [xyz blocked "1", w blocked_count "1"],
        "Directions that contacts block: w counts them; with one, its unit vector, with two, that of the direction left.";
    NEWTON_CONTACT = "newton_contact", Vec4, Device, Extent::NewtonContact,
        [xyz contact "m/s", w gap "m"],
        "Contacts where NEWTON_START was kept.";
    LINKED_PLACE = "linked_place", Uint, Device, Extent::Linked,
        [x linked_place "1"],
        "Index of a linked particle, by its id less that of the first one.";
    LINK = "link", Uvec4, Device, Extent::Link,
        [xyzw link "1"],
        "Ids of the particles of a link between given ones; all bits set: none. By color.";
    LINK_NUMBERS = "link_numbers", Vec4, Device, Extent::Link,
        [xyzw link_numbers "of the kind"],
        "What the kind of a link needs (engine/problem/src/links).";
    LINK_COLOR = "link_color", Uvec2, Device, Extent::LinkColor,
        [x first_link "1", y kind "1"],
        "First link of a color, and its kind.";
    LINK_START = "link_start", Uint, Device, Extent::LinkedAndTotal,
        [x link_start "1"],
        "First of the links of a linked particle.";
    LINK_LIST = "link_list", Uint, Device, Extent::Incidence,
        [x link_list "1"],
        "Links by particle: index (28 bits), kind, which of its members the particle is (2 bits each).";
    LINK_MULTIPLIER = "link_multiplier", Vec4, Device, Extent::Link,
        [xyzw link_multiplier "of the kind"],
        "Multipliers of links in sweeps, scaled by alpha~.";
    STATUS = "status", Uint, Device, Extent::Fixed(STATUS_WORDS as u64),
        [x status "of the word"],
        "Status block: failures, residuals and counters of a batch.";
    ARGUMENTS = "arguments", Uvec4, Device, Extent::Fixed(ARGUMENTS_COUNT as u64),
        [xyz groups "1"],
        "Workgroup counts of indirect dispatches.";
}
}
