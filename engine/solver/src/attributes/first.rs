//! Initial values of kept attributes, element by element in the order of ids.

use tuff_problem::Problem;

use crate::materials::History;

/// A problem, with the data that its particles have in common.
pub struct Start<'a> {
    problem: &'a Problem,
    /// Initial state words of each material.
    states: Vec<[f32; 4]>,
    /// Words that a particle at rest carries for models of the tensor variant.
    history: Vec<[f32; 4]>,
}

impl<'a> Start<'a> {
    /// Asks the models for their initial states.
    pub fn new(problem: &'a Problem) -> Self {
        let materials = problem.materials.iter();
        let states = materials
            .map(|m| problem.models[m.model].initial_state(&m.constants).map(|word| word as f32))
            .collect();
        Self { problem, states, history: History::of(problem).at_rest() }
    }
}

/// Returns the bits of an element.
fn bits(element: [f32; 4]) -> [u32; 4] {
    element.map(f32::to_bits)
}

/// Splits an f64 into the nearest f32 and the remainder.
fn split(x: f64) -> (f32, f32) {
    let high = x as f32;
    (high, (x - f64::from(high)) as f32)
}

pub fn position(start: &Start<'_>, i: usize) -> [u32; 4] {
    let [x, y, z] = start.problem.particles.position[i].to_array().map(|x| split(x).0);
    bits([x, y, z, 0.0])
}

/// Leaves the memory unbounded: the first commit finds its bound.
pub fn position_low(start: &Start<'_>, i: usize) -> [u32; 4] {
    let [x, y, z] = start.problem.particles.position[i].to_array().map(|x| split(x).1);
    bits([x, y, z, f32::MAX])
}

pub fn velocity(start: &Start<'_>, i: usize) -> [u32; 4] {
    let Start { problem, .. } = start;
    let v = problem.particles.velocity[i];
    let free = problem.particles.pin[i] == u32::MAX;
    let inverse_mass = if free { (1.0 / problem.mass[i]) as f32 } else { 0.0 };
    bits([v.x as f32, v.y as f32, v.z as f32, inverse_mass])
}

pub fn strain_diagonal(_: &Start<'_>, _: usize) -> [u32; 4] {
    bits([0.0, 0.0, 0.0, 1.0])
}

pub fn strain_shear(_: &Start<'_>, _: usize) -> [u32; 4] {
    bits([0.0; 4])
}

pub fn memory(start: &Start<'_>, i: usize) -> [u32; 4] {
    bits([0.0, 0.0, 0.0, start.problem.particles.rest_volume[i] as f32])
}

pub fn state(start: &Start<'_>, i: usize) -> [u32; 4] {
    bits(start.states[start.problem.particles.material[i] as usize])
}

pub fn identity(start: &Start<'_>, i: usize) -> [u32; 4] {
    let particles = &start.problem.particles;
    [i as u32, particles.material[i], particles.body[i], particles.pin[i]]
}

pub fn history(start: &Start<'_>, i: usize) -> [u32; 4] {
    bits(start.history[i % start.history.len()])
}

/// Returns a column of the identity.
pub fn deformation(_: &Start<'_>, i: usize) -> [u32; 4] {
    bits(std::array::from_fn(|row| if row == i % 3 { 1.0 } else { 0.0 }))
}

pub fn plastic(_: &Start<'_>, _: usize) -> [u32; 4] {
    bits([0.0; 4])
}

pub fn internal_acceleration(_: &Start<'_>, _: usize) -> [u32; 4] {
    bits([0.0; 4])
}

pub fn mean_acceleration(_: &Start<'_>, _: usize) -> [u32; 4] {
    bits([0.0; 4])
}
