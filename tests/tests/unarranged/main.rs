//! Random scenes with the default solver: what holds in any of them, and that rest is cheap. Cloth against closed forms.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adhesion;
mod cloth;
mod dam;
mod deforming;
mod drawn;
mod emitters;
mod fracture;
mod meshes;
mod metal;
mod mixture;
mod obstacles;
mod pieces;
mod rest;
mod rigid;
mod sheets;
mod sunk;
mod tension;
mod total;
mod walls;
mod water;

use std::process::ExitCode;

use tuff_tests::device_tests;

/// Presets with a stiffness of gigapascals, whose scenes take ten times as long as others.
const STIFF: [&str; 3] = ["aluminium", "steel_soft", "soft_wood"];

fn main() -> ExitCode {
    let fast = device_tests![
        adhesion::a_block_hangs_from_a_rigid_body,
        adhesion::a_slab_on_a_wall_slides_by_coulombs_law,
        adhesion::a_thick_floor_carries_at_its_thickness,
        cloth::a_sheet_hangs_as_a_catenary,
        cloth::a_strip_lengthens_under_its_weight,
        cloth::a_swinging_sheet_gains_no_energy,
        cloth::a_drape_does_not_depend_on_the_triangles,
        dam::a_dam_breaks,
        dam::a_long_dam_flows_as_shallow_water,
        deforming::a_sequence_that_moves_is_a_motion,
        deforming::a_squeezed_bag_keeps_its_sand,
        deforming::a_belt_takes_a_block_along,
        deforming::a_pose_that_is_set_is_a_motion,
        drawn::four_scenes_do_nothing_that_none_may_on_a_vulkan_device,
        drawn::six_scenes_in_company_do_nothing_that_none_may,
        drawn::a_scene_that_does_is_told,
        emitters::layers_leave_no_gap_and_are_counted,
        emitters::a_drained_stream_becomes_steady,
        emitters::a_full_emitter_waits,
        emitters::cloth_and_rope_keep_their_places,
        emitters::sand_is_poured_into_a_hammock,
        meshes::a_box_of_triangles_is_a_box,
        meshes::a_ball_of_triangles_is_a_ball,
        meshes::nothing_passes_a_sheet,
        meshes::in_a_wedge_nothing_is_led_through_the_floor,
        meshes::a_fast_sheet_takes_matter_along,
        meshes::a_plate_cuts_into_sand,
        meshes::a_shaken_bowl_keeps_its_sand,
        metal::a_cube_rests_on_a_floor,
        metal::an_impact_stores_less_than_it_brings,
        metal::a_tilted_block_gains_no_energy,
        metal::softer_matter_hits_it,
        obstacles::a_coarse_sheet_hangs_on_a_rod_and_a_corner,
        obstacles::a_corner_gives_a_sheet_its_momentum,
        obstacles::a_small_ball_lies_in_a_coarse_sheet,
        pieces::a_pocket_is_a_container,
        pieces::sand_falls_through_a_hole_alone,
        rest::sand_in_a_box,
        fracture::a_bar_breaks_at_its_strain,
        fracture::a_kept_state_knows_what_has_broken,
        fracture::a_spinning_bar_breaks_in_the_middle,
        rigid::a_collision_conserves_momentum,
        mixture::sand_under_water_bears_its_buoyant_weight,
        mixture::a_sinking_block_stays_a_block,
        mixture::sand_takes_the_momentum_of_water,
        mixture::cohesion_follows_saturation,
        rest::sand_on_a_floor,
        rest::snow_under_a_lid,
        rest::foam_under_a_lid,
        rest::clay_on_a_floor,
        rest::wet_sand_on_a_slope,
        sheets::a_block_on_a_tilted_sheet_obeys_coulomb,
        sheets::a_hammock_carries_its_load,
        sheets::a_handkerchief_hangs_from_an_edge,
        sheets::a_sheet_takes_the_momentum_of_a_block,
        sheets::a_sheet_under_sand_stays_on_the_floor,
        sheets::a_strip_tears_at_its_strain,
        sheets::an_edge_holds_a_sheet,
        sheets::sheets_lie_on_each_other,
        sunk::nothing_is_thrown_out,
        tension::a_drop_on_a_wall_is_half_a_ball,
        tension::a_drop_swings_with_its_period,
        tension::drops_flow_together,
        total::a_cantilever_swings_as_far_as_theory_says,
        total::a_spinning_bar_keeps_its_shape,
        total::a_bar_stretches_to_five_times_its_length,
        total::a_hanging_bar_swings_as_a_wave,
        total::sinks_leave_total_bodies_alone,
        total::swapped_neighbors_return,
        total::total_bodies_touch_others,
        total::bodies_that_are_too_thin_are_refused,
        walls::nothing_is_felt_through_a_wall,
        water::a_block_floats_at_its_draft,
        water::a_block_gives_its_momentum_to_water,
        water::a_filled_tank_comes_to_rest,
        water::a_sticky_wall_and_a_slope_throw_nothing_out,
        water::random_points_are_spread_evenly,
        water::vessels_level_out,
    ];
    tuff_tests::run_device_tests(
        fast,
        device_tests![
            adhesion::a_block_hangs_by_its_weight,
            cloth::a_clamped_strip_is_an_elastica,
            cloth::a_clamped_strip_is_an_elastica_at_fixed_steps,
            cloth::a_sheet_hangs_as_a_catenary_at_fixed_steps,
            cloth::nothing_passes_a_ball,
            drawn::forty_scenes_in_company_do_nothing_that_none_may,
            drawn::twenty_scenes_do_nothing_that_none_may_on_a_vulkan_device,
            emitters::a_run_continues_in_the_middle_of_an_emission,
            mixture::sand_under_water_bears_its_buoyant_weight_at_fixed_steps,
            mixture::a_submerged_column_comes_to_rest_on_its_slope,
            mixture::water_seeps_as_darcy_says,
            mixture::water_seeps_as_darcy_says_at_fixed_steps,
            rest::foam_on_a_slope,
            rest::paste_on_a_sticky_floor,
            rigid::light_and_heavy_plates_rest_on_sand,
            sheets::a_block_on_a_tilted_sheet_obeys_coulomb_at_fixed_steps,
            sheets::a_crumpled_sheet_does_not_cross_itself,
            sheets::a_hammock_carries_its_load_by_other_solves,
            sheets::sand_does_not_leak_through_a_hammock,
            sunk::every_material_everywhere,
            tension::a_drop_swings_at_other_sizes_and_steps,
            total::a_bar_stretches_to_five_times_its_length_at_other_steps,
            total::a_spinning_bar_keeps_its_shape_for_20_turns,
            total::metal_keeps_its_bend,
            water::a_filled_tank_comes_to_rest_at_fixed_steps,
        ],
    )
}
