//! Material libraries on a device, run by the program: GLSL that does not compile, fails later, or is edited during a run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod watch;

mod faults;

use std::process::ExitCode;
use tuff_tests::device_tests;
use tuff_tests::program::{Outcome, Place};
use tuff_tests::watched::VULKAN;

/// Runs the scene to the end on a Vulkan device.
fn run(place: &Place, extra: &[&str]) -> Outcome {
    tuff_tests::watched::run(place, &[&VULKAN[..], extra].concat())
}

fn main() -> ExitCode {
    let tests = device_tests![
        faults::glsl_that_does_not_compile_names_the_library_and_the_line,
        faults::glsl_that_does_not_fit_names_the_model_that_is_called,
        faults::glsl_with_the_name_of_another_source_is_refused,
        faults::nan_from_glsl_names_the_material_and_the_library,
        faults::nan_stress_is_traced_to_the_same_row_as_in_f64,
    ];
    #[cfg(unix)]
    let tests = &[
        tests as &[_],
        device_tests![
            watch::edited_glsl_is_taken_over_between_frames,
            watch::a_folder_of_sources_and_rebuilt_libraries_go_together,
            watch::compiler_warnings_of_a_model_are_shown,
            watch::watching_alone_changes_nothing,
            watch::what_does_not_compile_at_the_start_is_refused,
        ],
    ]
    .concat();
    tuff_tests::run_device_tests(tests, &[])
}
