//! Cards of the validation plan: motions and equilibria with a closed form or a published number.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod beam;
mod cards;
mod homogeneous;
mod momentum;
mod patch_test;
mod pressed_cube;
mod rotation;
mod sliding;
mod support;

use std::process::ExitCode;
use tuff_tests::device_tests;

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        device_tests![
            cards::b6,
            cards::b11,
            cards::b13,
            cards::b15,
            cards::b17,
            cards::b23,
            cards::b25,
            patch_test::clouds,
            patch_test::at_any_scale,
            patch_test::five_points,
            patch_test::lines_and_planes,
            patch_test::order_of_the_gradient,
            patch_test::uncorrected_gradients_fail,
            homogeneous::strain_volume_and_stress,
            momentum::free_fall,
            momentum::random_velocities_and_stress,
            momentum::two_blocks_collide,
            rotation::one_turn,
            pressed_cube::foam_relaxes_under_a_plate,
            pressed_cube::fibers_stiffen_their_direction,
            sliding::sticks_below_the_critical_angle,
            sliding::slides_at_30_degrees,
        ],
        device_tests![
            rotation::three_turns_at_every_stiffness,
            sliding::every_step_without_and_with_friction,
            sliding::thrown_block_slows_down,
            beam::swings_and_stays_whole,
            beam::swings_with_the_tensor_multiplier,
            beam::tears_without_memory,
        ],
    )
}
