//! Three particles in line: `psi = k/2 |e|^2`, `e = sum c_i x_i`, `c = (1/l1, -1/l1 - 1/l2, 1/l2)`, `k = 2 EI / (l1 + l2)`: the
//! energy of a rod of curvature `|e| / ((l1 + l2) / 2)` (Bergou et al. 2006, isometric bending; small angles). Numbers: c [1/m],
//! k [N m].

use glam::{DMat3, DVec3};

use super::MEMBERS;

/// Returns the numbers for the rest lengths of both segments [m] and a bending stiffness EI [N m^2].
pub fn numbers([before, after]: [f64; 2], stiffness: f64) -> [f64; 4] {
    let [a, c] = [1.0 / before, 1.0 / after];
    [a, -a - c, c, 2.0 * stiffness / (before + after)]
}

/// e [dimensionless].
fn turn(c: [f64; 4], x: &[DVec3]) -> DVec3 {
    c[0] * (x[0] - x[1]) + c[2] * (x[2] - x[1])
}

/// psi [J].
pub fn energy(numbers: [f64; 4], x: &[DVec3]) -> f64 {
    0.5 * numbers[3] * turn(numbers, x).length_squared()
}

/// `k c_i e` [N].
pub fn gradient(numbers: [f64; 4], role: usize, x: &[DVec3]) -> DVec3 {
    numbers[3] * numbers[role] * turn(numbers, x)
}

/// Returns [`gradient`] of displacements, as e is linear [N].
pub fn product(numbers: [f64; 4], role: usize, _: &[DVec3], u: &[DVec3]) -> DVec3 {
    gradient(numbers, role, u)
}

/// `k c_i^2` [N/m].
pub fn block(numbers: [f64; 4], role: usize, _: &[DVec3]) -> DMat3 {
    numbers[3] * numbers[role].powi(2) * DMat3::IDENTITY
}

/// `C = e`, three rows at once, `alpha~ = 1 / (k dt^2)`.
pub fn row(numbers: [f64; 4], x: &[DVec3], w: &[f64], dt: f64, multiplier: &mut DVec3) -> [DVec3; MEMBERS] {
    let compliance = 1.0 / (numbers[3] * dt * dt);
    let mobility: f64 = (0..3).map(|i| numbers[i].powi(2) * w[i]).sum();
    let change = -(turn(numbers, x) + *multiplier) / (mobility + compliance);
    *multiplier += compliance * change;
    let impulse = |i: usize| numbers[i] / dt * change;
    [impulse(0), impulse(1), impulse(2), DVec3::ZERO]
}
