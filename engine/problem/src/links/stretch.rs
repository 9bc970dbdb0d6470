//! Two particles at a distance: `psi = k/2 (l - L)^2`, `l = |x_1 - x_0|`, `k = EA / L`. Numbers: L [m], k [N/m].

use glam::{DMat3, DVec3};

use super::MEMBERS;

/// Returns the numbers for a rest length [m] and a stretch stiffness EA [N].
pub fn numbers(length: f64, stiffness: f64) -> [f64; 4] {
    [length, stiffness / length, 0.0, 0.0]
}

/// psi [J].
pub fn energy([length, k, ..]: [f64; 4], x: &[DVec3]) -> f64 {
    0.5 * k * ((x[1] - x[0]).length() - length).powi(2)
}

/// `k (l - L) n`, n pointing away from the other particle [N].
pub fn gradient([length, k, ..]: [f64; 4], role: usize, x: &[DVec3]) -> DVec3 {
    let d = x[1] - x[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    sign(role) * k * (l - length) / l * d
}

/// `block (u_role - u_other)` [N].
pub fn product(numbers: [f64; 4], role: usize, x: &[DVec3], u: &[DVec3]) -> DVec3 {
    block(numbers, role, x) * (u[role] - u[1 - role])
}

/// `k n n^T + max(0, k (l - L)) / l (1 - n n^T)`: a slack link has no transverse stiffness [N/m].
pub fn block([length, k, ..]: [f64; 4], _: usize, x: &[DVec3]) -> DMat3 {
    let d = x[1] - x[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    let n = d / l;
    let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    k * along + k * (l - length).max(0.0) / l * (DMat3::IDENTITY - along)
}

/// `C = l - L`, `alpha~ = 1 / (k dt^2)`.
pub fn row(
    [length, k, ..]: [f64; 4],
    x: &[DVec3],
    w: &[f64],
    dt: f64,
    multiplier: &mut DVec3,
) -> [DVec3; MEMBERS] {
    let d = x[1] - x[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    let compliance = 1.0 / (k * dt * dt);
    let change = -(l - length + multiplier.x) / (w[0] + w[1] + compliance);
    multiplier.x += compliance * change;
    let impulse = change / dt * (d / l);
    [-impulse, impulse, DVec3::ZERO, DVec3::ZERO]
}

fn sign(role: usize) -> f64 {
    if role == 0 { -1.0 } else { 1.0 }
}
