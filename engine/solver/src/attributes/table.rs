//! The table: every array that the substep keeps on the device, with its lanes and their units.

use tuff_gpu::{Attribute, AttributeId, Element, Memory};

use super::{Extent, Kept, Lane, first};
use crate::constants::*;

/// Expands the list of lanes in a row to an array.
macro_rules! lanes {
    ([$($at:ident $name:ident $unit:literal),*]) => {
        &[$(Lane { at: stringify!($at), name: stringify!($name), unit: $unit }),*]
    };
}

/// Expands the list of lanes in a row to text.
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
        /// Attributes that particles keep from substep to substep.
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
        /// Extent of each attribute, in table order.
        pub static EXTENTS: &[Extent] = &[$($kept_extent,)* $($kept_extent,)* $($extent),*];
        /// Lanes of each attribute, in table order.
        pub static LANES: &[&[Lane]] = &[$(lanes!($kept_lanes),)* $(lanes!($kept_lanes),)* $(lanes!($lanes)),*];
        /// Other uses of arrays: name and lanes in that use.
        pub static ALIASES: &[(&str, &[Lane])] =
            &[$($(($kept_alias, lanes!($kept_other_lanes)),)?)* $($(($alias, lanes!($other_lanes)),)?)*];
    };
}

attributes! {
kept {
    POSITION, COMMITTED_POSITION, POSITION = "position", Vec4, Extent::Particle, first::position,
        [xyz position "m", w elastic_volume "m^3"],
        "Positions at the start, f32 part; w (sorted array only): current elastic volume V; -V0 for fluids, 0 for linked particles and those of total bodies.";
    POSITION_LOW, COMMITTED_POSITION_LOW, POSITION_LOW = "position_low", Vec4, Extent::Particle, first::position_low,
        [xyz position_low "m", w memory_bound "m"],
        "Rounding errors of the f32 positions; w: largest displacement to which the memory may respond.";
    VELOCITY, COMMITTED_VELOCITY, VELOCITY_START = "velocity", Vec4, Extent::Particle, first::velocity,
        [xyz velocity "m/s", w inverse_mass "1/kg"] or OPERAND "operand" [xyz operand "m/s", w inverse_mass "1/kg"],
        "Velocities, in the sorted array the unknowns of the solve; w: inverse mass, 0 for pinned particles.";
    STRAIN_DIAGONAL, COMMITTED_STRAIN_DIAGONAL, STRAIN_DIAGONAL = "strain_diagonal", Vec4, Extent::Particle, first::strain_diagonal,
        [xyz strain_diagonal "1", w volume_ratio "1"],
        "E = b - I at the start: xx yy zz; w: total volume ratio J.";
    STRAIN_SHEAR, COMMITTED_STRAIN_SHEAR, STRAIN_SHEAR = "strain_shear", Vec4, Extent::Particle, first::strain_shear,
        [xyz strain_shear "1", w tension_bound "Pa"] or FLUID_SHEAR "fluid_shear" [xyz fluid_shear "1", w minus_drag "kg/s"],
        "E = b - I at the start: yz xz xy; w: bound of the principal tensions, max(0, tr tau / 3) + sqrt(2/3) |dev tau|; of a fluid minus the drag of grains around it.";
    MEMORY, COMMITTED_MEMORY, MEMORY = "memory", Vec4, Extent::Particle, first::memory,
        [xyz memory "m", w rest_volume "m^3"],
        "Non-affine displacement stored by the memory at the start; w: rest volume.";
    STATE, COMMITTED_STATE, STATE = "state", Vec4, Extent::Particle, first::state,
        [xyzw state "of the model"],
        "State words of the material at the start.";
    IDENTITY, COMMITTED_IDENTITY, IDENTITY = "identity", Uvec4, Extent::Particle, first::identity,
        [x id "1", y material_index "1", z body "1", w pin "1"],
        "Id, material, body, pin (all bits set: none).";
    HISTORY, COMMITTED_HISTORY, HISTORY = "history", Vec4, Extent::History, first::history,
        [xyz history "1"],
        "For models of the tensor variant, at the start: second elastic strain E_N (xx yy zz, yz xz xy); deformation gradient F (three columns).";
    DEFORMATION, COMMITTED_DEFORMATION, DEFORMATION = "deformation", Vec4, Extent::Deformation, first::deformation,
        [xyz deformation "1"],
        "Deformation gradient F since the first frame, three columns.";
    PLASTIC, COMMITTED_PLASTIC, PLASTIC = "plastic", Vec4, Extent::Plastic, first::plastic,
        [xyz plastic "1"],
        "C_p^-1 - I of total bodies at the start, C_p being the right Cauchy-Green tensor of what has flowed: xx yy zz; yz xz xy.";
    INTERNAL_ACCELERATION, COMMITTED_INTERNAL_ACCELERATION, INTERNAL_ACCELERATION = "internal_acceleration", Vec4, Extent::Newton, first::internal_acceleration,
        [xyz internal_acceleration "m/s^2", w near_springs "1/s^2"],
        "Acceleration by internal forces in the last Newton solve, except for springs of too-close pairs; stiffness of these over the mass, for a particle that starts at rest on them and on no collider.";
    MEAN_ACCELERATION, COMMITTED_MEAN_ACCELERATION, MEAN_ACCELERATION = "mean_acceleration", Vec4, Extent::Mixed, first::mean_acceleration,
        [xyz mean_acceleration "m/s^2"],
        "Mean acceleration of fluids over the last substeps, if fluids seep through grains.";
}
others {
    KERNEL_WEIGHT = "kernel_weight", Vec2, Device, Extent::Particle,
        [x kernel_volume "m^3", y kernel_inverse_mass "1/kg"],
        "Volume as kernels count it: the current elastic one; -V0 for fluids, in pores with the part of the grains; 0 for linked particles and those of total bodies. Inverse mass.";
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
        "Second column of this gradient, d v / d y; w: not used.";
    VELOCITY_GRADIENT_Z = "velocity_gradient_z", Vec4, Device, Extent::Particle,
        [xyz velocity_gradient_z "1/s"],
        "Third column of this gradient, d v / d z; w: not used.";
    VELOCITY_CHANGE = "velocity_change", Vec4, Device, Extent::Particle,
        [xyz velocity_change "m/s", w crowd "1"],
        "Velocity changes of a Jacobi sweep, the smoothing or a round of the position correction; w: number of too-close pairs in it.";
    PARTICLE_CELL = "particle_cell", Uvec2, Device, Extent::Particle,
        [x cell "1", y slot "1"],
        "Cell of a committed particle and its slot there, before sorting.";
    CELL_COUNT = "cell_count", Uint, Device, Extent::Cell,
        [x cell_count "1"],
        "Number of particles in a cell.";
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
        "Occupied cells by color, fullest first; every color owns an equal part of the array.";
    SIZE_CLASS = "size_class", Uint, Device, Extent::Fixed((COLORS * SIZE_CLASSES) as u64),
        [x size_class "1"],
        "By color and size class, largest first: number of occupied cells; then the index of the next free entry in the list of the color.";
    COLOR_COUNT = "color_count", Uint, Device, Extent::Fixed(COLORS as u64 + 1),
        [x color_count "1"],
        "Number of occupied cells of each color, and of all.";
    SCAN_TILE_SUM = "scan_tile", Uint, Device, Extent::ScanTile,
        [x scan_tile "1"],
        "Sums of the tiles of a prefix sum.";
    NEIGHBOR_RANGE = "neighbor_range", Uvec2, Device, Extent::Particle,
        [x first_pair "1", y counts "1"],
        "First pair record; number of records (14 bits), of candidates for the position correction, which come first (14 bits), and of interleaved lists, less 1.";
    PAIR = "pair", Uvec4, Device, Extent::Pair,
        [x packed_index "1", yzw gradient "1/m"],
        "Neighbor index (24 bits) and weight code (8 bits); as float bits: x_b - x_p after the search, then the corrected gradient g.";
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
        "c: change of grad v per impulse of the memory; w: largest displacement to which the memory may respond.";
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
        [xyz impulse_z "N s m", w memory_multiplier "m"] or TANGENT_Z "tangent_z" [xyz inverse_z "1", w memory_block "kg"],
        "Applied impulse H, third row; w: z of the memory's scaled multiplier.";
    MULTIPLIER = "multiplier", Float, Device, Extent::Particle,
        [x multiplier "Pa^(1/2)"],
        "Scaled multiplier alpha~ lambda of the inelastic constraint.";
    CORRECTION_IMPULSE = "correction_impulse", Vec4, Device, Extent::Particle,
        [xyz correction_impulse "N s"] or DEFERRED "deferred" [xyz deferred "m/s", w crowd "1"],
        "Impulse of the position correction in sweeps; after a Newton solve the part of its velocity changes that takes effect after the substep, and in w the number of too-close pairs in the last round, before the first round of candidates.";
    TOUCHING = "touching", Uint, Device, Extent::Particle,
        [x touching "1"],
        "Collider faces that a particle may touch: index plus one, a byte each; 0: none. Highest byte: a bit for each that holds it.";
    CONTACT = "contact", Vec4, Device, Extent::Contact,
        [xyz contact "m/s", w gap "m"],
        "Velocity change from each tracked face in this substep; w: distance that the contact keeps.";
    WALL_PUSH = "wall_push", Vec4, Device, Extent::Fluid,
        [xyz wall_push "m/s"],
        "Least push of each tracked face on a fluid, by its pressure, as a velocity change in this substep.";
    LACK = "lack", Float, Device, Extent::Fluid,
        [x lack "1"],
        "What the neighborhood of a fluid's particle lacks, if its surface has a tension.";
    ADDED_VELOCITY = "added_velocity", Vec4, Device, Extent::Fluid,
        [xyz added_velocity "m/s"],
        "Velocity that surface tension and the pressure in pores add in this substep, if there are such.";
    ROOM = "room", Vec2, Device, Extent::Mixed,
        [x room "1", y bed "1"],
        "Part of the space that a fluid can take among grains, 1 outside of beds, and the sum V W over these grains.";
    WALLED = "walled", Uint, Device, Extent::Walled(1),
        [x walled "1"],
        "Walls within the support of a particle's kernel, nearest three: number of the collider plus one, a byte each; 0: none.";
    WALL = "wall", Vec4, Device, Extent::Walled(MAX_WALLS as u64),
        [xyz wall_normal "1", w wall_distance "m"],
        "These walls: unit normal towards the particle; w: distance.";
    FORCE = "force", Vec4, Device, Extent::Particle,
        [xyz force "N s", w violation "Pa"] or BALANCE "balance" [xyz balance "N s", w block_trace "kg"],
        "Internal forces times dt; w, in the residual of sweeps: (C + alpha~ lambda)^2.";
    PARTIAL = "partial", Vec4, Device, Extent::Tile(3),
        [xyzw partial "of the sum"],
        "Sums over tiles of particles.";
    COLLIDER_IMPULSE = "collider_impulse", Vec4, Device, Extent::TileCollider,
        [xyz collider_impulse "N s"],
        "Impulse that each collider face received from a tile of particles over the frame.";
    COLLIDER = "collider", Vec4, HostVisible, Extent::ColliderWord,
        [xyzw collider "of the word"],
        "Collider faces at every substep of a batch (shaders/include/constraints/colliders/distance.glsl).";
    PROFILE_POINT = "profile_point", Vec2, HostVisible, Extent::ProfilePoint,
        [x profile_radius "m", y profile_height "m"],
        "Profiles of revolved colliders: radius, height.";
    MESH_NODE = "mesh_node", Uvec4, Device, Extent::MeshNodeWord,
        [xyzw mesh_node "of the word"],
        "Nodes of the trees of mesh colliders (shaders/include/constraints/colliders/mesh.glsl).";
    MESH_TRIANGLE = "mesh_triangle", Vec4, Device, Extent::MeshTriangleWord,
        [xyzw mesh_triangle "of the word"],
        "Triangles of mesh colliders in the order of the leaves.";
    MESH_NEAR = "mesh_near", Uvec4, Device, Extent::Near(NEAR_WORDS as u64),
        [xyzw mesh_near "of the word"],
        "Triangles near the contacts with meshes (shaders/include/constraints/colliders/near.glsl).";
    MESH_DRIFT = "mesh_drift", Vec4, Device, Extent::MeshDrift,
        [xyz mesh_drift "m"],
        "Displacements of the corners of these triangles in the substep, apart from the rigid motion of their mesh.";
    MESH_KNOT = "mesh_knot", Vec4, Device, Extent::MeshKnot,
        [xyz mesh_knot "m"],
        "Vertices of deforming meshes at the knots around a batch, mesh by mesh and knot by knot.";
    MESH_SPAN = "mesh_span", Uvec4, HostVisible, Extent::MeshSpan,
        [xyzw mesh_span "of the word"],
        "Where the substeps of a batch lie between these knots (shaders/stages/move_vertices.comp).";
    MESH_POINT = "mesh_point", Vec4, Device, Extent::MeshPoint(2),
        [xyz mesh_point "m"],
        "Vertices of deforming meshes at the end of the substep, each followed by its displacement in the substep.";
    MESH_NORMAL = "mesh_normal", Vec4, Device, Extent::PatchPoint,
        [xyz mesh_normal "1", w mesh_normal_cut "1"],
        "Pseudo-normals of the vertices of deforming patches; w: 1 where the patch ends.";
    PATCH_POINT = "patch_point", Uvec4, Device, Extent::PatchPoint,
        [x vertex "1", y first_around "1", z end_around "1", w point_is_cut "1"],
        "Vertices of deforming patches: vertex of the mesh, range of the pairs around it, 1 where the patch ends.";
    PATCH_AROUND = "patch_around", Uvec2, Device, Extent::PatchAround,
        [x around_first "1", y around_second "1"],
        "Other corners of the triangles around these vertices, as vertices of meshes.";
    PATCH_TRIANGLE = "patch_triangle", Uvec4, Device, Extent::PatchTriangle(3),
        [xyzw patch_triangle "of the word"],
        "Triangles of deforming patches: corners as vertices of meshes, place among all triangles; vertices across the edges; corners as vertices of patches.";
    REFIT_NODE = "refit_node", Uint, Device, Extent::RefitNode,
        [x refit_node "1"],
        "Nodes of the trees of deforming patches, by level, the deepest first.";
    REFIT_LEVEL = "refit_level", Uint, Device, Extent::RefitLevel,
        [x refit_level "1"],
        "First of these nodes for each level, and the end of the last.";
    DENSITY_LIMIT = "density_limit", Float, HostVisible, Extent::Body,
        [x density_limit "1"],
        "Density of a body above which the position correction acts.";
    PACKING_LIMIT = "packing_limit", Float, HostVisible, Extent::Body,
        [x packing_limit "1"],
        "Density of a body above which flowing matter is packed more densely than at rest.";
    REST_SUM = "rest_sum", Float, HostVisible, Extent::Body,
        [x rest_sum "1"],
        "Sum V0 sum W of a body in which a fluid is at rest.";
    BODY_MODULUS = "body_modulus", Float, HostVisible, Extent::Body,
        [x body_modulus "Pa"],
        "Modulus of uniaxial strain of a body; 0 if its particles see all that they list.";
    BODY_MODE = "body_mode", Uint, HostVisible, Extent::Body,
        [x body_mode "1"],
        "Number of a body among those with rigid modes; all bits set: it has none.";
    RIGID_MODE = "rigid_mode", Vec4, Device, Extent::Mode(MODE_WORDS as u64),
        [xyzw rigid_mode "of the word"],
        "Rigid modes: center [m] and mass [kg]; columns of the inverse inertia [1/(kg m^2)]; forces [N s] and moments [N m s] at the last move, of its effect, of the residual and of the product; velocity [m/s] and angular velocity [1/s].";
    MODE_PARTIAL = "mode_partial", Vec4, Device, Extent::TileMode(2),
        [xyzw mode_partial "of the word"],
        "Sums for the rigid modes by tiles of particles, body by body.";
    AWAKE = "awake", Uint, Device, Extent::Body,
        [x awake "1"],
        "Per body: 19 for each unpinned particle that moves, minus 1 for each that is slow.";
    PIN = "pin", Vec4, HostVisible, Extent::PinWord,
        [xyzw pin "of the word"],
        "Pins at every substep of a batch: center, its velocity, rows of the map from x - center to velocity.";
    RIGID = "rigid", Vec4, HostVisible, Extent::Rigid(RIGID_WORDS as u64),
        [xyzw rigid "of the word"],
        "Rigid bodies as the host last set them: center at the start [m] and first face; contacts' impulse [N s] and end of the faces; their moment [N m s] and the radius [m]; impulse that matter must cancel and that of the weight [N s]; moment that it must cancel [N m s] and the mass [kg].";
    RIGID_PARTIAL = "rigid_partial", Vec4, Device, Extent::TileRigid(LOAD_WORDS as u64),
        [xyzw rigid_partial "of the word"],
        "Loads of rigid bodies by tiles of particles, body by body.";
    RIGID_LOAD = "rigid_load", Vec4, HostVisible, Extent::Rigid(LOAD_WORDS as u64),
        [xyzw rigid_load "of the word"],
        "Loads of rigid bodies: impulse and sum of sizes [N s]; moment [N m s] and number of contacts; resistance of the matter, columns of the blocks from velocity to impulse [kg], from angular velocity to impulse [kg m] and to moment [kg m^2].";
    RIGID_REPORT = "rigid_report", Uint, HostVisible, Extent::Fixed(REPORT_WORDS as u64),
        [x rigid_report "of the word"],
        "Where the solve is, for the host: the words REPORT_* of the shared constants.";
    NEWTON = "newton", Uint, Device, Extent::Fixed(NEWTON_WORDS as u64),
        [x newton "of the word"],
        "State of the Newton solve: the words NEWTON_* of the shared constants; real numbers as float bits.";
    REVERSE = "reverse", Uint, Device, Extent::NewtonPair,
        [x reverse "1"],
        "Index of the pair record in which the neighbor lists the particle.";
    PAIR_FORCE = "pair_force", Vec4, Device, Extent::NewtonPair,
        [xyz pair_force "N s", w block_trace "kg"],
        "Impulse on the neighbor: internal force times dt, or its part of a product; w: part of the trace of the neighbor's block.";
    NEWTON_START = "newton_start", Vec4, Device, Extent::Newton,
        [xyz newton_start "m/s", w inverse_mass "1/kg"],
        "Velocities at the start of a Newton step or of a round of relaxation; w: inverse mass.";
    NEWTON_CHANGE = "newton_change", Vec4, Device, Extent::Newton,
        [xyz newton_change "m/s"] or OLDER_MOVE "older_move" [xyz older_move "m/s"],
        "Step of conjugate gradients from NEWTON_START; in relaxation the move before the last.";
    NEWTON_RESIDUAL = "newton_residual", Vec4, Device, Extent::Newton,
        [xyz newton_residual "N s", w guess_imbalance "N s"],
        "Residual of the linear model; after an evaluation of the forces, minus the imbalance; w: norm of the imbalance at the guess.";
    NEWTON_DIRECTION = "newton_direction", Vec4, Device, Extent::Newton,
        [xyz newton_direction "m/s"] or LAST_MOVE "last_move" [xyz last_move "m/s"],
        "Search direction; in relaxation the last move.";
    NEWTON_PRODUCT = "newton_product", Vec4, Device, Extent::Newton,
        [xyz newton_product "N s"] or LAST_EFFECT "last_effect" [xyz last_effect "N s"],
        "Matrix times the search direction; in relaxation the imbalance before the last move, then the effect of the move on it.";
    NEWTON_OLDER = "newton_older", Vec4, Device, Extent::Newton,
        [xyz older_effect "N s"],
        "Effect of the move before the last on the imbalance.";
    NEWTON_STRESS_DIAGONAL = "newton_stress_diagonal", Vec4, Device, Extent::Newton,
        [xyz stress_diagonal "Pa", w uniaxial_modulus "Pa"],
        "Kirchhoff stress at the last evaluation, xx yy zz; w: modulus of uniaxial strain.";
    NEWTON_STRESS_SHEAR = "newton_stress_shear", Vec4, Device, Extent::Newton,
        [xyz stress_shear "Pa"],
        "Kirchhoff stress at the last evaluation, yz xz xy.";
    NEWTON_BLOCK_DIAGONAL = "newton_block_diagonal", Vec4, Device, Extent::Newton,
        [xyz block_diagonal "kg"] or PRECONDITIONER_DIAGONAL "preconditioner_diagonal" [xyz preconditioner_diagonal "1/kg", w block_trace "kg"],
        "Diagonal block of the first matrix without the mass, xx yy zz; then the inverse of the block with the mass; w: trace of the block.";
    NEWTON_BLOCK_SHEAR = "newton_block_shear", Vec4, Device, Extent::Newton,
        [xyz block_shear "kg"] or PRECONDITIONER_SHEAR "preconditioner_shear" [xyz preconditioner_shear "1/kg"],
        "Same as NEWTON_BLOCK_DIAGONAL, yz xz xy.";
    NEWTON_BLOCKED = "newton_blocked", Vec4, Device, Extent::Newton,
        [xyz blocked "1", w blocked_count "1"],
        "Directions that contacts block: w counts them; with one, xyz is its unit vector, with two, that of the remaining free direction.";
    NEWTON_CONTACT = "newton_contact", Vec4, Device, Extent::NewtonContact,
        [xyz contact "m/s", w gap "m"],
        "Contacts that belong to NEWTON_START.";
    LINKED_PLACE = "linked_place", Uint, Device, Extent::Linked,
        [x linked_place "1"],
        "Index of a linked particle, by its id minus the id of the first one.";
    LINK = "link", Uvec4, Device, Extent::Link(2),
        [xyzw link "1"],
        "Ids of the particles of a link, two words; all bits set: none, in place of the first: the link is gone. Ordered by color. In w of the second word of a membrane, as float bits: square of the stretch that it bears, less 1.";
    LINK_NUMBERS = "link_numbers", Vec4, Device, Extent::Link(LINK_WORDS as u64),
        [xyzw link_numbers "of the kind"],
        "Parameters of a link, as its kind defines them (engine/problem/src/links).";
    LINK_COLOR = "link_color", Uvec2, Device, Extent::LinkColor,
        [x first_link "1", y kind "1"],
        "First link of a color, and its kind.";
    LINK_START = "link_start", Uint, Device, Extent::LinkedAndTotal,
        [x link_start "1"],
        "Index in LINK_LIST of the first link of a linked particle.";
    LINK_LIST = "link_list", Uint, Device, Extent::Incidence,
        [x link_list "1"],
        "Links by particle: index (27 bits), kind (2 bits), and which member the particle is (3 bits).";
    LINK_MULTIPLIER = "link_multiplier", Vec4, Device, Extent::Link(LINK_MULTIPLIERS as u64),
        [xyzw link_multiplier "of the kind"],
        "Multipliers of links in sweeps.";
    SHEET = "sheet", Vec4, Device, Extent::Sheet,
        [x half_thickness "m", y own_gap "m", z sheet_friction "1"],
        "Sheets of cloth that others touch: distance that points keep from it, distance that it keeps from itself, friction.";
    SHEET_OF_BODY = "sheet_of_body", Uint, Device, Extent::Body,
        [x sheet_index "1"],
        "Index of the sheet that a body is; all bits set: none.";
    SHEET_TRIANGLE = "sheet_triangle", Uvec4, Device, Extent::SheetTriangle(2),
        [xyzw sheet_triangle "1"],
        "Triangles of sheets, near ones side by side, two words: corners, as ids minus the id of the first linked particle, and the sheet (all bits set: it has torn); up to three edges that belong to this triangle (all bits set: none), and its number.";
    SHEET_EDGE = "sheet_edge", Uvec4, Device, Extent::SheetEdge,
        [xyzw sheet_edge "1"],
        "Edges of sheets: ends, as ids minus the id of the first linked particle; the sheet, all bits set if it has torn.";
    SHEET_BOX = "sheet_box", Vec4, Device, Extent::SheetNode(2),
        [xyz corner "m"],
        "Boxes of the binary tree over the triangles of sheets, two corners each: node 1 is the root, 2 n and 2 n + 1 are the children of n.";
    SHEET_SPEED = "sheet_speed", Float, Device, Extent::Tile(1),
        [x sheet_speed "m/s"],
        "Largest speed in a tile of particles, for what may touch sheets.";
    SHEET_REACH = "sheet_reach", Float, Device, Extent::Fixed(1),
        [x sheet_reach "m"],
        "What a solve may add to the predicted motion in the substep.";
    MEETING = "meeting", Uvec4, Device, Extent::Meeting(1),
        [xyzw meeting "1"],
        "Contacts with sheets: indices of a point and the corners of a triangle, or of the ends of two edges (MEETING_EDGES); or a face of a collider instead of the point (MEETING_OBSTACLE).";
    MEETING_NUMBERS = "meeting_numbers", Vec4, Device, Extent::Meeting(1),
        [x rest_gap "m", y least_gap "m", z meeting_friction "1", w bears "N s"],
        "Contacts with sheets: distance at rest, distance that this substep keeps, friction, load by which friction counts.";
    MEETING_KEY = "meeting_key", Uvec2, Device, Extent::Meeting(1),
        [xy meeting_key "1"],
        "Places of contacts with sheets in the order in which they act one after the other.";
    MEETING_PUSH = "meeting_push", Vec4, Device, Extent::Meeting(3),
        [xyzw meeting_push "of the word"],
        "What a contact with a sheet does in the force balance, three words: weights of its members; normal, spring times dt^2 [kg]; impulse [N s], friction per slip [kg].";
    MEETING_SPOT = "meeting_spot", Vec4, Device, Extent::Meeting(2),
        [xyz meeting_spot "of the word", w spot_bound "kg"],
        "Where a triangle may touch a collider, two words: the place at the start, from the first corner [m], and the largest part of the matrix that the contact may have; velocity of the place by deformation [m/s].";
    MEETING_GIVEN = "meeting_given", Vec4, Device, Extent::Meeting(1),
        [xyz meeting_given "N s"],
        "What rows have given to a collider in the substep.";
    MEETING_ACTIVE = "meeting_active", Uint, Device, Extent::Meeting(1),
        [x meeting_active "1"],
        "Contacts with sheets that act in a sweep.";
    MEETING_NEXT = "meeting_next", Uint, Device, Extent::Meeting(4),
        [x meeting_next "1"],
        "For each member of a contact: the next contact of the same particle, times four plus which member it is there; all bits set: none.";
    MEETING_FIRST = "meeting_first", Uint, Device, Extent::Sheeted(1),
        [x meeting_first "1"],
        "First contact with a sheet of a particle, as in MEETING_NEXT.";
    MEETING_TURN = "meeting_turn", Uint, Device, Extent::Sheeted(2),
        [x meeting_turn "1"],
        "First key among the contacts of a particle that wait for their turn, two words.";
    SHIFT = "shift", Vec4, Device, Extent::Sheeted(2),
        [xyz shift "m"],
        "Displacement of a particle besides dt v, and the part of it that spreads loose matter, for contact with sheets.";
    SHIFT_LIMIT = "shift_limit", Vec4, Device, Extent::Sheeted(CONTACT_SLOTS as u64),
        [xyz limit_normal "1", w least_shift "m"],
        "For each collider face that a particle touches: its normal and the least displacement along it that contact with sheets leaves.";
    TOTAL_PLACE = "total_place", Uint, Device, Extent::Total(1),
        [x total_place "1"],
        "Index of a particle of a total body, by its id minus the id of the first one.";
    TOTAL_START = "total_start", Uint, Device, Extent::TotalAndOne,
        [x total_start "1"],
        "First of the pairs that such a particle keeps, and the end of the last.";
    TOTAL_PAIR = "total_pair", Uvec4, Device, Extent::TotalPair,
        [x packed_id "1", yzw start_gradient "1/m"],
        "Pairs that particles of total bodies keep: id of the neighbor (24 bits), ascending, and weight code (8 bits); as float bits: gradient g0 at the start.";
    TOTAL_REACH = "total_reach", Float, Device, Extent::BreakingPair,
        [x total_reach "m^2"],
        "Square of the distance at which such a pair breaks; the largest f32 if it does not.";
    TOTAL_WEIGHT = "total_weight", Vec4, Device, Extent::Total(1),
        [xyz start_slope "m", w weight_scale "1"],
        "q0 of w' = w^ (1 - g0 . q0) / sum w^ of such a particle; w: 1 / sum w^, 0 if its neighbors determine no gradient.";
    TOTAL_UNSTRETCH = "total_unstretch", Vec4, Device, Extent::Total(3),
        [xyz unstretch "1"],
        "F^-T of such a particle at the start of the substep, three columns.";
    TOTAL_COLOR = "total_color", Uint, Device, Extent::Fixed(COLORS as u64 + 1),
        [x first_cell "1"],
        "First of the cells of each color in which total bodies started, and the end of the last.";
    TOTAL_CELL = "total_cell", Uint, Device, Extent::TotalCell,
        [x first_member "1"],
        "First member of such a cell, and the end of the last.";
    TOTAL_MEMBER = "total_member", Uint, Device, Extent::Total(1),
        [x id "1"],
        "Ids of the particles in these cells, cell by cell.";
    STATUS = "status", Uint, Device, Extent::Fixed(STATUS_WORDS as u64),
        [x status "of the word"],
        "Status block: failures, residuals and counters of a batch.";
    ARGUMENTS = "arguments", Uvec4, Device, Extent::Fixed(ARGUMENTS_COUNT as u64),
        [xyz groups "1"],
        "Workgroup counts of indirect dispatches.";
}
}
