//! Push constants: what all stages of a substep share.

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
    contact_distance: f32 = Float, "Distance below which a pair is a candidate for it [m].";
    grain_friction: f32 = Float, "Coulomb coefficient between grains [dimensionless].";
    residual_floor: f32 = Float, "Least value that the force residual is divided by [N s].";
    residual_tolerance: f32 = Float, "Force residual at which the iteration ends [dimensionless].";
    residual_limit: f32 = Float, "Force residual above which a Newton solve is not to count [dimensionless]; 0: any counts.";
    cell_edge: f32 = Float, "Edge of a cell [m].";
    grid_x: u32 = Uint, "Cells along x.";
    grid_y: u32 = Uint, "Cells along y.";
    grid_z: u32 = Uint, "Cells along z.";
    cell_count: u32 = Uint, "Cells in all.";
    particle_count: u32 = Uint, "Particles.";
    pair_capacity: u32 = Uint, "Pair records that fit.";
    collider_count: u32 = Uint, "Colliders.";
    first_collider: u32 = Uint, "First word of this substep's colliders.";
    first_pin: u32 = Uint, "First word of this substep's pins.";
    color: u32 = Uint, "Color of the sweep.";
    phase: u32 = Uint, "Residual: 0 before the first iteration, 1 after one. Newton: passes left, this one included; 0 opens the solve, NEWTON_CLOSE ends what is recorded.";
}
