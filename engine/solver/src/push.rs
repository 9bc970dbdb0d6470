//! Push constants: parameters that all stages of a substep share.

use bytemuck::{Pod, Zeroable};
use tuff_gpu::{FieldType, PushField};

macro_rules! push {
    ($($name:ident: $rust:ident = $glsl:ident, $help:literal;)*) => {
        /// Push constants, in the order of [`FIELDS`].
        #[repr(C)]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
        pub struct Push { $(#[doc = $help] pub $name: $rust,)* }

        /// Members of the push constant block.
        pub static FIELDS: &[PushField] = &[$(PushField {
            name: stringify!($name), glsl_type: FieldType::$glsl, help: $help,
        }),*];
    };
}

push! {
    dt: f32 = Float, "Substep [s].";
    kernel_radius: f32 = Float, "Kernel radius r [m].";
    gravity_x: f32 = Float, "Gravity along x [m/s^2].";
    gravity_y: f32 = Float, "Gravity along y [m/s^2].";
    gravity_z: f32 = Float, "Gravity along z [m/s^2].";
    stabilization: f32 = Float, "Stiffness k_s of the zero-energy memory [dimensionless].";
    xsph: f32 = Float, "Smoothing coefficient c of the substep [dimensionless].";
    min_distance: f32 = Float, "Distance below which particles are pushed apart [m].";
    contact_distance: f32 = Float, "Distance below which a pair is a candidate for the position correction [m].";
    grain_friction: f32 = Float, "Coulomb coefficient between grains [dimensionless].";
    residual_floor: f32 = Float, "Lower bound of the scale of the force residual [N s].";
    residual_tolerance: f32 = Float, "Force residual at which the iteration ends [dimensionless].";
    residual_limit: f32 = Float, "Force residual above which a Newton solve is rejected [dimensionless]; 0: never.";
    cell_edge: f32 = Float, "Edge of a cell [m].";
    grid_x: u32 = Uint, "Number of cells along x.";
    grid_y: u32 = Uint, "Number of cells along y.";
    grid_z: u32 = Uint, "Number of cells along z.";
    cell_count: u32 = Uint, "Number of cells.";
    particle_count: u32 = Uint, "Number of particles.";
    pair_capacity: u32 = Uint, "Capacity for pair records.";
    meeting_capacity: u32 = Uint, "Capacity for contacts with sheets.";
    collider_count: u32 = Uint, "Number of collider faces.";
    first_collider: u32 = Uint, "First word of this substep's collider faces.";
    first_pin: u32 = Uint, "First word of this substep's pins.";
    first_span: u32 = Uint, "First word of this substep's deforming meshes.";
    first_total: u32 = Uint, "Id of the first particle of a total body.";
    total_count: u32 = Uint, "Number of particles of total bodies.";
    first_linked: u32 = Uint, "Id of the first particle of a rope or cloth.";
    linked_count: u32 = Uint, "Number of particles of ropes and cloth.";
    rigid_count: u32 = Uint, "Number of rigid bodies.";
    color: u32 = Uint, "Color of the sweep; level of the trees of deforming meshes; 1 if the boxes of sheets hold their paths; when contacts with sheets act; which sums of rigid modes are formed.";
    phase: u32 = Uint, "Residual: 0 before the first iteration, 1 after one. Newton: passes left, this one included; 0: opens the solve, NEWTON_CLOSE: closes it.";
}
