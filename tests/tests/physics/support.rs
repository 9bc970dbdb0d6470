//! Scenes, prescribed motions and measures that the cards share.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};
use tuff_problem::{Frame, Problem, Simulation};
use tuff_solver::GpuSimulation;

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

/// A Hencky elastic material.
pub fn elastic(density: f64, youngs_modulus: f64, poisson_ratio: f64) -> String {
    material("elastic", density, youngs_modulus, poisson_ratio, "")
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

/// Numbers of a fixed sequence, uniform in [-1, 1).
pub struct Draws(pub u64);

impl Draws {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

/// Frobenius norm.
pub fn norm(m: DMat3) -> f64 {
    m.to_cols_array().iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Positions of a frame [m].
pub fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|&x| DVec3::from(x)).collect()
}

/// Velocities of a frame [m/s].
pub fn velocities(frame: &Frame) -> Vec<DVec3> {
    frame.velocity.iter().map(|&v| DVec3::from(v.map(f64::from))).collect()
}

/// Mass-weighted sum.
pub fn weighted(problem: &Problem, values: &[DVec3]) -> DVec3 {
    problem.mass.iter().zip(values).map(|(&m, &x)| m * x).sum()
}

/// Mean by mass.
pub fn mean(problem: &Problem, values: &[DVec3]) -> DVec3 {
    weighted(problem, values) / problem.mass.iter().sum::<f64>()
}

/// Angular momentum about the center of mass [kg m^2/s].
pub fn angular_momentum(problem: &Problem, frame: &Frame) -> DVec3 {
    let (x, v) = (positions(frame), velocities(frame));
    let (center, drift) = (mean(problem, &x), mean(problem, &v));
    (0..x.len()).map(|i| problem.mass[i] * (x[i] - center).cross(v[i] - drift)).sum()
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

/// Hencky strain ln V of a particle.
pub fn hencky(frame: &Frame, particle: usize) -> Matrix3<f64> {
    of_hencky(strain(frame, particle), |eps| eps)
}

/// Kirchhoff stress of a particle by its model's f64 functions [Pa].
pub fn kirchhoff(problem: &Problem, frame: &Frame, particle: usize) -> Matrix3<f64> {
    let material = &problem.materials[frame.material[particle] as usize];
    let state = frame.state[particle].map(f64::from);
    of_hencky(strain(frame, particle), |eps| {
        problem.models[material.model].kirchhoff(&material.constants, &state, eps)
    })
}

/// The frame now.
pub fn now(simulation: &mut GpuSimulation) -> Frame {
    simulation.frame().unwrap()
}
