//! The Vulkan solver (f32) against its f64 twin.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod columns;
mod failures;
mod fluids;
mod links;
mod materials;
mod meshes;
mod mutations;
mod obstacles;
mod options;
mod overlaps;
mod pieces;
mod profile;
mod rigid;
mod runs;
mod scenes;
mod stages;
mod tensor;
mod total;

use std::process::ExitCode;
use tuff_tests::device_tests;

fn main() -> ExitCode {
    tuff_tests::run_device_tests(
        device_tests![
            columns::an_affine_motion_has_the_stress_of_its_closed_form,
            columns::shears_whose_squares_underflow_change_nothing,
            columns::columns_agree_with_the_reference,
            mutations::every_shader_has_a_planted_error,
            materials::elastic,
            materials::von_mises,
            materials::drucker_prager,
            materials::nacc,
            materials::herschel_bulkley,
            materials::snow,
            materials::viscoelastic,
            materials::wide_ranges,
            meshes::every_kind,
            meshes::fine_ground,
            meshes::walls,
            meshes::deforming,
            pieces::every_kind,
            rigid::among_sand,
            rigid::going_back_is_exact,
            rigid::without_matter_devices_are_left_alone,
            tensor::constraint_gradients,
            stages::neighbors,
            stages::reverse_pairs,
            stages::kernel_correction,
            stages::sweep,
            stages::whole_substep,
            runs::column_over_100_substeps,
            runs::two_runs_are_identical,
            runs::batches_change_nothing,
            runs::every_way_to_reach_buffers_is_identical,
            runs::every_kind_of_matter_by_address,
            runs::lanes_change_rounding_only,
            runs::lists_grow_when_they_overflow,
            runs::residual_ends_the_iteration,
            runs::a_halved_substep_is_two_of_half_the_length,
            runs::an_unbalanced_substep_is_two_of_half_the_length,
            runs::pressed_particles_start_at_another_step,
            runs::going_back_is_exact,
            runs::steps_are_found_alike_and_halved_for_a_retry,
            runs::a_grain_that_flies_alone_does_not_hold_the_step,
            runs::frames_in_which_particles_go_too_far_are_repeated,
            failures::a_fold_is_traced_to_the_same_place,
            failures::a_fold_beside_a_rigid_body_is_placed,
            failures::nan_at_the_start_is_told_apart,
            fluids::sweeps,
            fluids::newton,
            fluids::seeping_sweeps,
            fluids::seeping_newton,
            fluids::surface_tension,
            links::sweeps,
            links::newton,
            links::energy,
            total::sweeps,
            total::newton,
            total::whole_tensors,
            total::schemes_agree,
            total::far_neighbors,
            total::fracture,
            total::going_back_is_exact,
            links::cloth,
            links::cloth_contact,
            links::a_sheet_on_a_floor,
            links::meetings,
            links::more_meetings_than_fit,
            links::sheets_divide_matter,
            links::population_changes_beside_sheets,
            links::tearing,
            obstacles::every_kind,
            obstacles::places,
            options::jacobi,
            options::tensor_multiplier,
            options::newton,
            options::newton_pushes_pairs_apart,
            options::newton_moves_stiff_bodies_whole,
            options::newton_defers_contact_of_metal,
            overlaps::matter_that_starts_in_something_leaves_it_without_speed,
            options::newton_balances_what_lifts_off_a_sticky_floor,
            options::newton_slips_under_load,
            options::literal_gradient,
            options::semi_implicit,
            options::without_memory,
            options::without_kernel_correction,
            options::default_smoothing,
            options::viscosity,
            options::volume_of_what_flows,
            options::density_correction,
            options::density_leaves_bodies_at_rest_alone,
            options::grains,
            options::grains_show_their_own_stages,
            options::models_of_whole_tensors,
            options::bodies_pins_and_moving_colliders,
            options::every_collider_shape,
            profile::changes_nothing,
            profile::calls_follow_one_motion,
            profile::times_fit_into_the_wall_clock,
            profile::work_is_counted,
            profile::iterations_that_did_not_happen_cost_nothing,
            profile::repeated_substeps_are_one,
            profile::passes_on_the_processor_are_counted,
            profile::loops_belong_to_the_parts_of_their_stages,
        ],
        device_tests![
            materials::wide_ranges_densely,
            mutations::every_planted_error_is_noticed,
            options::loose_sand,
        ],
    )
}
