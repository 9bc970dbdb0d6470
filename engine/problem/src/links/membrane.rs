//! A triangle that stretches and shears: `psi = A t / 2 (lambda (tr E)^2 + 2 mu |E|^2)`, St. Venant-Kirchhoff in plane stress,
//! `lambda = Y nu / (1 - nu^2)`, `mu = Y / (2 (1 + nu))`, with Young's modulus times thickness `Y t` [N/m]. The Green strain is exact
//! under rotation and linear in the changes s of the squared edge lengths:
//! `2 E = D^-T [s01, (s01 + s02 - s12) / 2; ., s02] D^-1`, D = the rest edges 01 and 02 as columns, 01 along the first axis.
//!
//! Damping adds `damping / dt` times the strain gained in the substep to the strain. Numbers: rest lengths of 01, 02, 12 [m],
//! damping [s]; entries 11, 12, 22 of D^-1 [1/m], 0; A Y t [J], nu.

use glam::{DMat3, DVec3};

use super::{Ends, MEMBERS, Multipliers, Numbers};
use tuff_scene::Cloth;

/// Returns the numbers of a triangle with corners that rest at `corners` [m].
pub fn numbers([a, b, c]: [DVec3; 3], cloth: &Cloth) -> Numbers {
    let (d1, d2) = (b - a, c - a);
    let base = d1.length();
    let along = d1.dot(d2) / base;
    let height = d1.cross(d2).length() / base;
    let mut numbers = [0.0; 16];
    numbers[..4].copy_from_slice(&[base, d2.length(), c.distance(b), cloth.damping]);
    numbers[4..7].copy_from_slice(&[1.0 / base, -along / (base * height), 1.0 / height]);
    numbers[8] = 0.5 * base * height * cloth.stretch_stiffness;
    numbers[9] = cloth.poisson_ratio;
    numbers
}

/// E_11, E_22, 2 E_12 [dimensionless].
fn strain(c: &Numbers, x: &[DVec3]) -> DVec3 {
    let excess = |from: usize, to: usize, length: f64| x[from].distance_squared(x[to]) - length * length;
    let (s01, s02, s12) = (excess(0, 1, c[0]), excess(0, 2, c[1]), excess(1, 2, c[2]));
    let shear = 0.5 * (s01 + s02 - s12);
    DVec3::new(
        0.5 * c[4] * c[4] * s01,
        0.5 * (c[5] * c[5] * s01 + 2.0 * c[5] * c[6] * shear + c[6] * c[6] * s02),
        c[4] * (c[5] * s01 + c[6] * shear),
    )
}

/// Returns the largest principal stretch: the root of the larger eigenvalue of `C = 2 E + 1`.
pub fn largest_stretch(c: &Numbers, x: &[DVec3]) -> f64 {
    let e = strain(c, x);
    let half = (0.25 * (e.x - e.y).powi(2) + 0.25 * e.z * e.z).sqrt();
    (1.0 + e.x + e.y + 2.0 * half).max(0.0).sqrt()
}

/// A S, the second Piola-Kirchhoff stress times the area, of a strain: 11, 22, 12 [J].
fn stress(c: &Numbers, e: DVec3) -> DVec3 {
    let nu = c[9];
    c[8] / (1.0 - nu * nu) * DVec3::new(e.x + nu * e.y, e.y + nu * e.x, 0.5 * (1.0 - nu) * e.z)
}

/// Damping over the length of the substep [dimensionless].
fn viscous(c: &Numbers, e: Ends<'_>) -> f64 {
    c[3] / e.dt
}

/// Strain at the end, and `damping / dt` of what it gained in the substep [dimensionless].
fn damped(c: &Numbers, e: Ends<'_>) -> DVec3 {
    let end = strain(c, e.end);
    end + viscous(c, e) * (end - strain(c, e.start))
}

/// Columns of the deformation gradient, or of its change with displacements u [dimensionless].
fn columns(c: &Numbers, u: &[DVec3]) -> [DVec3; 2] {
    let (d1, d2) = (u[1] - u[0], u[2] - u[0]);
    [c[4] * d1, c[5] * d1 + c[6] * d2]
}

/// Gradient of the shape function of a corner [1/m].
fn slope(c: &Numbers, role: usize) -> [f64; 2] {
    match role {
        0 => [-c[4], -c[5] - c[6]],
        1 => [c[4], c[5]],
        _ => [0.0, c[6]],
    }
}

/// `S n`.
fn apply(s: DVec3, [n1, n2]: [f64; 2]) -> [f64; 2] {
    [s.x * n1 + s.z * n2, s.z * n1 + s.y * n2]
}

/// The stress without what compresses: cloth wrinkles before it resists that.
fn tension(s: DVec3) -> DVec3 {
    let (mean, half) = (0.5 * (s.x + s.y), 0.5 * (s.x - s.y));
    let radius = half.hypot(s.z);
    let (low, high) = (mean - radius, mean + radius);
    if low >= 0.0 {
        return s;
    }
    if high <= 0.0 {
        return DVec3::ZERO;
    }
    let part = 0.5 * high / radius;
    part * DVec3::new(radius + half, radius - half, s.z)
}

/// psi [J].
pub fn energy(c: &Numbers, x: &[DVec3]) -> f64 {
    let e = strain(c, x);
    let s = stress(c, e);
    0.5 * (s.x * e.x + s.y * e.y + s.z * e.z)
}

/// `A F S grad N` [N].
pub fn gradients(c: &Numbers, e: Ends<'_>) -> [DVec3; 3] {
    let [f1, f2] = columns(c, e.end);
    let s = stress(c, damped(c, e));
    std::array::from_fn(|role| {
        let [t1, t2] = apply(s, slope(c, role));
        t1 * f1 + t2 * f2
    })
}

/// `A (F dS + dF S+) grad N`, S+ = the tensile part of S [N].
pub fn products(c: &Numbers, e: Ends<'_>, u: &[DVec3]) -> [DVec3; 3] {
    let [f1, f2] = columns(c, e.end);
    let [g1, g2] = columns(c, u);
    let change = DVec3::new(f1.dot(g1), f2.dot(g2), f1.dot(g2) + f2.dot(g1));
    let change = (1.0 + viscous(c, e)) * stress(c, change);
    let tension = tension(stress(c, damped(c, e)));
    std::array::from_fn(|role| {
        let n = slope(c, role);
        let ([t1, t2], [p1, p2]) = (apply(change, n), apply(tension, n));
        t1 * f1 + t2 * f2 + p1 * g1 + p2 * g2
    })
}

/// Returns the diagonal blocks of [`products`] [N/m].
pub fn blocks(c: &Numbers, e: Ends<'_>) -> [DMat3; 3] {
    let [f1, f2] = columns(c, e.end);
    let scale = (1.0 + viscous(c, e)) * c[8] / (1.0 - c[9] * c[9]);
    let half = 0.5 * (1.0 - c[9]);
    let tension = tension(stress(c, damped(c, e)));
    let outer = |p: DVec3, q: DVec3| DMat3::from_cols(p * q.x, p * q.y, p * q.z);
    let (first, second, mixed) = (outer(f1, f1), outer(f2, f2), outer(f1, f2) + outer(f2, f1));
    std::array::from_fn(|role| {
        let n = slope(c, role);
        let [a, b] = [n[0] * n[0], n[1] * n[1]].map(|square| scale * square);
        let both = scale * 0.5 * (1.0 + c[9]) * n[0] * n[1];
        let [p1, p2] = apply(tension, n);
        (a + half * b) * first
            + (b + half * a) * second
            + both * mixed
            + (p1 * n[0] + p2 * n[1]) * DMat3::IDENTITY
    })
}

/// Three rows at once, `C = (E_11, E_22, 2 E_12)` with the damping, alpha~ = the inverse of the plane-stress matrix over `A dt^2`.
pub fn row(c: &Numbers, e: Ends<'_>, w: &[f64], multipliers: &mut Multipliers) -> [DVec3; MEMBERS] {
    let [f1, f2] = columns(c, e.end);
    // Gradients of the three strains for each corner.
    let slopes: [[DVec3; 3]; 3] = std::array::from_fn(|role| {
        let [n1, n2] = slope(c, role);
        [n1 * f1, n2 * f2, n2 * f1 + n1 * f2]
    });
    let nu = c[9];
    let unit = 1.0 / (c[8] * e.dt * e.dt);
    let compliance = DMat3::from_cols(
        DVec3::new(unit, -nu * unit, 0.0),
        DVec3::new(-nu * unit, unit, 0.0),
        DVec3::new(0.0, 0.0, 2.0 * (1.0 + nu) * unit),
    );
    let mobility = |i: usize, j: usize| {
        let each = |role: usize| w[role] * slopes[role][i].dot(slopes[role][j]);
        (1.0 + viscous(c, e)) * (0..3).map(each).sum::<f64>()
    };
    let column = |j: usize| DVec3::new(mobility(0, j), mobility(1, j), mobility(2, j));
    let matrix = DMat3::from_cols(column(0), column(1), column(2)) + compliance;
    let change = matrix.inverse() * -(damped(c, e) + multipliers[0]);
    multipliers[0] += compliance * change;
    let impulse = |[g1, g2, g3]: [DVec3; 3]| (change.x * g1 + change.y * g2 + change.z * g3) / e.dt;
    let [i0, i1, i2] = slopes.map(impulse);
    [i0, i1, i2, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]
}
