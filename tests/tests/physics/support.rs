//! Scenes, prescribed motions and measures that the cards share.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};
use tuff_problem::{Frame, FrameReport, Problem, Simulation};
use tuff_solver::GpuSimulation;
use tuff_solver::attributes::*;
use tuff_tests::step;

/// Plain settings: no smoothing, no position correction.
pub const PLAIN: &str = "xsph = 0.0\nposition_correction = { kind = \"none\" }\n";

/// A scene whose substep is `dt` [s] and whose frame is one substep. `solver` and `rest` are TOML.
pub fn scene(dt: f64, gravity: [f64; 3], radius: f64, solver: &str, rest: &str) -> String {
    frames_of(1, dt, gravity, radius, solver, rest)
}

/// A scene whose frame is `count` substeps of `dt` [s].
pub fn frames_of(count: u32, dt: f64, gravity: [f64; 3], radius: f64, solver: &str, rest: &str) -> String {
    let rate = 1.0 / (dt * f64::from(count));
    format!(
        "format = 1\n[scene]\nname = \"card\"\ngravity = {gravity:?}\n\
         [time]\nframe_rate = {rate:?}\nframes = [1, 100000]\nmax_substep = {dt:?}\n\
         [solver]\nkernel_radius = {radius:?}\n{solver}\n{rest}"
    )
}

/// The scene's material `matter`; `rest` holds the model's other parameters.
pub fn material(model: &str, density: f64, youngs_modulus: f64, poisson_ratio: f64, rest: &str) -> String {
    format!(
        "[[material]]\nname = \"matter\"\nmodel = \"{model}\"\ndensity = {density:?}\n\
         youngs_modulus = {youngs_modulus:?}\npoisson_ratio = {poisson_ratio:?}\n{rest}\n"
    )
}

/// A body of `matter` on a lattice in a box.
pub fn lattice_box(name: &str, min: [f64; 3], max: [f64; 3], spacing: f64, rest: &str) -> String {
    let shape = format!("{{ box = {{ min = {min:?}, max = {max:?} }} }}");
    let sampling = format!("{{ kind = \"lattice\", spacing = {spacing:?} }}");
    body(name, &shape, &sampling, rest)
}

/// A body of `matter`.
pub fn body(name: &str, shape: &str, sampling: &str, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"matter\"\nshape = {shape}\nsampling = {sampling}\n{rest}\n"
    )
}

/// Positions of a frame [m].
pub fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|&x| DVec3::from(x)).collect()
}

/// The elastic strain E = b - I of a particle.
pub fn strain(frame: &Frame, particle: usize) -> Matrix3<f64> {
    let [xx, yy, zz, yz, xz, xy] = frame.strain[particle].map(f64::from);
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// A symmetric function of b = I + E, given on the principal Hencky strains.
pub fn of_hencky(strain: Matrix3<f64>, f: impl Fn([f64; 3]) -> [f64; 3]) -> Matrix3<f64> {
    let eigen = SymmetricEigen::new(strain);
    let hencky = [0, 1, 2].map(|i| 0.5 * eigen.eigenvalues[i].ln_1p());
    let values = Matrix3::from_diagonal(&f(hencky).into());
    eigen.eigenvectors * values * eigen.eigenvectors.transpose()
}

/// Kirchhoff stress of a particle by its model's f64 functions [Pa].
pub fn kirchhoff(problem: &Problem, frame: &Frame, particle: usize) -> Matrix3<f64> {
    let material = &problem.materials[frame.material[particle] as usize];
    let state = frame.state[particle].map(f64::from);
    of_hencky(strain(frame, particle), |eps| {
        problem.models[material.model].kirchhoff(&material.constants, &state, eps)
    })
}

/// Mean Kirchhoff stress of all particles [Pa].
pub fn mean_kirchhoff(problem: &Problem, frame: &Frame) -> Matrix3<f64> {
    let count = frame.position.len();
    (0..count).map(|p| kirchhoff(problem, frame, p)).sum::<Matrix3<f64>>() / count as f64
}

/// Replaces the velocities between two substeps; `velocity` maps an id and its velocity [m/s] to a new one.
pub fn set_velocities(
    simulation: &mut GpuSimulation,
    count: usize,
    velocity: impl Fn(usize, DVec3) -> DVec3,
) {
    let identity: Vec<[u32; 4]> = simulation.store().download(COMMITTED_IDENTITY, count).unwrap();
    let mut rows: Vec<[f32; 4]> = simulation.store().download(COMMITTED_VELOCITY, count).unwrap();
    for (row, id) in rows.iter_mut().zip(&identity) {
        let v = velocity(id[0] as usize, DVec3::new(row[0].into(), row[1].into(), row[2].into()));
        *row = [v.x as f32, v.y as f32, v.z as f32, row[3]];
    }
    simulation.store_mut().upload(COMMITTED_VELOCITY, &rows).unwrap();
}

/// One substep in which every particle moves with the affine field that takes `from` to `to`, both maps of
/// the initial positions. Without iterations, gravity and colliders nothing else acts.
pub fn drive(problem: &Problem, simulation: &mut GpuSimulation, from: DMat3, to: DMat3) -> FrameReport {
    assert_eq!(problem.scene.solver.iterations, 0, "the solver would change the motion");
    let rate = (to - from) / problem.dt();
    let start = &problem.particles.position;
    set_velocities(simulation, start.len(), |id, _| rate * start[id]);
    step(simulation, 1)
}

/// The frame now.
pub fn now(simulation: &mut GpuSimulation) -> Frame {
    simulation.frame().unwrap()
}
