//! Quantities of matter in a frame: momenta, strains, stresses.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};
use tuff_problem::{Frame, Problem};

/// Returns the slope M = q / p of the Drucker-Prager cone with a friction angle [degrees] in triaxial compression: 6 sin / (3 - sin).
pub fn cone_slope(angle: f64) -> f64 {
    let sine = angle.to_radians().sin();
    6.0 * sine / (3.0 - sine)
}

/// Returns the ratio of shear to normal stress that this cone bears in simple shear: M / sqrt 3. Its angle is the steepest slope of a
/// plane surface.
pub fn shear_friction(angle: f64) -> f64 {
    cone_slope(angle) / 3.0_f64.sqrt()
}

/// Returns the Frobenius norm.
pub fn norm(m: DMat3) -> f64 {
    m.to_cols_array().iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// Returns the positions of a frame [m].
pub fn positions(frame: &Frame) -> Vec<DVec3> {
    frame.position.iter().map(|&x| DVec3::from(x)).collect()
}

/// Returns the velocities of a frame [m/s].
pub fn velocities(frame: &Frame) -> Vec<DVec3> {
    frame.velocity.iter().map(|&v| DVec3::from(v.map(f64::from))).collect()
}

/// Returns the mass-weighted sum.
pub fn weighted(problem: &Problem, values: &[DVec3]) -> DVec3 {
    problem.mass.iter().zip(values).map(|(&m, &x)| m * x).sum()
}

/// Returns the mass-weighted mean.
pub fn mean(problem: &Problem, values: &[DVec3]) -> DVec3 {
    weighted(problem, values) / problem.mass.iter().sum::<f64>()
}

/// Returns the angular momentum about the center of mass [kg m^2/s].
pub fn angular_momentum(problem: &Problem, frame: &Frame) -> DVec3 {
    let (x, v) = (positions(frame), velocities(frame));
    let (center, drift) = (mean(problem, &x), mean(problem, &v));
    (0..x.len()).map(|i| problem.mass[i] * (x[i] - center).cross(v[i] - drift)).sum()
}

/// Returns the elastic strain E = b - I of a particle.
pub fn strain(frame: &Frame, particle: usize) -> Matrix3<f64> {
    let [xx, yy, zz, yz, xz, xy] = frame.strain[particle].map(f64::from);
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// Evaluates a symmetric function of b = I + E that is given on the principal Hencky strains.
pub fn of_hencky(strain: Matrix3<f64>, f: impl Fn([f64; 3]) -> [f64; 3]) -> Matrix3<f64> {
    let eigen = SymmetricEigen::new(strain);
    let hencky = [0, 1, 2].map(|i| 0.5 * eigen.eigenvalues[i].ln_1p());
    let values = Matrix3::from_diagonal(&f(hencky).into());
    eigen.eigenvectors * values * eigen.eigenvectors.transpose()
}

/// Returns the Hencky strain ln V of a particle.
pub fn hencky(frame: &Frame, particle: usize) -> Matrix3<f64> {
    of_hencky(strain(frame, particle), |eps| eps)
}

/// Returns the Kirchhoff stress of a particle by its model's f64 functions [Pa].
pub fn kirchhoff(problem: &Problem, frame: &Frame, particle: usize) -> Matrix3<f64> {
    let material = &problem.materials[frame.material[particle] as usize];
    let state = frame.state[particle].map(f64::from);
    of_hencky(strain(frame, particle), |eps| {
        problem.models[material.model].kirchhoff(&material.constants, &state, eps)
    })
}

/// Returns the mean Kirchhoff stress of all particles [Pa].
pub fn mean_kirchhoff(problem: &Problem, frame: &Frame) -> Matrix3<f64> {
    let count = frame.position.len();
    (0..count).map(|p| kirchhoff(problem, frame, p)).sum::<Matrix3<f64>>() / count as f64
}
