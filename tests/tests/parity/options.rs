//! Every numerical option, on the device and in the reference.

use tuff_tests::problem;

use crate::runs::agree;
use crate::scenes;

/// 20 substeps of a small column with other solver settings.
fn with(solver: &str) {
    agree(&problem(&scenes::column(7, solver)), 20, 2e-4);
}

pub fn jacobi() {
    with("scheme = \"jacobi\"\niterations = 20");
}

pub fn tensor_multiplier() {
    with("multiplier = \"tensor\"\niterations = 5");
}

pub fn literal_gradient() {
    with("gradient = \"literal\"\niterations = 5");
}

pub fn semi_implicit() {
    with("plasticity = \"semi_implicit\"\niterations = 5");
}

pub fn without_memory() {
    with("stabilization = 0.0\niterations = 5");
}

pub fn without_kernel_correction() {
    with("kernel_correction = false\niterations = 5");
}

pub fn viscosity() {
    with("viscosity = 1e-3\niterations = 5");
}

pub fn models_of_whole_tensors() {
    agree(&problem(scenes::TENSORS), 100, 1e-3);
    let semi = scenes::TENSORS.replace("iterations = 6", "iterations = 6\nplasticity = \"semi_implicit\"");
    agree(&problem(&semi), 20, 1e-3);
}

pub fn bodies_pins_and_moving_colliders() {
    agree(&problem(scenes::MIXED), 100, 2e-3);
}

pub fn every_collider_shape() {
    agree(&problem(scenes::SHAPES), 100, 2e-3);
}
