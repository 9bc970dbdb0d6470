//! Two particles at a distance: `psi = k/2 (l - L)^2`, `l = |x_1 - x_0|`, `k = EA / L`. Numbers: L [m], k [N/m].

use glam::{DMat3, DVec3};

use super::{Ends, MEMBERS, Multipliers, Numbers};

/// Returns the numbers for a rest length [m] and a stretch stiffness EA [N].
pub fn numbers(length: f64, stiffness: f64) -> Numbers {
    let mut numbers = [0.0; 16];
    numbers[..2].copy_from_slice(&[length, stiffness / length]);
    numbers
}

/// psi [J].
pub fn energy(&[length, k, ..]: &Numbers, x: &[DVec3]) -> f64 {
    0.5 * k * ((x[1] - x[0]).length() - length).powi(2)
}

/// `k (l - L) n`, n pointing away from the other particle [N].
pub fn gradients(&[length, k, ..]: &Numbers, e: Ends<'_>) -> [DVec3; 2] {
    let d = e.end[1] - e.end[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    let pull = k * (l - length) / l * d;
    [-pull, pull]
}

/// `block (u_role - u_other)` [N].
pub fn products(numbers: &Numbers, e: Ends<'_>, u: &[DVec3]) -> [DVec3; 2] {
    let pull = block(numbers, e) * (u[1] - u[0]);
    [-pull, pull]
}

/// The same block for both.
pub fn blocks(numbers: &Numbers, e: Ends<'_>) -> [DMat3; 2] {
    [block(numbers, e); 2]
}

/// `k n n^T + max(0, k (l - L)) / l (1 - n n^T)`: a slack link has no transverse stiffness [N/m].
fn block(&[length, k, ..]: &Numbers, e: Ends<'_>) -> DMat3 {
    let d = e.end[1] - e.end[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    let n = d / l;
    let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
    k * along + k * (l - length).max(0.0) / l * (DMat3::IDENTITY - along)
}

/// `C = l - L`, `alpha~ = 1 / (k dt^2)`.
pub fn row(
    &[length, k, ..]: &Numbers,
    e: Ends<'_>,
    w: &[f64],
    multipliers: &mut Multipliers,
) -> [DVec3; MEMBERS] {
    let d = e.end[1] - e.end[0];
    let l = d.length().max(f64::MIN_POSITIVE);
    let compliance = 1.0 / (k * e.dt * e.dt);
    let multiplier = &mut multipliers[0].x;
    let change = -(l - length + *multiplier) / (w[0] + w[1] + compliance);
    *multiplier += compliance * change;
    let impulse = change / e.dt * (d / l);
    let mut impulses = [DVec3::ZERO; MEMBERS];
    impulses[..2].copy_from_slice(&[-impulse, impulse]);
    impulses
}
