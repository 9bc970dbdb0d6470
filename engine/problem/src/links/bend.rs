//! Three particles in line: `psi = k/2 |e|^2`, `e = sum c_i x_i`, `c = (1/l1, -1/l1 - 1/l2, 1/l2)`, `k = 2 EI / (l1 + l2)`: the
//! energy of a rod of curvature `|e| / ((l1 + l2) / 2)` (Bergou et al. 2006, isometric bending; small angles). Numbers: c [1/m],
//! k [N m].

use glam::{DMat3, DVec3};

use super::{Ends, MEMBERS, Multipliers, Numbers};

/// Returns the numbers for the rest lengths of both segments [m] and a bending stiffness EI [N m^2].
pub fn numbers([before, after]: [f64; 2], stiffness: f64) -> Numbers {
    let [a, c] = [1.0 / before, 1.0 / after];
    let mut numbers = [0.0; 16];
    numbers[..4].copy_from_slice(&[a, -a - c, c, 2.0 * stiffness / (before + after)]);
    numbers
}

/// e [dimensionless].
fn turn(c: &Numbers, x: &[DVec3]) -> DVec3 {
    c[0] * (x[0] - x[1]) + c[2] * (x[2] - x[1])
}

/// psi [J].
pub fn energy(numbers: &Numbers, x: &[DVec3]) -> f64 {
    0.5 * numbers[3] * turn(numbers, x).length_squared()
}

/// `k c_i e` [N].
pub fn gradients(numbers: &Numbers, e: Ends<'_>) -> [DVec3; 3] {
    products(numbers, e, e.end)
}

/// `k c_i de` [N].
pub fn products(numbers: &Numbers, _: Ends<'_>, u: &[DVec3]) -> [DVec3; 3] {
    let turn = turn(numbers, u);
    std::array::from_fn(|role| numbers[3] * numbers[role] * turn)
}

/// `k c_i^2` [N/m].
pub fn blocks(numbers: &Numbers, _: Ends<'_>) -> [DMat3; 3] {
    std::array::from_fn(|role| numbers[3] * numbers[role].powi(2) * DMat3::IDENTITY)
}

/// `C = e`, three rows at once, `alpha~ = 1 / (k dt^2)`.
pub fn row(numbers: &Numbers, e: Ends<'_>, w: &[f64], multipliers: &mut Multipliers) -> [DVec3; MEMBERS] {
    let compliance = 1.0 / (numbers[3] * e.dt * e.dt);
    let mobility: f64 = (0..3).map(|i| numbers[i].powi(2) * w[i]).sum();
    let change = -(turn(numbers, e.end) + multipliers[0]) / (mobility + compliance);
    multipliers[0] += compliance * change;
    std::array::from_fn(|i| if i < 3 { numbers[i] / e.dt * change } else { DVec3::ZERO })
}
